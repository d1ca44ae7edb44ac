"""What a request can be refused for. Each error says what was wrong and what to do; the API maps each to one status."""


class ServiceError(Exception):
    """A request that was not carried out. Nothing of it is in the log.

    Parameters
    ----------
    message
        What was wrong.
    advice
        What to do about it; by default what helps against most errors of the kind.
    """

    status = 400
    code = "bad_request"
    usual = "Correct the request; /openapi.json describes it."
    """The advice where none is given."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice or self.usual


class BadRequestError(ServiceError):
    """A value that cannot be taken: a reward that is not finite, an arm that does not exist."""

    status, code = 422, "bad_request"
    usual = "Correct this value; /openapi.json says what each field and parameter takes."


class UnknownExperimentError(ServiceError):
    """No experiment has this name."""

    status, code = 404, "unknown_experiment"
    usual = "Check the name; GET /v1/experiments lists all."


class UnknownDecisionError(ServiceError):
    """The experiment has no decision of this id."""

    status, code = 404, "unknown_decision"
    usual = "Check the id; GET /v1/experiments/NAME/decisions lists them."


class ConflictError(ServiceError):
    """What is in the log says otherwise: another definition, another reward, another number of decisions."""

    status, code = 409, "conflict"


class OverloadedError(ServiceError):
    """More requests are waiting than the service takes.

    Parameters
    ----------
    retry_after
        Seconds after which to try again.
    """

    status, code = 429, "overloaded"
    usual = "Try again a little later, with the same id."

    def __init__(self, message: str, advice: str = "", retry_after: float = 1.0) -> None:
        super().__init__(message, advice)
        self.retry_after = retry_after


class UnavailableError(OverloadedError):
    """The store cannot be reached or cannot write, or the service is starting or stopping."""

    status, code = 503, "unavailable"


class PolicyFailedError(ServiceError):
    """The policy of an experiment failed, and would fail again: other than what is unavailable, waiting is no help."""

    status, code = 500, "policy_failed"
    usual = "Do not try again: the server's log says why. Other experiments go on."


class UnusableStoreError(ValueError):
    """A store that can never be used: a wrong address, a newer format, a folder that does not exist."""

"""Which policies play on which environments, with which settings, and which cannot play and why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from quickdraw_bandits.checks import integer
from quickdraw_bandits.environments import Environment
from quickdraw_lab.contest.entrant import Entrant
from quickdraw_lab.contest.environments import EnvironmentSpec, build_environment
from quickdraw_lab.contest.grids import ORACLES, is_oracle
from quickdraw_lab.contest.runs import ContestRun
from quickdraw_lab.players.contestant import Contestant, place_of
from quickdraw_lab.runner.run import Record
from quickdraw_lab.testbed import TestBed

Records = Mapping[ContestRun, Record]


@dataclass(frozen=True)
class Entry:
    """A policy on an environment, with the settings that are tried.

    Attributes
    ----------
    environment, spec
        Name of the environment, and what it is made of.
    settings
        The policy with each setting to try.
    oracle
        Whether the policy is told the covariance of the environment.
    """

    environment: str
    spec: EnvironmentSpec
    settings: tuple[Contestant, ...]
    oracle: bool

    @property
    def policy(self) -> str:
        """The name of the policy."""
        return self.settings[0].policy

    def tuning_runs(self, tuning_fields: int) -> Iterator[ContestRun]:
        """Yield the runs needed to choose a setting: none if there is only one."""
        if len(self.settings) > 1:
            for number in range(tuning_fields):
                for contestant in self.settings:
                    yield ContestRun(self.spec, contestant, "tuning", number)

    def tuning_regret(self, contestant: Contestant, tuning_fields: int, records: Records) -> float | None:
        """Return the mean regret of a setting on the tuning environments; None if a run is missing or failed."""
        runs = [ContestRun(self.spec, contestant, "tuning", number) for number in range(tuning_fields)]
        regrets = [records.get(run, {}).get("regret_per_round") for run in runs]
        return None if None in regrets else sum(regrets) / len(regrets)  # type: ignore[arg-type]

    def chosen(self, tuning_fields: int, records: Records) -> Contestant | None:
        """Return the setting with the least regret, the first of equal ones; None if every setting failed somewhere."""
        if len(self.settings) == 1:
            return self.settings[0]
        found = [
            (regret, place)
            for place, contestant in enumerate(self.settings)
            if (regret := self.tuning_regret(contestant, tuning_fields, records)) is not None
        ]
        return self.settings[min(found)[1]] if found else None


@dataclass(frozen=True)
class Plan:
    """A contest.

    Attributes
    ----------
    test_bed
        Size and seed.
    fields, tuning_fields
        Number of environments of each kind for the result, and number of others for tuning.
    entries
        Policies on environments, one environment after the other.
    left_out
        One row per policy that cannot play on an environment, with the error it raised.
    """

    test_bed: TestBed
    fields: int
    tuning_fields: int
    entries: Sequence[Entry]
    left_out: Sequence[Mapping[str, str]] = field(default_factory=tuple)

    @classmethod
    def of(
        cls,
        policies: Iterable[str | Entrant],
        environments: Mapping[str, EnvironmentSpec],
        test_bed: TestBed,
        fields: int = 20,
        tuning_fields: int = 5,
        budget: int = 9,
    ) -> "Plan":
        """Enter every policy on every environment it can play on, with the first ``budget`` settings of its grid."""
        integer("fields", fields, at_least=1)
        integer("tuning_fields", tuning_fields, at_least=1)
        integer("budget", budget, at_least=1)
        entries, left_out = [], []
        entrants = {each.name: each for each in (Entrant.of(policy) for policy in policies)}
        for name, spec in environments.items():
            env = build_environment(spec, "result", 0, test_bed)
            for policy, entrant in entrants.items():
                oracle = is_oracle(policy, env)
                contestants = entrant.contestants(1 if oracle else budget)
                if oracle:
                    reason = None
                elif policy in ORACLES:
                    reason = "it must be told the covariance of the environment, which is known for random fields only"
                else:
                    reason = _refusal(contestants[0], env)
                if reason is None:
                    entries.append(Entry(name, spec, contestants, oracle))
                else:
                    left_out.append({"environment": name, "policy": policy, "reason": reason})
        if not entries:
            raise ValueError(f"no policy can play: {left_out[0]['policy']}: {left_out[0]['reason']}")
        return cls(test_bed, fields, tuning_fields, entries, left_out)

    def tuning_runs(self) -> list[ContestRun]:
        """Return all runs that settings are chosen by."""
        return [run for entry in self.entries for run in entry.tuning_runs(self.tuning_fields)]

    def result_runs(self, records: Records) -> list[ContestRun]:
        """Return the runs of the result, with the settings chosen by tuning."""
        return [
            ContestRun(entry.spec, contestant, "result", number)
            for entry in self.entries
            if (contestant := entry.chosen(self.tuning_fields, records)) is not None
            for number in range(self.fields)
        ]


def _refusal(contestant: Contestant, env: Environment) -> str | None:
    """Return the error of a policy that cannot be built on the arms of an environment; None if it can."""
    try:
        contestant.build(env.arms, seed=0)
    except (ValueError, ImportError) as error:
        where = f" ({place_of(error)})" if contestant.given is not None or ":" in contestant.policy else ""
        return " ".join(str(error).split()) + where
    except Exception:
        return None  # a bug of the policy, which its runs will report
    return None

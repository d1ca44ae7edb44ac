"""Operations about the server itself."""

from quickdraw_service.api.operation import Call, Reply, Text
from quickdraw_service.api.wire import StatusAnswer
from quickdraw_service.errors import UnavailableError


async def healthz(call: Call) -> Reply:
    """Say that the process runs."""
    call.refuse_query()
    return 200, StatusAnswer("ok")


async def readyz(call: Call) -> Reply:
    """Say whether decisions are taken."""
    call.refuse_query()
    if call.tools.stopping:
        raise UnavailableError("the server is stopping", "Use another server, or try again later.")
    if not call.tools.service.ready:
        raise UnavailableError("the server is starting, or the store cannot be reached", "Try again later.")
    return 200, StatusAnswer("ready")


async def metrics(call: Call) -> Reply:
    """Return figures for Prometheus."""
    call.refuse_query()
    return 200, Text(call.operation.media[0], await call.tools.readers.run(call.tools.metrics.text, call.tools.service))


async def openapi(call: Call) -> Reply:
    """Return the description of the API."""
    call.refuse_query()
    return 200, Text("application/json", call.tools.description)

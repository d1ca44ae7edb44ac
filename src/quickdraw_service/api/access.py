"""Who may ask: keys where there are some, names of this machine where there are none."""

from quickdraw_service.api.decoding import RawHeaders, header
from quickdraw_service.api.refusals import ForbiddenError, MisdirectedError, UnauthorisedError
from quickdraw_service.keys import Key, KeyRing, Role

LOCAL_NAMES = frozenset((b"localhost", b"127.0.0.1", b"[::1]"))


class Access:
    """Decides about each request.

    Parameters
    ----------
    loopback
        Whether the server listens on the loopback interface only. Then a store that never had a key is open.
    """

    def __init__(self, loopback: bool) -> None:
        self._loopback = loopback
        self.ring: KeyRing | None = None
        """The keys as last read from the store; None until then."""
        self._local: RawHeaders | None = None  # of the last request from this machine: nearly all have the same ones

    @property
    def known(self) -> bool:
        """Whether the keys have been read."""
        return self.ring is not None

    def check(self, headers: RawHeaders, role: Role | None, experiment: str | None, some: bool = False) -> Key | None:
        """Return the key of a request that may go on, None where none is needed; raise otherwise.

        ``experiment`` is None for the whole server; with ``some``, a key for some experiments is enough.
        """
        if self.ring is None or not self.ring.empty or not self._loopback:
            return None if role is None else self._checked_key(headers, role, experiment, some)
        if headers is not self._local:
            _check_local(headers)
            self._local = headers
        return None

    def _checked_key(self, headers: RawHeaders, role: Role, experiment: str | None, some: bool) -> Key:
        value = header(headers, b"authorization")
        if value is None:
            raise UnauthorisedError("this server needs a key", "Send the header Authorization: Bearer KEY.")
        kind, _, token = value.partition(b" ")
        found = self.ring.find(token.strip().decode("latin-1")) if self.ring and kind.lower() == b"bearer" else None
        if found is None:
            raise UnauthorisedError(
                "the key is not valid", "Make one with: quickdraw keys add --store URL --role ROLE."
            )
        if not (found.allows_somewhere(role) if some else found.allows(role, experiment)):
            about = f"the experiment {experiment!r}" if experiment else "the whole server"
            raise ForbiddenError(
                f"the key {found.id} does not have the role {role!r} for {about}",
                "Use another key; quickdraw keys list shows what each may do.",
            )
        return found


def _check_local(headers: RawHeaders) -> None:
    """Refuse what another site's page could send to an open server through a browser on this machine."""
    host = header(headers, b"host") or b""
    name = host[: host.index(b"]") + 1] if host.startswith(b"[") and b"]" in host else host.split(b":", 1)[0]
    if name.lower() not in LOCAL_NAMES:
        raise MisdirectedError(
            "without keys the server answers to localhost, 127.0.0.1 and [::1] only",
            "Make a key with quickdraw keys add, or use one of these names.",
        )
    origin = header(headers, b"origin")
    if origin is not None and origin.split(b"://", 1)[-1].lower() != host.lower():
        raise ForbiddenError("pages of another site may not use a server without keys", "Make a key and send it.")

"""Keys: who may ask what. Only a hash of the secret is stored."""

import hmac
import secrets
import time
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, get_args

import msgspec

Role = Literal["decide", "reward", "read", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
PREFIX = "qd"


class Key(msgspec.Struct, frozen=True):
    """One key as the store keeps it.

    Attributes
    ----------
    id
        Public name of the key, eight hexadecimal digits; part of the token, and what ``revoke`` takes.
    digest
        SHA-256 of the secret. The secret has 32 random bytes, so that no slow hash is needed.
    roles
        What the key may do: ``decide``, ``reward`` (rewards and observations), ``read``, or ``admin`` (everything).
    experiments
        Names of the experiments that it is for; None for all.
    note
        What it is for, in the owner's words.
    created, revoked
        Seconds since 1970; ``revoked`` is None as long as the key is valid. A revoked key stays in the store.
    """

    id: str
    digest: bytes
    roles: tuple[Role, ...]
    experiments: tuple[str, ...] | None
    note: str
    created: float
    revoked: float | None = None

    def allows(self, role: Role, experiment: str | None) -> bool:
        """Return whether the key may do this with an experiment; None stands for the whole server.

        Examples
        --------
        >>> key, _ = new_key(["decide"], ["prices"])
        >>> key.allows("decide", "prices"), key.allows("decide", "colours"), key.allows("reward", "prices")
        (True, False, False)
        """
        if role not in self.roles and "admin" not in self.roles:
            return False
        return self.experiments is None or experiment in self.experiments

    def allows_somewhere(self, role: Role) -> bool:
        """Return whether the key may do this with some experiment."""
        return role in self.roles or "admin" in self.roles


def new_key(roles: Sequence[Role], experiments: Sequence[str] | None = None, note: str = "") -> tuple[Key, str]:
    """Return a new key, and its token, which is nowhere else and cannot be found again.

    Examples
    --------
    >>> key, token = new_key(["read"])
    >>> token.startswith(f"qd_{key.id}_"), key.digest == matching_digest(token)
    (True, True)
    """
    unknown = [role for role in roles if role not in ROLES]
    if unknown or not roles:
        raise ValueError(f"roles must be some of {', '.join(ROLES)}, got {', '.join(unknown) or 'none'}")
    if experiments is not None and not experiments:
        raise ValueError("experiments must name at least one experiment, or be None for all")
    identity, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    key = Key(
        id=identity,
        digest=sha256(secret.encode()).digest(),
        roles=tuple(role for role in ROLES if role in roles),
        experiments=None if experiments is None else tuple(dict.fromkeys(experiments)),
        note=note,
        created=time.time(),
    )
    return key, f"{PREFIX}_{identity}_{secret}"


def matching_digest(token: str) -> bytes | None:
    """Return the digest of the secret in a token, or None if it is no token."""
    parts = token.split("_", 2)
    if len(parts) != 3 or parts[0] != PREFIX or not parts[2].isascii():
        return None
    return sha256(parts[2].encode()).digest()


class KeyRing:
    """The valid keys, to look one up by its token. Never changed: a new ring replaces it.

    Parameters
    ----------
    keys
        All keys of the store, revoked ones included.
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        self.empty = not keys
        """Whether there never was a key. A store whose keys are all revoked is closed, not open."""
        self._valid = {key.id: key for key in keys if key.revoked is None}

    def find(self, token: str) -> Key | None:
        """Return the key of a token, or None. Comparing takes the same time wherever the digests differ."""
        digest = matching_digest(token)
        if digest is None:
            return None
        key = self._valid.get(token.split("_", 2)[1])
        expected = key.digest if key is not None else b"\0" * 32
        return key if hmac.compare_digest(digest, expected) else None

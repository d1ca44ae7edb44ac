"""Policies in files: ``save`` and ``load``.

A file holds everything that later choices depend on, so that a loaded policy chooses as the saved one would have:

=========  ========================================================================================================
bytes      what
=========  ========================================================================================================
8          ``QDPOLICY``
4          format version, little endian
8          length of the header
header     JSON: the policy as a tree of plain values; arrays are numbers into a list of types, shapes and offsets
arrays     their bytes, one after the other, each starting at a multiple of 64
32         SHA-256 of all bytes before
=========  ========================================================================================================

Nothing is unpickled and nothing is evaluated: a file can only name classes of ``classes.py``, and can only
fill them with numbers, text and arrays. A file that was cut short or altered does not match its checksum.
"""

import hashlib
import json
import os
import secrets
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.saving.decode import Decoder
from quickdraw_bandits.saving.encode import Encoder

if TYPE_CHECKING:
    from quickdraw_bandits.checks import Floats
    from quickdraw_bandits.policies import Policy
    from quickdraw_bandits.policies.decision import ArmT

MAGIC = b"QDPOLICY"
FORMAT = 12
"""Raised by one whenever an older version of the package could not read what this one writes, or the reverse."""
_START = struct.Struct("<8sIQ")
_DIGEST = 32


def save(policy: "Policy[ArmT]", path: str | os.PathLike[str], arms: bool = True) -> None:
    """Write a policy to a file, from which ``load`` makes one that chooses alike from then on.

    The file is written under a temporary name, synced to the disk and then moved, so that ``path`` is at every moment
    either the old file or the new one, whole.

    Parameters
    ----------
    policy
        Any policy of the library. Parameters that are functions of your own cannot be saved; the schedules of
        ``quickdraw_bandits.exploration`` can.
    path
        Where to. An existing file is replaced.
    arms
        Whether the file holds the arms. Without them (False) it is smaller, and ``load`` must be given the same arms.

    Examples
    --------
    >>> import tempfile, os, quickdraw_bandits as qd
    >>> policy = qd.QuickDraw(qd.Arms.grid(0, 1, 100), seed=0)
    >>> policy.update(0.0, 30, 0.8)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "policy.qd")
    ...     qd.save(policy, path)
    ...     twin = qd.load(path)
    >>> twin.select(1.0) == policy.select(1.0)
    True
    """
    from quickdraw_bandits.policies import Policy

    if not isinstance(policy, Policy):
        raise ValueError(f"policy must be a policy of quickdraw_bandits, got {type(policy).__name__}")
    target = Path(os.path.realpath(_path(path)))  # a link stays, and what it leads to is replaced
    if target.is_dir():
        raise ValueError(f"path must be the name of a file, got the folder {os.fspath(target)}")
    if not target.parent.is_dir():
        raise ValueError(f"path must be in a folder that exists, got {os.fspath(target)}")
    with policy._lock:
        _write(target, to_parts(policy, arms))


def to_parts(policy: "Policy[Any]", arms: bool = True) -> list[bytes]:
    """Return what a file of a policy holds, in parts and without the checksum; they share no memory with the policy."""
    from quickdraw_bandits import __version__

    with policy._lock:
        writer = Encoder(None if arms else policy.arms)
        header = {
            "package": __version__,
            "arms": _fingerprint(policy.arms),
            "arms_form": _form(policy.arms),
            "holds_arms": arms,
            "policy": writer.encode(policy, "policy"),
            "arrays": writer.table,
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        return [_START.pack(MAGIC, FORMAT, len(text)), text, *writer.chunks(_START.size + len(text))]


def load(path: str | os.PathLike[str], arms: Arms | Box | None = None) -> "Policy[int] | Policy[Floats]":
    """Read a policy that ``save`` wrote.

    Parameters
    ----------
    path
        The file.
    arms
        The arms of the policy, needed where they were not saved. Where they were, the given ones are used all the
        same, so that several policies share one set in memory. They must be those that the policy was saved with.

    Raises
    ------
    ValueError
        If the file is no policy, was cut short or altered, is of a newer format, or belongs to other arms.
    """
    file = _path(path)
    return from_bytes(file.read_bytes(), os.fspath(file), arms)


def with_checksum(parts: list[bytes]) -> bytes:
    """Return parts and their checksum as a file holds them."""
    content = b"".join(parts)
    return content + hashlib.sha256(content).digest()


def from_bytes(content: bytes, name: str, arms: Arms | Box | None = None) -> "Policy[Any]":
    """Return the policy of a file's content; ``name`` is what errors call it."""
    from quickdraw_bandits import __version__

    if len(content) < _START.size + _DIGEST or content[:8] != MAGIC:
        raise ValueError(f"{name} must be a policy that quickdraw_bandits.save wrote, got {len(content)} other bytes")
    _, version, length = _START.unpack_from(content)
    if version != FORMAT:
        age = "a newer" if version > FORMAT else "an older"
        raise ValueError(
            f"{name} was saved by {age} version of quickdraw_bandits, in format {version}; "
            f"this is version {__version__}, which reads format {FORMAT}"
        )
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise ValueError(f"{name} must be whole, but its checksum does not match: it was cut short or altered")
    header = json.loads(content[_START.size : _START.size + length])
    if arms is None and not header["holds_arms"]:
        raise ValueError(f"{name} was saved without its arms; give them as load(path, arms=...)")
    if arms is not None and not isinstance(arms, Arms | Box):
        raise ValueError(f"arms must be an Arms set or a Box, got {type(arms).__name__}")
    same = arms is None or (_fingerprint(arms), _form(arms)) == (header["arms"], header.get("arms_form", _form(arms)))
    if not same:
        raise ValueError(
            f"arms must be those of the policy in {name}, with the same labels, got others: {arms!r}; "
            "after add_arms they are what Arms.extended gives"
        )
    reader = Decoder(content, _START.size + length, header["arrays"], arms)
    try:
        policy: Policy[Any] = reader.decode(header["policy"])
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"{name} must be a policy of this version of quickdraw_bandits, got {error!r}") from None
    return policy


def _path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"path must be the name of a file, got {path!r}")
    return Path(path)


def _fingerprint(arms: Arms | Box) -> str:
    """Return a checksum of what makes the arms what they are."""
    digest = hashlib.sha256()
    state = [("points", arms.points), ("metric", arms.metric)] if isinstance(arms, Arms) else []
    state += [("low", arms.low), ("high", arms.high)] if isinstance(arms, Box) else []
    for name, value in [*state, ("unit", np.float64(arms.unit))]:
        digest.update(name.encode())
        digest.update(value.encode() if isinstance(value, str) else np.ascontiguousarray(value).data)
    if isinstance(arms, Arms) and not isinstance(arms.labels, range):
        digest.update("\0".join(["labels", *arms.labels.tolist()]).encode(errors="surrogatepass"))
    return digest.hexdigest()


def _form(arms: Arms | Box) -> list[str | int]:
    """Return type and shape of the coordinates, which the bytes of the fingerprint do not tell; older files have none.

    Examples
    --------
    >>> _form(Arms([[0.0, 1.0]], scale=False)), _form(Arms([0.0, 1.0], scale=False))
    (['<f8', 1, 2], ['<f8', 2, 1])
    """
    if isinstance(arms, Arms):
        return [arms.points.dtype.str, *arms.points.shape]
    return [arms.dimension]


def _write(path: Path, parts: list[bytes]) -> None:
    """Write the parts and their checksum to a temporary file beside ``path``, sync it, and move it there."""
    digest = hashlib.sha256()
    temporary = path.parent / f".{path.name}.{secrets.token_hex(8)}.tmp"
    try:
        with open(temporary, "xb") as file:
            if path.exists():
                os.chmod(temporary, path.stat().st_mode & 0o777)  # a new version of a file keeps its permissions
            for part in parts:
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the move itself durable, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

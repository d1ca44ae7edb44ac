"""A disk in memory that remembers every write, so that power can be cut at any of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import apsw


@dataclass
class Operation:
    """A write, a truncation (``data`` is None, ``offset`` the new size), or a sync (``offset`` is -1)."""

    file: str
    offset: int
    data: bytes | None = None


@dataclass
class Disk:
    """Files by name, and all that was done to them, in order."""

    files: dict[str, bytearray] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)

    def after_cut(self, at: int, kept: Iterable[int], torn: int | None = None) -> "Disk":
        """Return the disk after power was cut before operation ``at``.

        Writes that were synced are there. Of the others, those whose numbers are in ``kept``; if ``torn`` is given,
        only so many bytes of the last of them.
        """
        sync = {}
        for number, operation in enumerate(self.operations[:at]):
            if operation.offset == -1:
                sync[operation.file] = number
        chosen = set(kept)
        last = max(chosen, default=None)
        found = Disk()
        for number, operation in enumerate(self.operations[:at]):
            if number < sync.get(operation.file, -1) or number in chosen:
                data = operation.data
                if number == last and torn is not None and data is not None:
                    data = data[:torn]
                found.apply(Operation(operation.file, operation.offset, data))
        found.operations.clear()
        return found

    def unsynced(self, at: int) -> list[int]:
        """Return the numbers of the writes before operation ``at`` that no sync has made durable by then."""
        waiting: dict[str, list[int]] = {}
        for number, operation in enumerate(self.operations[:at]):
            if operation.offset == -1:
                waiting.pop(operation.file, None)
            else:
                waiting.setdefault(operation.file, []).append(number)
        return sorted(number for numbers in waiting.values() for number in numbers)

    def apply(self, operation: Operation) -> None:
        """Do an operation, and remember it."""
        self.operations.append(operation)
        content = self.files.setdefault(operation.file, bytearray())
        if operation.offset == -1:
            return
        if operation.data is None:
            del content[operation.offset :]
            return
        end = operation.offset + len(operation.data)
        if len(content) < operation.offset:
            content.extend(bytes(operation.offset - len(content)))
        content[operation.offset : end] = operation.data


class DiskFile:
    """An open file of a disk."""

    def __init__(self, disk: Disk, name: str) -> None:
        self._disk, self._name = disk, name
        disk.files.setdefault(name, bytearray())

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802, D102
        return bytes(self._disk.files[self._name][offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802, D102
        self._disk.apply(Operation(self._name, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:  # noqa: N802, D102
        self._disk.apply(Operation(self._name, size))

    def xSync(self, flags: int) -> None:  # noqa: N802, D102
        self._disk.apply(Operation(self._name, -1))

    def xFileSize(self) -> int:  # noqa: N802, D102
        return len(self._disk.files[self._name])

    def xLock(self, level: int) -> None:  # noqa: N802, D102
        return

    def xUnlock(self, level: int) -> None:  # noqa: N802, D102
        return

    def xCheckReservedLock(self) -> bool:  # noqa: N802, D102
        return False

    def xFileControl(self, operation: int, pointer: int) -> bool:  # noqa: N802, D102
        return False

    def xSectorSize(self) -> int:  # noqa: N802, D102
        return 512

    def xDeviceCharacteristics(self) -> int:  # noqa: N802, D102
        return 0  # promises nothing: neither whole sectors nor writes in order

    def xClose(self) -> None:  # noqa: N802, D102
        return


class DiskVFS(apsw.VFS):
    """The layer by which SQLite uses whichever disk is put into it."""

    def __init__(self, name: str) -> None:
        self.vfs_name = name
        self.disk = Disk()
        self._temporary = 0
        super().__init__(name, "")

    def xOpen(self, name, flags):  # noqa: N802, D102
        if name is None:
            self._temporary += 1
            name = f"temporary-{self._temporary}"
        flags[1] = flags[0]
        return DiskFile(self.disk, name if isinstance(name, str) else name.filename())

    def xDelete(self, name, sync_folder):  # noqa: N802, D102
        self.disk.apply(Operation(name, 0))
        if sync_folder:  # otherwise the file may be there again after a cut
            self.disk.apply(Operation(name, -1))
        self.disk.files.pop(name, None)

    def xAccess(self, name, flags):  # noqa: N802, D102
        return name in self.disk.files

    def xFullPathname(self, name):  # noqa: N802, D102
        return name

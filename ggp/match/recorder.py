"""Records on disk, whatever happens: at any moment the file is a complete record of what was played so far.

Each step writes a new file beside the old one, forces it to the disk, and puts it in the old one's place, all at once: a
process that is killed leaves the record of the step before. The first version is put in place by a link, which fails if
there is such a file already: no record is ever overwritten by another match.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from ggp.core.errors import UsageError

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
"""What file systems without hard links answer."""


def record_path(place: Path, match_id: str) -> Path:
    """Where the record of a match is written: `place` itself if it is named *.json, else a file in it."""
    return place if place.suffix == ".json" and not place.is_dir() else place / f"{match_id}.json"


class RecordFile:
    """The file of one record."""

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self.path = path
        self._warn = warn
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        self._unwritten: str | None = None
        """The newest version, where it could not be written."""

    def create(self, text: str) -> None:
        """Write the first version; UsageError if that cannot be done, before anybody has played for nothing."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._write_temporary(text)
            try:
                self._link()
            finally:
                self._temporary.unlink(missing_ok=True)
            _sync_directory(self.path.parent)
        except FileExistsError as error:
            taken = error.filename if error.filename2 is None else error.filename2
            what = "is no directory" if Path(taken) != self.path else "is there already, and records are not overwritten"
            raise UsageError(f"{taken}: {what}") from None
        except OSError as error:
            raise UsageError(f"{self.path}: the record cannot be written: {error.strerror or error}") from None

    def _link(self) -> None:
        try:
            os.link(self._temporary, self.path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if self.path.exists():
                raise FileExistsError(errno.EEXIST, "", str(self.path)) from None
            self._temporary.rename(self.path)

    def replace(self, text: str) -> None:
        """Put a newer version in place. A full disk ends no match: it is told once, and tried again next time."""
        try:
            self._write_temporary(text)
            self._temporary.rename(self.path)
        except OSError as error:
            if self._unwritten is None:
                self._warn(f"{self.path}: the record cannot be written: {error.strerror or error}; the match goes on")
            self._unwritten = text
            return
        self._unwritten = None

    def close(self) -> Path | None:
        """Where the newest version is. What could not be written is tried once more, then put among temporary files."""
        if self._unwritten is not None:
            self.replace(self._unwritten)
        if self._unwritten is None:
            return self.path
        try:
            handle, name = tempfile.mkstemp(prefix=f"{self.path.stem}.", suffix=".json")
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(self._unwritten)
        except OSError as error:
            self._warn(f"the end of the record is lost: {error.strerror or error}; {self.path} holds what was written")
            return None
        self._warn(f"the whole record is in {name}; {self.path} holds its beginning only")
        return Path(name)

    def _write_temporary(self, text: str) -> None:
        try:
            with self._temporary.open("w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            self._discard()
            raise

    def _discard(self) -> None:
        try:
            self._temporary.unlink(missing_ok=True)
        except OSError as error:
            self._warn(f"{self._temporary}: cannot be removed: {error.strerror or error}")


def _sync_directory(directory: Path) -> None:
    """Force the name of a new file to the disk."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

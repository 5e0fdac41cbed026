"""A folder of what took long to make, kept from one process to the next.

An entry is a file: a header, then the content. The header says what the file is for, of which version of this program,
how long its content is, and the content's digest. A file that says anything else, or is cut short, is removed.
Files are written under another name and then renamed, so that readers and writers may come together: they find a whole
entry or none. The least recently used entries go when the folder grows over its limit.

Entries are pickles, which run code when they are loaded: files that somebody else owns or could write are not read.
Nothing here ever fails: where there is no room or no right to write there are no entries, and one warning says why.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path

VARIABLE = "GGP_CACHE"
"""Of the environment: the folder of the cache, or `off`."""
LIMIT = 1 << 30
"""Bytes of all entries, if nothing else is said."""
_SHARE = 4
"""An entry may take this fraction of the limit."""
_HEADER = struct.Struct("<8s32s32sQ32s")
"""Magic number, digests of the version and of the key, length and digest of the content."""
_MAGIC = b"ggp\x00kept"
_ENDING, _UNFINISHED = ".entry", ".new"
_ABANDONED = 600.0
"""Seconds after which nobody is writing a file any more: whoever was has been killed."""
_SOURCES = ("gdl", "ggp/circuits", "ggp/lanes", "ggp/machines", "ggp/search")
"""What decides what is made, below the folder of the packages; `ggp/core/kernels.py` is the only other one."""
_STARTED = time.time()
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Content:
    """What is in the folder of a cache."""

    entries: int
    bytes: int

    def __str__(self) -> str:
        return f"{self.entries:,} {'entry' if self.entries == 1 else 'entries'}, {self.bytes / 1e6:,.1f} MB"


class Cache:
    """Entries in a folder, by key. Any number of them may be open on one folder, in any number of processes."""

    def __init__(self, folder: Path | None, limit: int = LIMIT, version: str | None = None) -> None:
        """Without a folder nothing is kept. `version`: of what makes the entries, where it is not this program."""
        self.folder = folder
        self.limit = limit
        self.problem = ""
        """Why nothing is kept, although it should be."""
        self._version = version

    def get(self, key: str) -> memoryview | None:
        """The content of an entry, if there is one."""
        if self.folder is None or not self._is_safe(self.folder):
            return None
        path = self._path(self.folder, key)
        try:
            with open(path, "rb", opener=_no_link) as stream:
                if not _is_private(os.fstat(stream.fileno())):
                    return None
                whole = stream.read()
        except OSError:
            return None
        content = memoryview(whole)[_HEADER.size :]
        if whole[: _HEADER.size] != self._header(key, [content]):
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # it is the last to go now
        return content

    def put(self, key: str, parts: Sequence[bytes]) -> None:
        """Keep the concatenated parts as an entry; one that is too large is not kept."""
        if self.folder is None or self.problem or sum(map(len, parts)) > self.limit // _SHARE:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._is_safe(self.folder):
                self._write(self.folder, key, parts)
                self._shrink(self.folder)
        except OSError as error:
            self._complain(error.strerror or str(error))

    def content(self) -> Content:
        """What is there now."""
        sizes = [] if self.folder is None else [size for _, size, _ in _entries(self.folder)]
        return Content(len(sizes), sum(sizes))

    def clear(self) -> None:
        """Remove all entries, those of other versions too. OSError where that is not allowed."""
        if self.folder is not None and self.folder.is_dir():
            for path in self.folder.iterdir():
                if path.suffix in (_ENDING, _UNFINISHED):
                    path.unlink(missing_ok=True)

    def look(self) -> str:
        """Why the folder cannot be used, as far as that can be seen without writing; nothing if it can."""
        if self.folder is not None:
            self._is_safe(self.folder)
            place = next((place for place in (self.folder, *self.folder.parents) if place.exists()), None)
            if not self.problem and not (place and place.is_dir() and os.access(place, os.W_OK)):
                return f"nobody may write to {place}"
        return self.problem

    def _is_safe(self, folder: Path) -> bool:
        """Whether nobody else can have put anything into the folder; true if there is none."""
        with suppress(FileNotFoundError, NotADirectoryError):
            if not _is_private(folder.stat()):
                self._complain("it belongs to somebody else, or others may write to it")
                return False
        return True

    def _path(self, folder: Path, key: str) -> Path:
        self._version = self._version or version()
        return folder / (hashlib.sha256(f"{self._version} {key}".encode()).hexdigest()[:40] + _ENDING)

    def _header(self, key: str, parts: Sequence[bytes | memoryview]) -> bytes:
        self._version = self._version or version()
        content = hashlib.sha256()
        for part in parts:
            content.update(part)
        versions, keys = (hashlib.sha256(text.encode()).digest() for text in (self._version, key))
        return _HEADER.pack(_MAGIC, versions, keys, sum(map(len, parts)), content.digest())

    def _write(self, folder: Path, key: str, parts: Sequence[bytes]) -> None:
        descriptor, name = tempfile.mkstemp(suffix=_UNFINISHED, dir=folder)
        try:
            with open(descriptor, "wb") as stream:
                stream.write(self._header(key, parts))
                stream.writelines(parts)
            os.replace(name, self._path(folder, key))
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    def _shrink(self, folder: Path) -> None:
        """Remove what was used longest ago until the rest is within the limit, and what was never finished."""
        entries = sorted(_entries(folder))
        total = sum(size for _, size, _ in entries)
        gone = 0
        while total > self.limit:
            _, size, path = entries[gone]
            with suppress(OSError):
                path.unlink()
            total, gone = total - size, gone + 1
        for path in folder.glob(f"*{_UNFINISHED}"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()

    def _complain(self, why: str) -> None:
        if not self.problem:
            self.problem = why
            _LOG.warning("nothing more is kept in %s: %s", self.folder, why)


@lru_cache(maxsize=16)
def _opened(folder: Path | None) -> Cache:
    return Cache(folder)


def cache() -> Cache:
    """The cache of this user, by the environment: in $GGP_CACHE, $XDG_CACHE_HOME/ggp, or ~/.cache/ggp."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted == "off":
        return _opened(None)
    if wanted:
        return _opened(Path(wanted).absolute())
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        try:
            base = Path.home() / ".cache"
        except RuntimeError:
            _LOG.warning("nothing is kept: there is no home folder; %s may name another", VARIABLE)
            return _opened(None)
    return _opened(base / "ggp")


@lru_cache(maxsize=1)
def version() -> str:
    """A digest of all that decides what is made: our sources, the packages that make it, and the processor."""
    import llvmlite  # not before something is kept: a command that keeps nothing starts without it
    import llvmlite.binding as llvm
    import numba
    import numpy as np

    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for place, folders, files in os.walk(root / folder):
            folders.sort()
            for name in sorted(name for name in files if name.endswith(".py")):
                _add(digest, os.path.join(place, name))
    _add(digest, str(root / "ggp" / "core" / "kernels.py"))
    parts = (sys.version, np.__version__, numba.__version__, llvmlite.__version__, metadata.version("clingo"),
             platform.machine(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())  # fmt: skip
    digest.update("\n".join(parts).encode())
    return digest.hexdigest()


def _add(digest: hashlib._Hash, path: str) -> None:
    with open(path, "rb") as stream:
        text = stream.read()
        changed = os.fstat(stream.fileno()).st_mtime
    if changed > _STARTED:  # this process runs other code than what stands there: what it makes is for no other
        digest.update(os.urandom(16))
    digest.update(f"{os.path.basename(path)} {len(text)}\n".encode() + text)


def _entries(folder: Path) -> list[tuple[float, int, Path]]:
    """When each entry was used last, its size and its file."""
    found: list[tuple[float, int, Path]] = []
    with suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name.endswith(_ENDING):
                with suppress(OSError):  # somebody else may remove it just now
                    status = file.stat(follow_symlinks=False)
                    found.append((status.st_mtime, status.st_size, Path(file.path)))
    return found


def _is_private(status: os.stat_result) -> bool:
    """Whether a file or folder is ours, and nobody else may write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)

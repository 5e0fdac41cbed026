"""The base of one game: a file of records that is looked into where it lies, through a map of memory.

Looking something up reads a place or two of the file, however large it is. Writers take turns by a lock and write into
the map of all, so whoever is killed has left on the file what it wrote until then; at most the record that it was
writing is torn, which its checksum tells. When the file is too full, a larger one is made beside it and takes its name
when it is whole. A file that is cut short or damaged is made anew in the same way, of the records that are sound.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import mmap
import os
import struct
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ggp.core.errors import KnowledgeError
from ggp.knowledge.records import Records, Words, are_empty, are_sound, distinct, kind, signed
from ggp.knowledge.table import enter, find

VERSION = 1
"""Of the format; files of other versions are refused and left alone."""
ENDING = ".knowledge"
_MAGIC = b"ggp\x00know"
_HEADER = struct.Struct("<8sIIQ64s64s")
"""Magic number, version, roles, capacity, key of the game, what it was called; then the digest of these."""
_COUNT = struct.Struct("<Q")
_COUNT_AT, _START = 512, 4096
"""Where the number of records stands, which changes, and where the records begin."""
_LEAST = 1 << 12
"""Places of a new base."""
_FULL = 0.7
"""The part of the places that may be taken."""
_PART = 1 << 18
"""Records that are gone through at a time."""


@dataclass(frozen=True)
class Header:
    """What a file says of itself."""

    game: str
    """The key of the game's rules, in hexadecimal digits."""
    roles: int
    name: str
    """What the game was called where it was learned first."""
    capacity: int

    def pack(self) -> bytes:
        """As bytes, with their digest."""
        name = self.name.encode()[:64].decode(errors="ignore").encode()
        plain = _HEADER.pack(_MAGIC, VERSION, self.roles, self.capacity, self.game.encode(), name)
        return plain + hashlib.sha256(plain).digest()

    @classmethod
    def read(cls, raw: bytes) -> Header | None:
        """The header of a file that begins so; None if it is damaged. KnowledgeError if it is of another version."""
        plain, digest = raw[: _HEADER.size], raw[_HEADER.size : _HEADER.size + 32]
        if len(plain) < _HEADER.size or hashlib.sha256(plain).digest() != digest:
            return None
        magic, version, roles, capacity, game, name = _HEADER.unpack(plain)
        if magic != _MAGIC:
            return None
        if version != VERSION:
            raise KnowledgeError(f"version {version} of the format, and this program knows version {VERSION}")
        return cls(game.rstrip(b"\0").decode(), roles, name.rstrip(b"\0").decode(), capacity)


def read_header(path: Path) -> Header | None:
    """What a file says of itself; None if that is damaged."""
    with path.open("rb") as stream:
        raw = stream.read(_HEADER.size + 32)
    try:
        return Header.read(raw)
    except KnowledgeError as error:
        raise KnowledgeError(f"{path}: {error}") from None


def open_base(path: Path) -> Base:
    """The base in a file, by what the file says of itself."""
    header = read_header(path)
    if header is None:
        raise KnowledgeError(f"{path}: this is no base, or its header is damaged; the next study of the game repairs it")
    return Base(path, header.game, header.roles, header.name)


@dataclass(frozen=True)
class Content:
    """What is in a base, all of it looked at."""

    records: int
    proven: int
    torn: int
    """Places with what is no whole record, and those that the file should have and has not."""


class _Map:
    """A file in memory, as it was when it was opened."""

    def __init__(self, path: Path, write: bool) -> None:
        with path.open("r+b" if write else "rb") as stream:
            status = os.fstat(stream.fileno())
            self.identity = status.st_dev, status.st_ino
            self.header = read_header(path)
            access = mmap.ACCESS_WRITE if write else mmap.ACCESS_READ
            self._map = mmap.mmap(stream.fileno(), 0, access=access) if status.st_size else None
        self.size = status.st_size

    def table(self, roles: int) -> Records:
        """The places that there are."""
        record = kind(roles)
        if self._map is None or self.size < _START + record.itemsize:
            return np.zeros(0, record)
        return np.frombuffer(self._map, record, (self.size - _START) // record.itemsize, _START)

    @property
    def is_whole(self) -> bool:
        """Whether the header can be read, and the file is as long as it says."""
        header = self.header
        return header is not None and self.size == _START + header.capacity * kind(header.roles).itemsize

    @property
    def count(self) -> int:
        """How many records there are: what writers have counted."""
        return int(_COUNT.unpack_from(self._map, _COUNT_AT)[0]) if self._map and self.size >= _START else 0

    def add(self, new: int) -> None:
        """Count new records."""
        assert self._map is not None
        _COUNT.pack_into(self._map, _COUNT_AT, self.count + new)

    def flush(self) -> None:
        """See to it that what was written is on the disk."""
        if self._map is not None:
            self._map.flush()


class Base:
    """The base of one game. Any number may be open on one file, in any number of processes and threads."""

    def __init__(self, path: Path, game: str, roles: int, name: str = "") -> None:
        """There need not be a file yet. `name`: what the game is called here."""
        self.path, self.game, self.roles, self.name = path, game, roles, name
        self._kind = kind(roles)
        self._reading: _Map | None = None
        self._table: Records = np.zeros(0, self._kind)
        self._lock = threading.Lock()

    def find(self, keys: Words) -> tuple[NDArray[np.bool_], Records]:
        """Which keys (uint64 [n, 2]) have a record, and the records; zeros for the others."""
        with self._lock:
            self._look()
            return find(self._table, keys, self._capacity)

    def __len__(self) -> int:
        """How many records there are, as writers have counted."""
        with self._lock:
            self._look()
            return 0 if self._reading is None else self._reading.count

    def learn(self, records: Records) -> int:
        """Keep records, where they know more than what is there. How many are of positions that were not known.

        All of them are on the disk afterwards. KnowledgeError where there is no room for them.
        """
        if not len(records):
            return 0
        records = signed(distinct(records))
        try:
            with self._writing(len(records)) as now:
                return self._enter(now, records)
        except OSError as error:
            raise KnowledgeError(f"{self.path}: nothing more can be kept: {error.strerror or error}") from None

    def prepare(self) -> None:
        """See to it that there is a file that is whole, and that one may write to."""
        try:
            with self._writing(0):
                pass
        except OSError as error:
            raise KnowledgeError(f"{self.path}: nothing can be kept: {error.strerror or error}") from None

    def parts(self) -> Iterator[Records]:
        """All sound records, many at a time."""
        with self._lock:
            self._look()
            table = self._table
        for part in _parts(table):
            yield part[are_sound(part)]

    def content(self) -> Content:
        """What is in the file; all of it is read."""
        with self._lock:
            self._look()
            table, missing = self._table, self._capacity - len(self._table)
        records = proven = torn = 0
        for part in _parts(table):
            taken = part[~are_empty(part)]
            sound = taken[are_sound(taken)]
            records, proven = records + len(sound), proven + int(sound["proven"].sum())
            torn += len(taken) - len(sound)
        return Content(records, proven, torn + max(0, missing))

    @property
    def is_whole(self) -> bool:
        """Whether the file is as long as it should be and says what it is; true if there is none."""
        with self._lock:
            self._look()
            return self._reading is None or self._reading.is_whole

    @property
    def _capacity(self) -> int:
        """The places that the file should have: as its header says, or by its size if that is damaged."""
        header = None if self._reading is None else self._reading.header
        return 1 << (len(self._table) - 1).bit_length() if header is None else header.capacity

    def _look(self) -> None:
        """See to it that the file is mapped that has the name now."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._reading, self._table = None, np.zeros(0, self._kind)
            return
        now = self._reading
        if now is None or now.identity != (status.st_dev, status.st_ino) or now.size != status.st_size:
            self._reading = self._opened(write=False)
            self._table = self._reading.table(self.roles)

    def _opened(self, write: bool) -> _Map:
        opened = _Map(self.path, write)
        if opened.header is not None and (opened.header.game, opened.header.roles) != (self.game, self.roles):
            raise KnowledgeError(f"{self.path}: this is the base of another game, {opened.header.name}")
        return opened

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """While nobody else writes."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("w") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def _writing(self, more: int) -> Iterator[_Map]:
        """The file, with room for so many more records, while nobody else writes."""
        with self._alone():
            if not self.path.exists():
                self._rewrite(None, more)
            now = self._opened(write=True)
            if not now.is_whole or now.count + more > _FULL * len(now.table(self.roles)):
                self._rewrite(now, more)
                now = self._opened(write=True)
            yield now

    def _enter(self, now: _Map, records: Records) -> int:
        new = 0
        for part in _parts(records):
            added = enter(now.table(self.roles), part)
            now.add(added)
            new += added
        now.flush()
        return new

    def _rewrite(self, old: _Map | None, more: int) -> None:
        """Make a file of the sound records of another one, with room for so many more; it takes the name at last."""
        table = np.zeros(0, self._kind) if old is None else old.table(self.roles)
        count = sum(int(are_sound(part).sum()) for part in _parts(table))
        name = old.header.name if old is not None and old.header is not None else self.name
        capacity = _LEAST
        while count + more > _FULL * capacity:
            capacity *= 2
        for abandoned in self.path.parent.glob(f"{self.path.stem}.*.new"):  # nobody else writes now
            abandoned.unlink(missing_ok=True)
        descriptor, place = tempfile.mkstemp(prefix=f"{self.path.stem}.", suffix=".new", dir=self.path.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                os.posix_fallocate(stream.fileno(), 0, _START + capacity * self._kind.itemsize)
                stream.write(Header(self.game, self.roles, name, capacity).pack())
            new = _Map(Path(place), write=True)
            for part in _parts(table):
                new.add(enter(new.table(self.roles), distinct(part[are_sound(part)])))
            new.flush()
            Path(place).replace(self.path)
        except BaseException:
            Path(place).unlink(missing_ok=True)
            raise


def _parts(records: Records) -> Iterator[Records]:
    for start in range(0, len(records), _PART):
        yield records[start : start + _PART]

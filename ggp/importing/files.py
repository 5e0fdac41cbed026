"""The files of a folder or an archive, by name. Archives are read where they are: nothing is unpacked, so no name can
lead out of a folder.
"""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from ggp.core.errors import UsageError

LARGEST = 64 << 20
"""Bytes of a file inside an archive or a folder; what is larger is neither a rulesheet nor a match."""
BROKEN = (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, RuntimeError)
"""What archives raise that are none, or that want a password."""


def files(place: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """The files whose names are wanted, with `/` between the parts of a name; UsageError if they cannot be read."""
    try:
        if place.is_dir():
            yield from _of_folder(place, wanted)
        elif zipfile.is_zipfile(place):
            yield from _of_zip(place, wanted)
        elif tarfile.is_tarfile(place):
            yield from _of_tar(place, wanted)
        else:
            raise UsageError(f"{place}: this is neither a folder nor an archive (zip, tar, tar.gz, …)")
    except BROKEN as error:
        raise UsageError(f"{place}: {getattr(error, 'strerror', None) or error}") from error


def limited(stream: IO[bytes], name: str) -> bytes:
    """All of a stream; UsageError if that is more than a file may have, whatever an archive says of its size."""
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(f"{name}: larger than {LARGEST >> 20} MB")
    return data


def opened(path: Path) -> BufferedIOBase:
    """A file for reading, unpacked if its name ends with .gz."""
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _of_folder(place: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        if wanted(name) and path.is_file():
            with path.open("rb") as stream:
                yield name, limited(stream, str(path))


def _of_zip(place: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(place) as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            if wanted(info.filename) and not info.is_dir():
                with archive.open(info) as stream:
                    yield info.filename, limited(stream, f"{place}: {info.filename}")


def _of_tar(place: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(place) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() and wanted(member.name) else None
            if stream is not None:
                yield member.name.removeprefix("./"), limited(stream, f"{place}: {member.name}")

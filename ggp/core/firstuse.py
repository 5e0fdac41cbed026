"""Whether the kernels of this installation have been compiled on this machine: a file beside them says so.

Numba compiles a kernel when it is called first and keeps it. All of them together take a minute or two, in which a search
would answer from Prolog and a match would be half over: so whoever is about to need them compiles them all and waits.
The set-up has done that; where the program came as a wheel, its first command does.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path


def compiled() -> bool:
    """Whether there is nothing to compile ahead; so it is, too, where nothing can be kept."""
    return any((folder / _name()).exists() for folder in _folders()) or not any(map(_writable, _folders()))


def mark() -> None:
    """Say that all kernels have been compiled, for all later processes."""
    for folder in filter(_writable, _folders()):
        with suppress(OSError):  # full, say: the next process compiles again, which is quick by then
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _name()).touch()
            return


def _folders() -> tuple[Path, ...]:
    """Where numba keeps kernels: where it is told to, or beside their sources, or with what is the user's own."""
    told = os.environ.get("NUMBA_CACHE_DIR")
    if told:
        return (Path(told),)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    own = (base if base.is_absolute() else Path("~/.cache").expanduser()) / "numba"
    return Path(__file__).parent / "__pycache__", own


def _writable(folder: Path) -> bool:
    """Whether files can be made in a folder that is there or can be made, too."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), None)
    return there is not None and there.is_dir() and os.access(there, os.W_OK)


def _name() -> str:
    """The name of the file, which holds for one installed version, one numba, one Python and one kind of processor."""
    parts = (__file__, version("ggp"), version("numba"), sys.version, platform.machine(), _processor())
    return f"ggp-{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:16]}.compiled"


def _processor() -> str:
    """The first line that names the model of a processor, on Linux."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line for line in lines if line.startswith("model name")), "")
    return ""

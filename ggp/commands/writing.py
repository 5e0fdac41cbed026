"""Writing files without harm to those that are there."""

from __future__ import annotations

from pathlib import Path

from ggp.core.errors import UsageError


def write_new(path: Path, text: str) -> None:
    """Write a file that must not be there yet; where that fails half-way, nothing is left behind."""
    try:
        stream = path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise UsageError(f"{path} is there already; it stays as it is") from None
    try:
        with stream:
            stream.write(text)
    except BaseException:
        path.unlink(missing_ok=True)
        raise

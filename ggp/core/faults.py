"""What the user is told of an error: a message and an exit code.

Errors that are meant for the user speak for themselves. Any other is a fault in ggp: one line names the stage in which it
happened and the file to report; all that helps to find it is in that file, and nowhere on the screen.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

from gdl.errors import DescriptionError, GdlError, GroundingError, UnreadableError
from ggp.core.errors import CircuitError, GgpError, MachineError

_STAGES: Mapping[str, str] = {
    "gdl": "reading the rules",
    "gdl.laws": "checking the rules",
    "gdl.grounding": "grounding the rules",
    "ggp.circuits": "compiling the circuit",
    "ggp.lanes": "making the circuit run",
    "ggp.machines": "asking the machine",
    "ggp.search": "searching",
    "ggp.match": "playing a match",
    "ggp.lab": "doing an experiment",
    "ggp.generators": "generating a game",
    "ggp.web": "serving the page",
    "ggp": "running the command",
}
"""What each package does, the longest name that fits counts."""


def explain(error: Exception) -> tuple[int, str]:
    """The exit code of an error, and what to print on standard error."""
    match error:
        case DescriptionError():
            return 1, str(error)
        case MachineError() | GroundingError() | CircuitError():
            return 3, f"ggp: {error}"
        case UnreadableError() | GdlError() | GgpError():
            return 2, f"ggp: {error}"
        case MemoryError():
            return 3, f"ggp: there is not enough memory for {stage(error)}"
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return 2, f"ggp: {where}{error.strerror or error}"
    return 3, f"ggp: {report(error)}"


def report(error: BaseException) -> str:
    """Write the details of a fault of ours into a file; one line that names the stage, the error and the file."""
    kind = type(error).__name__
    what = " ".join(f"{kind}: {error}".split())[:200] if str(error) else kind
    line = f"a fault in ggp while {stage(error)}: {what}"
    try:
        return f"{line}; please report it with {_write(line, error)}"
    except OSError as failure:
        return f"{line}; please report it (its details could not be written: {failure.strerror or failure})"


def stage(error: BaseException) -> str:
    """What was going on, by the innermost of our packages in the traceback."""
    found = "running the command"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        name = frame.f_globals.get("__name__", "")
        fitting = [package for package in _STAGES if name == package or name.startswith(f"{package}.")]
        if fitting:
            found = _STAGES[max(fitting, key=len)]
    return found


def _write(line: str, error: BaseException) -> Path:
    """The details, in a file of its own in the folder for temporary files."""
    import ggp

    details = [
        line,
        f"ggp {ggp.__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {' '.join(sys.argv)}",
        f"folder: {Path.cwd()}",
        "",
        *traceback.format_exception(error),
    ]
    descriptor, name = tempfile.mkstemp(prefix=time.strftime("ggp-fault-%Y%m%d-%H%M%S-"), suffix=".txt")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write("\n".join(details))
    return Path(name)

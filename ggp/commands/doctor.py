"""Tell what is installed, what is missing, and what to do about it."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from gdl import GdlError, Source, load
from ggp import __version__
from ggp.core.cache import VARIABLE, cache
from ggp.core.errors import GgpError, MachineError
from ggp.machines import Limits, PrologMachine
from ggp.machines.bridge import INSTALL_ADVICE

_PACKAGES = ("clingo", "lark", "llvmlite", "numba", "numpy", "pyswip", "rich")
_PROBE = """
(role me) (init (on 1)) (legal me wait) (goal me 100)
(<= (next (on 2)) (does me wait))
(<= terminal (true (on 2)))
"""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    good: bool
    found: str
    advice: str = ""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp doctor`."""
    parser.add_argument("--json", action="store_true", help="print a list of findings")


def run(options: Namespace) -> int:
    """Print the findings; 1 if something is missing."""
    findings = [_python(), *map(_package, _PACKAGES), _swipl(), _prolog(), _circuit(), _cache()]
    if options.json:
        print(json.dumps([asdict(f) for f in findings], indent=1))
    else:
        print(f"ggp {__version__}")
        for finding in findings:
            print(f"  {'ok     ' if finding.good else 'MISSING'}  {finding.what}: {finding.found}")
            if finding.advice:
                print(f"           {finding.advice}")
    return 0 if all(f.good for f in findings) else 1


def _python() -> Finding:
    good = sys.version_info >= (3, 11)
    return Finding("Python", good, platform.python_version(), "" if good else "Install Python 3.11 or newer.")


def _package(name: str) -> Finding:
    try:
        return Finding(name, True, version(name))
    except PackageNotFoundError:
        return Finding(name, False, "not installed", "Run `make setup` in the project's folder.")


def _swipl() -> Finding:
    program = shutil.which("swipl")
    if program is None:
        return Finding("SWI-Prolog", False, "not found", INSTALL_ADVICE)
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False)
    return Finding("SWI-Prolog", answer.returncode == 0, answer.stdout.strip())


def _circuit() -> Finding:
    """Whether the compiler and the lanes really work, and what runs them."""
    what = "the circuit machine"
    try:
        from ggp.lanes.ways import preferred
        from ggp.machines.circuit import CircuitMachine

        machine = CircuitMachine.compile(load(Source(_PROBE)))
        works = machine.perft(machine.initial(), 1)[-1].terminals == 1
    except (GgpError, GdlError, ImportError) as error:
        return Finding(what, False, "does not answer", str(error))
    how = f"answers; its lanes run on {preferred().label}"
    return Finding(what, works, how if works else "gives wrong answers")


def _cache() -> Finding:
    """Whether compiled games can be kept."""
    what, kept = "the cache of compiled games", cache()
    if kept.folder is None:
        return Finding(what, True, f"off; ${VARIABLE} may name a folder")
    problem = kept.look()
    advice = f"Have ${VARIABLE} name a folder of your own, or say `off`." if problem else ""
    return Finding(what, not problem, f"{kept.folder}: {problem or kept.content()}", advice)


def _prolog() -> Finding:
    """Whether the reasoner really answers."""
    what = "the Prolog machine"
    try:
        machine = PrologMachine(load(Source(_PROBE)), Limits(seconds=20))
    except MachineError as error:
        return Finding(what, False, "does not answer", str(error))
    try:
        after = machine.next(machine.initial(), tuple(moves[0] for moves in machine.situation(machine.initial()).legal))
        works = machine.situation(after).terminal
    finally:
        machine.close()
    return Finding(what, works, "answers" if works else "gives wrong answers")

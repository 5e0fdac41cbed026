"""Check descriptions against the laws of GDL.

Every problem is printed with its place and a caret under it. Errors leave the description without a meaning; warnings
are about what real servers would play. Random plays look for breaches that only play can show; where the rules make them
slow, fewer plays are looked at, and the last line says so. The laws have numbers; `ggp check --laws` lists them.

What shall be so in every position is asserted as a formula of GDL, for all values of its variables: it is refuted with a
line of play, or proved, or said to have held in so many positions of random play.

  ggp check games/nim.kif
  ggp check --plays 0 --json *.kif
  ggp check tic_tac_toe --assert "(not (and (true (marked ?x ?y x)) (true (marked ?x ?y o))))"
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from gdl import DescriptionError, GdlError, GroundingError, Law, Problem, Ruleset, Source, UnreadableError, check, parse
from gdl.grounding import GroundLimits
from gdl.laws.ground import ground_cycle
from gdl.laws.possible import problems_without_play
from ggp.commands import options as shared
from ggp.core.errors import CircuitError, MachineError, PrologMissingError
from ggp.core.library import game_file
from ggp.machines import PrologMachine
from ggp.machines.asserted import Verdict, assertions
from ggp.machines.playcheck import Checked, playcheck


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp check`."""
    parser.add_argument("files", nargs="*", metavar="GAME", help=shared.GAME)
    parser.add_argument(
        "--plays", type=shared.count, default=3, metavar="N", help="random plays of each game (default: 3)"
    )
    parser.add_argument(
        "--budget", type=shared.positive_float, default=50.0, metavar="M",
        help="millions of steps of Prolog that the plays of one game may take (default: 50, about five seconds)",
    )  # fmt: skip
    parser.add_argument(
        "--assert", dest="assertions", action="append", default=[], metavar="FORMULA",
        help='what holds in every position, for all values of its variables: "(not (and terminal (true (turns 0))))"; '
        "may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--strict", action="store_true", help="count warnings as errors, and assertions that are not proved as refuted"
    )
    parser.add_argument("--json", action="store_true", help="print a list of objects, one for each file")
    parser.add_argument("--laws", action="store_true", help="list the laws and stop")
    parser.add_argument("--time-limit", type=shared.positive_float, default=20.0, metavar="S",
                        help="seconds for one question to Prolog (default: 20)")  # fmt: skip
    parser.add_argument("--memory-limit", type=shared.positive_float, default=4.0, metavar="GB",
                        help="memory of the Prolog process (default: 4)")  # fmt: skip


def run(options: Namespace) -> int:
    """Check every file; 1 if one has errors, 2 if one cannot be read, 3 if assertions cannot be decided."""
    if options.laws:
        for law in Law:
            print(f"{law.number:3}  {law.title}")
        return 0
    if not options.files:
        print("ggp check: no file given", file=sys.stderr)
        return 2
    worst, reports = 0, []
    for file in options.files:
        code, report = _look(options, file)
        worst = max(worst, code)
        reports += [report] if report else []
    if options.json:
        print(json.dumps(reports, indent=1))
    return worst


def _look(options: Namespace, file: str) -> tuple[int, dict[str, object] | None]:
    """Check one file, and print what is wrong unless JSON is wanted: the exit code, and the report if there is one."""
    code = 0
    try:
        ruleset = check(parse(Source.read(game_file(file))))
        verdicts = _asserted(options, ruleset)
    except UnreadableError as error:
        print(f"ggp: {error}", file=sys.stderr)
        return 2, None
    except DescriptionError as error:
        print(f"ggp: {file}: an assertion has no meaning here\n{error}", file=sys.stderr)
        return 2, None
    except (GroundingError, CircuitError) as error:
        print(f"ggp: {file}: the assertions cannot be decided: {error}", file=sys.stderr)
        code, verdicts = 3, []
    checked = _played(options, ruleset)
    problems = (*problems_without_play(ruleset), *ground_cycle(ruleset, _limits(options)), *checked.problems)
    errors = sum(p.is_error for p in problems)
    warnings = len(problems) - errors
    wrong = ("refuted", "held") if options.strict else ("refuted",)
    if errors or (options.strict and warnings) or any(verdict.verdict in wrong for verdict in verdicts):
        code = max(code, 1)
    if not options.json:
        for problem in problems:
            print(problem.render())
        for verdict in verdicts:
            print(f"{file}: " + "\n".join(verdict.lines(ruleset.roles)))
        left = f"; {_spent(options, checked)}" if checked.ran_out else ""
        print(f"{file}: {_number(errors, 'error')}, {_number(warnings, 'warning')}{left}")
    return code, {**_report(file, problems), "plays": checked.plays, "assertions": [v.data() for v in verdicts]}


def _played(options: Namespace, ruleset: Ruleset) -> Checked:
    """What plays show, where there is something to play and something to play it with."""
    nothing = Checked((), 0, False)
    if options.plays == 0 or any(p.is_error for p in ruleset.problems):
        return nothing
    try:
        machine = PrologMachine(ruleset, shared.limits(options), goals_within=False)
    except PrologMissingError as error:
        print(f"ggp: laws 20 to 23 are not checked. {error}", file=sys.stderr)
        return nothing
    except (MachineError, GdlError) as error:
        message = f"the rules cannot be loaded: {error}"
        return replace(nothing, problems=(Problem(Law.TERMINATION, False, message, ruleset.source, -1),))
    try:
        return playcheck(ruleset, machine, options.plays, options.budget * 1e6)
    finally:
        machine.close()


def _asserted(options: Namespace, ruleset: Ruleset) -> list[Verdict]:
    """What became of the assertions, where nothing worse is wrong."""
    if not options.assertions or any(p.is_error for p in ruleset.problems):
        return []
    return assertions(ruleset, options.assertions, _limits(options))


def _limits(options: Namespace) -> GroundLimits:
    """What grounding may use."""
    return GroundLimits(seconds=options.time_limit, bytes=int(options.memory_limit * 2**30))


def _spent(options: Namespace, checked: Checked) -> str:
    """How far the plays came."""
    return f"{checked.plays} of {_number(options.plays, 'play')} within {options.budget:g} million steps of Prolog"


def _number(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def _report(file: str, problems: tuple[Problem, ...]) -> dict[str, object]:
    return {
        "file": file,
        "errors": sum(p.is_error for p in problems),
        "problems": [
            {
                "law": p.law.number,
                "severity": p.severity,
                "message": p.message,
                "line": p.place.line if p.at >= 0 else None,
                "column": p.place.column if p.at >= 0 else None,
            }
            for p in problems
        ],
    }

"""Step through a match record, and verify it by the rules.

Every move must be legal, every position the one that the rules give, goals, lengths and times as they must be. A match
that was not finished has a partial record, which is as good as far as it goes. The rules are those that the record
carries, or those of --game. In place of a record, a directory means the newest record in it.

The exit code is 1 if something is wrong, which is told with its place.

  ggp replay records/nim.1.1795017671486044.json --pause 0.5
  ggp replay --brief records
  ggp replay --thoughts records
  ggp replay theirs.json --game games/connect_four.kif
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gdl import load
from gdl.terms import kif
from ggp.commands import options as shared
from ggp.core.errors import RecordError, UsageError
from ggp.core.library import game_file
from ggp.machines.machine import JointMove
from ggp.match.faults import printable
from ggp.match.record import Record, read_record
from ggp.match.verify import Replay, rules_of

if TYPE_CHECKING:
    from ggp.commands.showing import Thought


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp replay`."""
    parser.add_argument("records", metavar="RECORD", nargs="+", type=Path)
    parser.add_argument(
        "--game", metavar="FILE", help="the rules, where the record carries none or you trust others more"
    )
    parser.add_argument("--brief", action="store_true", help="only verify, do not show the positions")
    parser.add_argument("--thoughts", action="store_true",
                        help="what players told of their moves, a line each, in place of the positions")  # fmt: skip
    parser.add_argument("--pause", type=float, default=0.0, metavar="S", help="seconds to wait at each step")
    parser.add_argument("--json", action="store_true", help="print what was found as an object for each record")
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Replay records; 1 if one of them is wrong."""
    good = [_replay(options, _newest(path) if path.is_dir() else path) for path in options.records]
    return 0 if all(good) else 1


def _newest(directory: Path) -> Path:
    found = sorted(directory.glob("*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    if not found:
        raise UsageError(f"{directory}: there are no records here")
    return found[-1]


def _replay(options: Namespace, path: Path) -> bool:
    from ggp.commands.showing import Show  # rich takes a while: only where something is shown

    try:
        record = read_record(path)
        ruleset = load(game_file(options.game) if options.game else rules_of(record, str(path)))
    except RecordError as error:
        _tell(options, path, None, [str(error)])
        return False
    with ExitStack() as stack:
        machine = stack.enter_context(shared.machine(options, ruleset))
        replay = Replay(record, machine)
        show, tells_thoughts = None, options.thoughts and not options.json
        if tells_thoughts:
            print(_headline(record, ruleset.roles))
        elif not options.brief and not options.json:
            show = stack.enter_context(Show(ruleset, _headline(record, ruleset.roles)))
        last = None
        for step in replay.steps():
            if show is not None:
                codes = record.errors[step.number - 1] if 0 < step.number <= len(record.errors) else []
                faults = zip(ruleset.roles, codes, strict=False)
                notes = [f"{role}: {code}" for role, code in faults if code]
                show.position(
                    step.number, step.fluents, last, notes, legal=step.situation.legal,
                    thoughts=_thoughts(record, step.number), over=step.situation.terminal,
                )  # fmt: skip
                time.sleep(options.pause)
            elif tells_thoughts and last is not None:
                for line in _told(ruleset.roles, step.number, last, _thoughts(record, step.number)):
                    print(line)
            last = step.joint
    _tell(options, path, record, [f"{path}: {complaint}" for complaint in replay.complaints])
    return not replay.complaints


def _thoughts(record: Record, number: int) -> list[Thought]:
    """What the players told of the joint move that led to a position; nothing where the record does not hold it."""
    from ggp.commands.showing import Thought

    reports, times = (record.more.get(key) for key in ("x-reports", "x-replyTimes"))
    if not (isinstance(reports, list) and isinstance(times, list) and 0 < number <= min(len(reports), len(times))):
        return []
    pairs = zip(times[number - 1], reports[number - 1], strict=False)
    return [Thought(time / 1000, report) for time, report in pairs if isinstance(report, dict)]


def _told(roles: tuple[str, ...], number: int, joint: JointMove, thoughts: list[Thought]) -> Iterator[str]:
    """A line for each player that told what it expects, and how it searched."""
    for role, move, thought in zip(roles, joint, thoughts, strict=False):
        expected, simulations = (thought.report.get(key) for key in ("expected", "simulations"))
        if isinstance(expected, int | float) and isinstance(simulations, int):
            sure = "sure" if thought.report.get("proven") is True else ""
            how = printable(str(thought.report.get("options", "")), 100)
            cells = f"{number:4}  {role:{max(map(len, roles))}}  {expected:6.1f} {sure:4}  {simulations:11,} simulations"
            yield f"{cells}  {thought.seconds:6.2f} s  {kif(move)}  {how}".rstrip()


def _headline(record: Record, roles: tuple[str, ...]) -> str:
    names = record.players if len(record.players) == len(roles) else ["?"] * len(roles)
    versus = ", ".join(f"{role}: {name}" for role, name in zip(roles, names, strict=True))
    return f"{record.game}  ({versus})  {when(record)}  match {record.match_id}"


def when(record: Record) -> str:
    """When the match began, in local time."""
    try:
        return datetime.fromtimestamp(record.start_time / 1000).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"


def _tell(options: Namespace, path: Path, record: Record | None, complaints: list[str]) -> None:
    """Say what became of a record: good news on standard output, bad news on standard error."""
    if options.json:
        found = {"record": str(path), "verified": not complaints, "complaints": complaints}
        if record is not None:
            found |= {"match": record.match_id, "game": record.game, "players": record.players}
            found |= {"moves": len(record.moves), "ending": record.ending, "faults": record.faults}
            found |= {} if record.result is None else {"goals": record.result}
        print(json.dumps(found))
        return
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if record is None or complaints:
        print(f"{path}: not verified", file=sys.stderr)
        return
    moves = f"{len(record.moves)} joint move{'' if len(record.moves) == 1 else 's'}"
    resigned = f"{record.ending}, " if record.goals is None else ""
    goals = "not finished" if record.result is None else f"goals {' '.join(map(str, record.result))}"
    faults = f", {record.faults} fault{'' if record.faults == 1 else 's'}" if record.faults else ""
    print(f"{path}: verified, {moves}, {resigned}{goals}{faults}")

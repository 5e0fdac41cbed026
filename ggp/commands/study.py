"""Study a game, so that matches of it begin with what was learned.

Without --against, the game is searched where it is likely to be played: from its first position, or from the one that
--moves leads to. With it, players meet in matches, and what their searches find is kept. With --records, the positions
that recorded matches came to are searched, those of `ggp import --matches` among them. Each goes on where the last one
stopped; Ctrl-C ends it and keeps what was learned, and so does whatever else ends it, but for the last second.
Several may run at once, of one game too.

What is learned lies in the folder that the environment variable GGP_KNOWLEDGE names, else in
~/.local/share/ggp/knowledge. It is found again under any names that a server gives the game. `ggp play` consults it;
other players do with the option knowledge=yes. `ggp knowledge` shows it, and merges that of several machines.

  ggp study connect_four --minutes 10
  ggp study connect_four --minutes 5 --moves "(drop 4) noop  noop (drop 4)"
  ggp study connect_four --minutes 10 --records imported
  ggp study nim --minutes 1 --player ucd:seconds=0.2 --against greedy
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gdl import Ruleset, load
from ggp.commands import options as shared
from ggp.commands.moves import add_moves, follow
from ggp.core.errors import KnowledgeError, UsageError
from ggp.core.library import game_file
from ggp.core.progress import Rhythm, Status, Tell, duration
from ggp.players.specs import DEFAULT_PLAYER, SEARCHING, is_address, split_spec

if TYPE_CHECKING:
    from ggp.knowledge.base import Base
    from ggp.knowledge.names import Codes
    from ggp.knowledge.shelf import Shelf
    from ggp.lab.study import Learned, Study
    from ggp.lab.training import Training
    from ggp.machines.circuit import CircuitMachine


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp study`."""
    shared.add_game(parser)
    parser.add_argument("--minutes", type=shared.positive_float, default=1.0, metavar="M",
                        help="how long (default: %(default)g)")  # fmt: skip
    add_moves(parser)
    parser.add_argument("--player", default=DEFAULT_PLAYER, metavar="SPEC",
                        help="who searches: ucd:memory=4000,threads=2 (default: %(default)s)")  # fmt: skip
    parser.add_argument(
        "--against", metavar="PLAYER", help="play matches with this one: ucd, greedy, http://HOST:PORT, …"
    )
    parser.add_argument("--records", type=Path, metavar="FOLDER",
                        help="search the positions of recorded matches, those of most matches first")  # fmt: skip
    parser.add_argument("--playclock", type=shared.clock, default=1, metavar="S",
                        help="seconds for each move of matches (default: %(default)s)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print an object: what was learned, and what is known now")
    shared.explain_players(parser)
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_progress(parser)


def run(options: Namespace) -> int:
    """Study until the time is over or Ctrl-C comes."""
    ruleset = load(game_file(options.file))
    _check(options, ruleset)
    from ggp.knowledge.names import Codes, Names  # numpy and numba take a second
    from ggp.knowledge.shelf import shelf
    from ggp.machines.kept import compiled

    with Status(options.progress) as status:
        machine = compiled(ruleset, tell=status.show)
        start = follow(ruleset, machine, options.moves)
        names, place = Names(ruleset), shelf()
        base = place.base(names.game, names.roles, Path(options.file).stem)
        base.prepare()
        what = "training" if options.against else "study"
        place.log(f"{what} begins", base, player=options.player, against=options.against, minutes=options.minutes)
        status.show("loading what a search needs")
        work = _work(options, ruleset, machine, Codes(names, machine), base)
        rhythm = Rhythm()

        def tell(text: str) -> None:
            if status.live or rhythm.due():
                status.show(text)

        try:
            seconds = 60 * options.minutes
            if options.records is None:
                work.run(start, seconds, tell)
            else:
                _follow(options, ruleset, machine, work, tell)
        finally:
            status.show("")
            _end(options, place, base, what, work.learned)
    return 0


def _follow(options: Namespace, ruleset: Ruleset, machine: CircuitMachine, work: Study | Training, tell: Tell) -> None:
    """Study what matches came to."""
    from ggp.lab.recorded import recorded
    from ggp.lab.study import Study

    found = recorded(options.records, ruleset, machine)
    if found.others or found.unreadable:
        print(f"ggp: {options.records}: {found.others} of other games, {found.unreadable} unreadable", file=sys.stderr)
    if not found.matches:
        raise UsageError(f"--records: {options.records} has no match of this game")
    assert isinstance(work, Study)
    work.learned.recorded = found.matches
    work.follow(found.positions, 60 * options.minutes, tell)


def _check(options: Namespace, ruleset: Ruleset) -> None:
    """Refuse what makes no sense, before anything takes time."""
    from ggp.match.builtin import check_player

    for player in (options.player, options.against):
        if player is not None:
            check_player(player)
    if options.against is None and (is_address(options.player) or split_spec(options.player)[0] not in SEARCHING):
        raise UsageError(f"--player: {options.player} does not search; one that does is among {', '.join(SEARCHING)}")
    if options.records is not None and (options.against is not None or options.moves):
        raise UsageError("--records goes neither with --against nor with --moves: it says what is searched")
    if options.against is not None and options.moves:
        raise UsageError("--moves is for a study without --against: matches begin where the game does")
    if ruleset.has_hidden_information:
        raise UsageError("in a game of hidden information no player knows the position: nothing is learned of it")


def _work(
    options: Namespace, ruleset: Ruleset, machine: CircuitMachine, codes: Codes, base: Base
) -> Study | Training:  # fmt: skip
    """What is to be done."""
    from ggp.analysis.judged import settled
    from ggp.lab.study import Study
    from ggp.lab.training import Training
    from ggp.search.presets import search_options

    if options.against is not None:
        players = options.player, options.against
        return Training(ruleset, machine, codes, base, players, options.playclock, options.steps, options.seed)
    name, wanted = split_spec(options.player)
    settings, thinking = search_options(name, wanted)
    return Study(machine, codes, base, settled(machine, settings).settings, thinking, options.seed)


def _end(options: Namespace, place: Shelf, base: Base, what: str, learned: Learned) -> None:
    """Note in the log what came of it, and tell it."""
    data = learned.as_data()
    try:
        place.log(f"{what} ends", base, **data)
    except KnowledgeError as error:
        print(f"ggp: {error}", file=sys.stderr)
    known = len(base)
    if options.json:
        print(json.dumps({"game": base.name, "what": what, **data, "known": known, "base": str(base.path)}, indent=1))
        return
    times = f"{learned.matches:,} matches" if what == "training" else f"{learned.simulations:,} simulations"
    print(f"{base.name}: {duration(learned.seconds)} of {what}, {times}: {learned.kept:,} records, "
          f"{learned.new:,} of new positions, {learned.proven:,} proofs")  # fmt: skip
    print(f"known now: {known:,} positions, in {base.path}")

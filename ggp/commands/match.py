"""Play a match under a game master, with a live board in the terminal.

Players are named in the order of the roles: a built-in player, or the address of any player over HTTP. Roles without a
player are played by `random`, and the role random by the game master. Without any --player, ucd plays every role.

Built-in players play in this process. The game is compiled once for all of them; they are asked one after the other, and
each has its own share of the start clock and its own clock for every move. --http starts a process for each, which speaks
HTTP, compiles for itself and thinks on the clocks of the others, too. So it is without any --player in games with hidden
information: who plays in this process knows the whole position.

With --player human, you play in this terminal. Type the number of a move, or as much of it as no other move has (Tab
completes it), or `help`, `moves`, `board`, `hint`, `undo`, `history`, `resign`, `quit`. Roles without a player are then
played by ucd in this process, and have two seconds to prepare. Several humans share the terminal. People take as long as
they like; --timed holds them to the play clock as well.

A move that is late, missing or illegal is replaced by a random legal one. Matches over HTTP, and those without any
--player, are recorded in records/, others where --record says; a record grows with the match, and `ggp replay` verifies
it.

  ggp match games/tic_tac_toe.kif
  ggp match games/tic_tac_toe.kif --http
  ggp match games/connect_four.kif --player human
  ggp match games/othello.kif --player greedy --player random --seed 5 --pause 0.5
  ggp match games/connect_four.kif --player http://localhost:9147 --player legal --playclock 10
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl import Ruleset, kif, load
from gdl.ruleset import CHANCE
from ggp.commands import human
from ggp.commands import options as shared
from ggp.core.errors import UsageError
from ggp.core.library import game_file
from ggp.core.seeds import split_seed
from ggp.machines import Machine
from ggp.machines.plays import Ending
from ggp.match.builtin import check_player
from ggp.match.chronicle import Chronicle, begin, new_identity
from ggp.match.master import GameMaster, MatchSettings, Moment
from ggp.match.ownplayers import own_players
from ggp.match.seats import Clocks, LocalSeat
from ggp.match.table import greet, make_seats, specs_for
from ggp.match.telling import GDL2_FORMS
from ggp.players.specs import DEFAULT_PLAYER, HUMAN, PLAYERS, is_address

if TYPE_CHECKING:
    from ggp.human.host import Host

RECORDS = Path("records")
"""Where matches are recorded that go over HTTP, or for which nobody was named."""
_PATIENCE = 2.0
"""Seconds that the circuit is waited for: in most games it is there by then, and Prolog is never started."""
_HELLO = 3.0
"""Seconds that players have to say who they are."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp match`."""
    shared.add_game(parser)
    parser.add_argument("--player", action="append", default=[], metavar="PLAYER", dest="players",
                        help=f"a player for the next role: {', '.join(PLAYERS)}, http://HOST:PORT, "
                        f"a program for this game, as gtp:gnugo or uci:stockfish, or {HUMAN}: you, here")  # fmt: skip
    parser.add_argument("--http", action="store_true", help="run built-in players as processes that speak HTTP")
    add_clocks(parser)
    parser.set_defaults(startclock=None)  # it hangs on who plays
    human.add_arguments(parser)
    parser.add_argument("--previewclock", type=shared.count, metavar="S", help="show the rules before, for S seconds")
    parser.add_argument(
        "--record", type=Path, metavar="PLACE", help="where to record the match: a directory or NAME.json"
    )
    parser.add_argument("--no-record", action="store_true", help="record nothing")
    parser.add_argument("--match-id", metavar="ID", help="the match's id (default: game, seed and time)")
    parser.add_argument("--game-url", metavar="URL", help="gameMetaURL of the record, as servers know the game")
    parser.add_argument("--pause", type=float, default=0.0, metavar="S", help="seconds to wait at each step")
    parser.add_argument("--json", action="store_true", help="print the moves and the result as an object")
    shared.explain_players(parser)
    shared.add_seed(parser)
    shared.add_steps(parser)
    shared.add_machine(parser)


def add_clocks(parser: ArgumentParser) -> None:
    """The options of whoever runs matches: clocks, and what players are told."""
    parser.add_argument("--startclock", type=shared.clock, default=Clocks.start, metavar="S",
                        help=f"seconds to prepare (default: {Clocks.start})")  # fmt: skip
    parser.add_argument("--playclock", type=shared.clock, default=Clocks.play, metavar="S",
                        help="seconds for each move (default: %(default)s); fractions, as 0.5, are for players that "
                        "know them: START has whole seconds elsewhere")  # fmt: skip
    parser.add_argument("--allowance", type=shared.positive_float, default=Clocks.allowance, metavar="S",
                        help="seconds beyond a clock before a reply is late (default: %(default)g)")  # fmt: skip
    parser.add_argument("--scramble", action="store_true", help="rename the game for each player over HTTP")
    parser.add_argument("--gdl2-form", choices=GDL2_FORMS, default=GDL2_FORMS[0],
                        help="how games with hidden information are told (default: %(default)s)")  # fmt: skip


def run(options: Namespace) -> int:
    """Play one match; 1 if it did not come to a terminal position."""
    ruleset = load(game_file(options.file))
    specs = _specs(options, ruleset)
    over_http = options.http or (not options.players and ruleset.has_hidden_information)
    if options.scramble and not (over_http or any(map(is_address, specs))):
        raise UsageError("--scramble is for players over HTTP, and there is none: --http makes those of ours speak it")
    for player in options.players:
        if player != HUMAN:
            check_player(player, ruleset)
    from ggp.commands.showing import ended_by_signals  # rich takes a while: only where something is shown

    with ExitStack() as stack:
        stack.enter_context(ended_by_signals())
        machine = stack.enter_context(shared.machine(options, ruleset, patience=_PATIENCE))
        machine.situation(machine.initial())  # a game that cannot be played is told before anybody is started
        places = specs
        if over_http:
            places = stack.enter_context(_over_http(options, ruleset, specs))
        host = human.open_host(options, ruleset, machine, specs)
        master = stack.enter_context(_master(options, ruleset, machine, specs, places, host))
        if host is not None:
            moments = human.play(host, master, _headline(options, ruleset, master), options.pause)
        else:
            moments = [*master.moments()] if options.json else _show(options, ruleset, machine, master)
        place = master.chronicle.close()
    last = moments[-1]
    if options.json:
        _print_json(options, ruleset, moments, master.chronicle, place)
    elif place is not None:
        print(f"record: {place}")
    return 0 if last.ending is Ending.TERMINAL else 1


def _specs(options: Namespace, ruleset: Ruleset) -> list[str]:
    """Who plays each role; settles the start clock, which hangs on whether people play."""
    has_people = human.check(options)
    options.startclock = options.startclock or (human.START_CLOCK if has_people else Clocks.start)
    if not options.players:
        return _ours(ruleset)
    return specs_for(ruleset, options.players, DEFAULT_PLAYER if has_people else "random")


def _ours(ruleset: Ruleset) -> list[str]:
    """A player of ours for each role."""
    return [CHANCE if role == CHANCE else DEFAULT_PLAYER for role in ruleset.roles]


@contextmanager
def _over_http(options: Namespace, ruleset: Ruleset, specs: list[str]) -> Iterator[list[str]]:
    """Start a process for each built-in player; the addresses in their place."""
    roles = zip(ruleset.roles, specs, strict=True)
    ours = [n for n, (role, spec) in enumerate(roles) if role != CHANCE and spec != HUMAN and not is_address(spec)]
    arguments = [
        ["--player", specs[n], "--name", f"{specs[n]}-{n + 1}", "--seed", str(split_seed(options.seed, "player", n))]
        for n in ours
    ]
    with own_players(arguments) as started:
        urls = dict(zip(ours, (player.url() for player in started), strict=True))
        yield [urls.get(number, spec) for number, spec in enumerate(specs)]


@contextmanager
def _master(
    options: Namespace, ruleset: Ruleset, machine: Machine[Any], specs: list[str], places: list[str], host: Host | None
) -> Iterator[GameMaster]:  # fmt: skip
    """The game master of the match, with everybody at the table: `specs` are who was asked for, `places` where."""
    clocks = Clocks(options.startclock, options.playclock, options.allowance)
    identity = new_identity(Path(options.file).stem, options.seed, options.match_id, options.game_url)

    seats = make_seats(
        ruleset, machine, places, identity.match_id, clocks, options.seed, options.scramble, options.gdl2_form,
        human.seats(host, clocks, options.timed),
    )  # fmt: skip
    greet(seats, _HELLO, _warn)
    usual = RECORDS if any(map(is_address, places)) or not options.players else None
    recorded = None if options.no_record else options.record or usual
    chronicle = begin(
        identity, ruleset, [seat.name for seat in seats], specs, start_clock=clocks.start, play_clock=clocks.play,
        scrambled=options.scramble, place=recorded, warn=_warn,
    )  # fmt: skip
    settings = MatchSettings(clocks, options.seed, options.steps, options.previewclock)
    try:
        with GameMaster(ruleset, machine, seats, chronicle, settings) as master, _telling_of(chronicle):
            yield master
    finally:
        chronicle.close()


@contextmanager
def _telling_of(chronicle: Chronicle) -> Iterator[None]:
    """Say where the record is of a match that is left, before it is marked as aborted: a slow disk may outlast Ctrl-C."""
    try:
        yield
    except UsageError:
        raise  # it has not begun: what is in that place is another match's
    except BaseException:
        if chronicle.place is not None and chronicle.place.exists():
            print(f"\nggp: the match was not finished; its record: {chronicle.place}", file=sys.stderr)
        raise


def _warn(text: str) -> None:
    print(f"ggp: {text}", file=sys.stderr)


def _headline(options: Namespace, ruleset: Ruleset, master: GameMaster) -> str:
    versus = ", ".join(f"{role}: {seat.name}" for role, seat in zip(ruleset.roles, master.seats, strict=True))
    return f"{options.file}  ({versus}, seed {options.seed})"


def _show(options: Namespace, ruleset: Ruleset, machine: Machine[Any], master: GameMaster) -> list[Moment]:
    """Play with the position on the screen."""
    from ggp.commands.showing import Show, Thought

    names = [seat.name for seat in master.seats]
    moments: list[Moment] = []
    clocks = f"clocks {options.startclock} and {options.playclock} s"
    with Show(ruleset, f"{_headline(options, ruleset, master)}, {clocks}", options.playclock) as show:
        for moment in master.moments():
            moments.append(moment)
            faults = zip(ruleset.roles, names, moment.faults, strict=True)
            notes = [f"{name} ({role}): {fault.message}" for role, name, fault in faults if fault is not None]
            show.position(
                moment.number, machine.fluents(moment.position), moment.last, notes, legal=moment.situation.legal,
                thoughts=[Thought(answer.seconds, answer.report) for answer in moment.answers],
                over=moment.ending is not None, due=_due(options, master, moment),
            )  # fmt: skip
            if moment.ending is None:
                time.sleep(options.pause)
    last = moments[-1]
    assert last.ending is not None
    goals = ", ".join(f"{role} {value}" for role, value in zip(ruleset.roles, last.goals, strict=True))
    show.close(f"{last.ending.value} after {last.number} steps. goals: {goals}")
    return moments


def _due(options: Namespace, master: GameMaster, moment: Moment) -> float:
    """Seconds until everybody has chosen at the latest: who plays in this process is asked after the one before."""
    choosing = [
        seat
        for seat, legal in zip(master.seats, moment.situation.legal, strict=True)
        if isinstance(seat, LocalSeat) and len(legal) > 1
    ]
    seconds: float = options.playclock * max(1, len(choosing))
    return seconds if moment.number else options.startclock + seconds


def _print_json(
    options: Namespace, ruleset: Ruleset, moments: list[Moment], chronicle: Chronicle, place: Path | None
) -> None:  # fmt: skip
    last = moments[-1]
    result = {
        "game": options.file,
        "seed": options.seed,
        "players": dict(zip(ruleset.roles, chronicle.record.players, strict=True)),
        "moves": [[kif(move) for move in moment.last] for moment in moments if moment.last is not None],
        "ending": last.ending.name.lower() if last.ending else None,
        "goals": dict(zip(ruleset.roles, last.goals, strict=True)),
        "faults": chronicle.record.more["x-faults"],
    }
    if place is not None:
        result["record"] = str(place)
    print(json.dumps(result, indent=1))

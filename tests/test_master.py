"""The course of a match, against players that do well and badly, on real sockets and in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from gdl import Ruleset, kif, load
from ggp.core.errors import UsageError
from ggp.machines import PrologMachine
from ggp.machines.machine import Event
from ggp.machines.plays import Ending
from ggp.match.chronicle import begin, new_identity
from ggp.match.master import GameMaster, MatchSettings, Moment
from ggp.match.messages import Play, Start, Stop, parse_message
from ggp.match.record import Record, parse_record
from ggp.match.seats import Clocks
from ggp.match.table import greet, make_seats, specs_for
from ggp.match.verify import Replay
from tests.fakes import Behaviour, Fake, answering, http, serve
from tests.helpers import GAMES, TINY, ruleset

PAIR = """
(role left) (role right)
(init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal left a) (legal left (b 1)) (legal right a) (legal right (b 1))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= (next (chose ?p ?x)) (does ?p ?x))
(<= (goal left 100) (true (chose left a)))
(<= (goal left 0) (true (chose left (b 1))))
(<= (goal right 50) (true (at ?n)))
(<= terminal (true (at 3)))
"""
"""Two roles move at the same time, three times."""

CLOCKS = Clocks(start=1, play=1, allowance=0.0)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


class Played:
    """A match that was played, and what became of it."""

    def __init__(self, moments: Sequence[Moment], record: Record, rules: Ruleset) -> None:
        self.moments = moments
        self.record = record
        self.rules = rules

    @property
    def codes(self) -> list[list[str]]:
        return self.record.errors

    def complaints(self, machine: PrologMachine) -> list[str]:
        replay = Replay(parse_record(self.record.text()), machine)
        list(replay.steps())
        return [str(complaint) for complaint in replay.complaints]


def play(
    game: str | Ruleset, players: Sequence[str], *, clocks: Clocks = CLOCKS, seed: int = 1, scrambled: bool = False,
    form: str = "turns", place: Path | None = None, steps: int = 1000, preview: int | None = None,
    watch: Callable[[Moment], None] = lambda moment: None,
) -> Played:  # fmt: skip
    rules = ruleset(game) if isinstance(game, str) else game
    identity = new_identity("test", seed, "test.1")
    with closing(PrologMachine(rules)) as machine:
        specs = specs_for(rules, players)
        seats = make_seats(rules, machine, specs, "test.1", clocks, seed, scrambled, form)
        greet(seats, 1, print)
        chronicle = begin(
            identity, rules, [seat.name for seat in seats], specs, start_clock=clocks.start, play_clock=clocks.play,
            scrambled=scrambled, place=place, warn=print,
        )  # fmt: skip
        moments = []
        with GameMaster(rules, machine, seats, chronicle, MatchSettings(clocks, seed, steps, preview)) as master:
            for moment in master.moments():
                moments.append(moment)
                watch(moment)
        chronicle.close()
        played = Played(moments, chronicle.record, rules)
        assert played.complaints(machine) == []
    return played


def player(move: str = "a", name: str = "Ann") -> Behaviour:
    """Answers every message as a good player does, always with the same move."""

    def answer(body: str) -> str:
        command = body.strip("( ").split(" ", 1)[0]
        known = {"INFO": f"( ( name {name} ) ( status available ) )", "START": "ready", "PLAY": move, "STOP": "done"}
        return known.get(command, "aborted")

    return answering(answer)


def test_a_match_between_a_player_over_http_and_one_in_this_process(stack: ExitStack, tmp_path: Path) -> None:
    fake = stack.enter_context(serve(player("( B  1 )")))
    played = play(PAIR, [fake.url, "legal"], place=tmp_path / "m.json")
    assert [moment.number for moment in played.moments] == [0, 1, 2, 3]
    assert played.moments[-1].ending is Ending.TERMINAL
    assert played.record.moves == [["(b 1)", "(b 1)"]] * 3
    assert played.record.goals == [0, 50]
    assert played.record.players == ["Ann", "legal"]
    assert played.codes == [["", ""]] * 3
    assert parse_record((tmp_path / "m.json").read_text()) == played.record
    start = parse_message(fake.requests[1])
    assert isinstance(start, Start)
    assert (start.match, start.role, start.start_clock, start.play_clock) == ("test.1", "left", 1, 1)
    told = "test.1 ((b 1) (b 1))"
    assert fake.requests[2:] == ["( PLAY test.1 NIL )", f"( PLAY {told} )", f"( PLAY {told} )", f"( STOP {told} )"]
    for line in ("GGP-Match-ID: test.1", "GGP-Match-Step: 2", "Receiver: Ann", "Content-Type: text/acl"):
        assert line in fake.heads[4]


def test_all_players_over_http_are_asked_at_once(stack: ExitStack) -> None:
    both = threading.Barrier(2)

    def behave(body: str) -> str:
        if body.startswith("( PLAY"):
            both.wait(timeout=5)  # neither is answered before both were asked
        return "a"

    urls = [stack.enter_context(serve(answering(behave))).url for _ in range(2)]
    assert play(PAIR, urls, clocks=Clocks(2, 5, 1)).codes == [["", ""]] * 3


def hang(connection: object, _: str) -> None:
    time.sleep(1.6)


FAULTY: dict[str, tuple[Behaviour, str]] = {
    "late": (hang, "TO"),
    "closes early": (lambda connection, _: None, "CE"),
    "an error page": (lambda connection, _: connection.sendall(http("oops", "500 No")), "CE"),
    "a hundred megabytes": (
        lambda connection, _: connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + b"a" * 100_000_000), "CE",
    ),
    "illegal": (answering(lambda body: "( b\n 2 )"), "IL ( b 2 )"),
    "garbage": (answering(lambda body: "((((\x1b[2J"), "IL ((((?[2J"),
    "nothing": (answering(lambda body: ""), "IL"),
    "busy": (answering(lambda body: "busy"), "IL busy"),
    "a variable": (answering(lambda body: "?x"), "IL ?x"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTY)
def test_a_bad_or_missing_move_is_replaced_by_a_random_legal_one(name: str, stack: ExitStack) -> None:
    behaviour, code = FAULTY[name]
    good, asked = player(), 0

    def behave(connection: object, body: str) -> None:
        nonlocal asked
        asked += body.startswith("( PLAY")
        bad = body.startswith("( PLAY") and asked == 2
        (behaviour if bad else good)(connection, body)  # type: ignore[arg-type]

    fake = stack.enter_context(serve(behave))
    played = play(PAIR, [fake.url, "legal"], seed=4)
    found = played.codes[1][0]
    assert found == code or (name == "a hundred megabytes" and found == "TO")  # a busy machine is late with so much
    assert played.codes == [["", ""], [found, ""], ["", ""]]
    assert played.record.moves[1][0] in ("a", "(b 1)")
    (told,) = played.record.more["x-faults"]
    assert (told["phase"], told["step"], told["role"], told["fault"]) == ("play", 1, "left", code)
    assert fake.requests[-1] == f"( STOP test.1 ({' '.join(played.record.moves[-1])}) )"


def test_the_same_seed_replaces_missing_moves_by_the_same_ones(stack: ExitStack) -> None:
    fake = stack.enter_context(serve(player("busy")))
    moves = [play(PAIR, [fake.url, "random"], seed=seed).record.moves for seed in (1, 1, 2, 3, 4, 5)]
    assert moves[0] == moves[1]
    assert len({str(each) for each in moves}) > 1


def test_a_player_that_fails_at_start_and_stop_is_played_all_the_same(stack: ExitStack) -> None:
    good = player()

    def behave(connection: object, body: str) -> None:
        if not body.startswith(("( START", "( STOP")):
            good(connection, body)  # type: ignore[arg-type]

    fake = stack.enter_context(serve(behave))
    played = play(PAIR, [fake.url])
    assert played.record.is_completed and played.codes == [["", ""]] * 3
    assert [(fault["phase"], fault["step"], fault["fault"]) for fault in played.record.more["x-faults"]] == [
        ("start", 0, "CE"), ("stop", 3, "CE")
    ]  # fmt: skip


def test_a_scrambled_match_is_recorded_unscrambled(stack: ExitStack) -> None:
    def one(moves: list[str]) -> str:
        def behave(body: str) -> str:
            message = parse_message(body)
            if isinstance(message, Start):
                rules = ruleset(message.rules)
                moves.append(next(kif(args[1]) for args in rules.facts("legal", 2) if kif(args[1]).startswith("(")))
            return moves[-1] if isinstance(message, Play) else "ready"

        return stack.enter_context(serve(answering(behave))).url

    said: tuple[list[str], list[str]] = ([], [])
    played = play(PAIR, [one(moves) for moves in said], scrambled=True)
    assert played.codes == [["", ""]] * 3
    assert {move for joint in played.record.moves for move in joint} == {"(b 1)"}
    assert said[0] != said[1] and ["(b 1)"] not in said
    assert played.record.more["scrambled"] is True


def test_words_of_the_unscrambled_game_are_illegal_in_a_scrambled_match(stack: ExitStack) -> None:
    fake = stack.enter_context(serve(player("a")))
    assert play(PAIR, [fake.url], scrambled=True).codes == [["IL a", ""]] * 3


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("turns", ["( PLAY test.1 0 NIL NIL )", "( PLAY test.1 1 noop () )", "( PLAY test.1 2 (choose 1) () )"]),
        ("percepts", ["( PLAY test.1 NIL )", "( PLAY test.1 () )", "( PLAY test.1 () )"]),
    ],
)
def test_hidden_information_is_told_as_percepts_only(form: str, expected: list[str], stack: ExitStack) -> None:
    script = iter(["noop", "(choose 1)", "noop", "stay"])

    def behave(body: str) -> str:
        return next(script) if body.startswith("( PLAY") else "ready"

    fake = stack.enter_context(serve(answering(behave)))
    played = play(load(GAMES / "monty_hall.kif"), [fake.url], form=form)
    assert fake.requests[2:5] == expected
    last, stop = map(parse_message, fake.requests[5:])
    assert isinstance(last, Play) and isinstance(stop, Stop)
    assert last.seen is not None and [kif(term) for term in last.seen] == [
        played.record.moves[2][1].replace("open", "opened")
    ]
    assert (last.turn, stop.turn) == ((3, 4) if form == "turns" else (None, None))
    assert played.record.players == [fake.url, "random"]


def test_chance_hangs_on_the_seed() -> None:
    monty = load(GAMES / "monty_hall.kif")
    hidden = [play(monty, ["legal"], seed=seed).record.moves[0][1] for seed in (1, 1, 2, 3, 4, 5)]
    assert hidden[0] == hidden[1]
    assert len(set(hidden)) > 1


def test_one_role_and_six_roles() -> None:
    assert play(TINY, ["legal"]).record.goals == [100]
    played = play(load(GAMES / "chinese_checkers_6.kif"), ["random"] * 6, steps=4)
    assert len(played.record.moves) == 4 and len(played.record.moves[0]) == 6


def test_a_game_that_is_over_at_once_gets_start_and_stop(stack: ExitStack) -> None:
    fake = stack.enter_context(serve(player()))
    played = play("(role me) (init over) (legal me a) (goal me 7) (<= terminal (true over))", [fake.url])
    assert fake.commands() == ["INFO", "START", "STOP"]
    assert fake.requests[-1] == "( STOP test.1 NIL )"
    assert played.record.goals == [7]


@pytest.mark.parametrize(
    ("rules", "ending"),
    [
        ("(legal me x) (<= (next a) (true a))", Ending.LIMIT),
        ("(<= (legal me x) (true a)) (<= (next c) (true a))", Ending.STUCK),
    ],
)  # fmt: skip
def test_a_match_that_does_not_end_is_aborted(rules: str, ending: Ending, stack: ExitStack) -> None:
    fake = stack.enter_context(serve(player("x")))
    played = play(f"(role me) (init a) (goal me 1) (<= terminal (true b)) {rules}", [fake.url], steps=3)
    assert played.moments[-1].ending is ending
    assert fake.commands()[-1] == "ABORT"
    assert played.record.is_aborted and not played.record.is_completed
    assert played.record.goals is None
    assert played.record.more["x-abortReason"] == ending.value


def test_whoever_stops_watching_aborts_the_match_for_everybody(stack: ExitStack, tmp_path: Path) -> None:
    fakes: list[Fake] = [stack.enter_context(serve(player())) for _ in range(2)]

    def interrupt(moment: Moment) -> None:
        if moment.number == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(PAIR, [fake.url for fake in fakes], place=tmp_path / "m.json", watch=interrupt)
    assert [fake.requests[-1] for fake in fakes] == ["( ABORT test.1 )"] * 2
    record = parse_record((tmp_path / "m.json").read_text())
    assert (record.is_aborted, len(record.moves), len(record.states)) == (True, 1, 2)
    assert record.more["x-abortReason"] == "interrupted"


def test_preview(stack: ExitStack) -> None:
    fake = stack.enter_context(serve(player()))
    play(PAIR, [fake.url], preview=1)
    assert fake.commands()[:3] == ["INFO", "PREVIEW", "START"]


def test_reports_of_players_stand_in_the_record_and_go_with_each_moment(stack: ExitStack) -> None:
    def behave(connection: object, body: str) -> None:
        report = 'X-GGP-Report: {"simulations": 12, "gone": null}\r\n' if body.startswith("( PLAY") else ""
        connection.sendall(http("a", more=report))  # type: ignore[attr-defined]

    fake = stack.enter_context(serve(behave))
    played = play(PAIR, [fake.url])
    assert played.record.more["x-reports"] == [[{"simulations": 12}, {}]] * 3
    assert [[dict(answer.report) for answer in moment.answers] for moment in played.moments] == [
        [], *[[{"simulations": 12}, {}]] * 3,
    ]  # fmt: skip


def test_a_player_that_cannot_be_reached_is_told_before_the_match() -> None:
    with pytest.raises(UsageError, match=r"the player http://127\.0\.0\.1:1 cannot be reached: connection refused"):
        play(PAIR, ["http://127.0.0.1:1"])


def test_a_player_that_does_not_answer_info_is_played(stack: ExitStack) -> None:
    good = player()

    def behave(connection: object, body: str) -> None:
        if body == "( INFO )":
            time.sleep(1.2)
        else:
            good(connection, body)  # type: ignore[arg-type]

    fake = stack.enter_context(serve(behave))
    assert play(PAIR, [fake.url]).record.players == [fake.url, "random"]


def test_what_the_machine_had_to_do_without_stands_in_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    events = [Event("circuit-ready", "unimportant"), Event("circuit-refused", "there is no circuit: too large")]
    monkeypatch.setattr(PrologMachine, "history", events)
    assert play(TINY, ["legal"]).record.more["x-events"] == ["circuit-refused: there is no circuit: too large"]


def test_the_same_seed_gives_the_same_record_but_for_times() -> None:
    def bytes_of(seed: int) -> str:
        played = play(load(GAMES / "tic_tac_toe.kif"), ["greedy", "random"], seed=seed).record
        played.state_times, played.start_time, played.random_token = [], 0, ""
        played.more["x-replyTimes"] = []
        return played.text()

    assert bytes_of(3) == bytes_of(3)
    assert bytes_of(3) != bytes_of(4)

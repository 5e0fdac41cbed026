"""Records against the rules: what is right passes, and each kind of fault is found at its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ggp.core.errors import RecordError
from ggp.match.record import Record, digest
from ggp.match.verify import Replay, check_form, rules_of
from tests.conftest import Open

GAME = """
(role x) (role y) (init (at 1))
(succ 1 2) (succ 2 3)
(legal ?p stay) (<= (legal ?p (go 1)) (role ?p))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(goal x 30) (goal y 70)
(<= terminal (true (at 3)))
"""


def good(**changes: Any) -> Record:
    """The record of a whole match."""
    record = Record(
        "m.1", 1000, "abcdefghijkl", 5, 2, "http://games.example/base/games/walk/v0/",
        states=["((at 1))", "( ( AT 2 ) )", "((at 3))"],
        moves=[["stay", "( go 1 )"], ["stay", "stay"]],
        state_times=[1000, 1000, 1002],
        errors=[["", "TO"], ["", ""]],
        is_completed=True,
        goals=[30, 70],
        players=["a", "b"],
    )  # fmt: skip
    return replace(record, **changes)


def complaints(record: Record, prolog: Open) -> list[str]:
    replay = Replay(record, prolog(GAME))
    list(replay.steps())
    return [str(complaint) for complaint in replay.complaints]


def test_a_good_record_and_its_steps(prolog: Open) -> None:
    replay = Replay(good(), prolog(GAME))
    steps = list(replay.steps())
    assert [step.number for step in steps] == [0, 1, 2]
    assert [step.joint is None for step in steps] == [False, False, True]
    assert steps[-1].situation.terminal
    assert replay.complaints == []


@pytest.mark.parametrize("length", [0, 1])
def test_a_partial_record_is_as_good(length: int, prolog: Open) -> None:
    part = good(
        states=good().states[: length + 1], state_times=[1000] * (length + 1), moves=good().moves[:length],
        errors=good().errors[:length], is_completed=False, goals=None,
    )  # fmt: skip
    assert complaints(part, prolog) == []
    assert complaints(replace(part, is_aborted=True), prolog) == []


BAD: dict[str, tuple[Callable[[], Record], str]] = {
    "a state that is not the one": (
        lambda: good(states=["((at 1))", "((at 1) (at 9))", "((at 3))"]),
        "states[1]: not what the rules say: it lacks (at 2), and should not hold (at 1) (at 9)",
    ),
    "a state with true": (
        lambda: good(states=["((true (at 1)))", "((at 2))", "((at 3))"]),
        "states[0]: fluents are recorded without `true`",
    ),
    "a state that is no list": (
        lambda: good(states=["at 1", "((at 2))", "((at 3))"]), "states[0]: a position is a list of fluents"
    ),
    "a move that is not legal": (
        lambda: good(moves=[["stay", "(go 2)"], ["stay", "stay"]]),
        "moves[0]: (go 2) is not legal for y; legal are: (go 1) stay",
    ),
    "a move that is none": (
        lambda: good(moves=[["stay", "(go"], ["stay", "stay"]]), "moves[0]: '(go', of y, is no move"
    ),
    "a move too few": (lambda: good(moves=[["stay"], ["stay", "stay"]]), "moves[0]: 1 moves for 2 roles"),
    "a move after the end": (
        lambda: good(
            moves=[["stay", "stay"]] * 3, states=[*good().states, "((at 3))"], state_times=[1000] * 4, errors=[]
        ),
        "moves[2]: the game was over before",
    ),
    "a state too few": (lambda: good(states=good().states[:2]), "states: 2 of them, but 2 moves need 3"),
    "a time too many": (lambda: good(state_times=[1000] * 4), "stateTimes: 4 of them, but 2 moves need 3"),
    "a time that runs backwards": (
        lambda: good(state_times=[1000, 1005, 1004]), "stateTimes[2]: 1004 is earlier than 1005 before it"
    ),
    "a state before the start": (
        lambda: good(state_times=[999, 1000, 1000]), "stateTimes[0]: 999 is earlier than 1000 before it"
    ),
    "other goals": (lambda: good(goals=[70, 30]), "goalValues: [70, 30], but the rules say [30, 70]"),
    "goals missing": (lambda: good(goals=None), "goalValues: missing, though the match is completed"),
    "goals too early": (lambda: good(is_completed=False), "goalValues: only a completed match has goals"),
    "completed too early": (
        lambda: good(states=good().states[:2], state_times=[1000] * 2, moves=good().moves[:1], errors=[]),
        "isCompleted: the last position is not terminal",
    ),
    "completed and aborted": (lambda: good(is_aborted=True), "isAborted: a match is completed or aborted, not both"),
    "errors missing": (lambda: good(errors=[["", ""]]), "errors: 1 of them for 2 moves"),
    "an error too few": (lambda: good(errors=[["", ""], [""]]), "errors[1]: 1 entries for 2 roles"),
    "a player too many": (lambda: good(players=["a", "b", "c"]), "playerNamesFromHost: 3 of them for 2 roles"),
    "a short token": (lambda: good(random_token="abc"), "randomToken: shorter than 12 characters"),
    "a negative clock": (lambda: good(play_clock=-1), "playClock: -1 is below 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_each_fault_is_found_at_its_place(name: str, prolog: Open) -> None:
    make, message = BAD[name]
    assert message in complaints(make(), prolog)


def test_form_needs_no_rules() -> None:
    assert list(check_form(good())) == []


def test_rules_that_a_record_carries() -> None:
    assert rules_of(good(more={"x-rules": GAME, "x-rulesSha256": digest(GAME)}), "m.json").text == GAME
    with pytest.raises(RecordError, match=r"m\.json: the record carries no rules; name the game's file with --game"):
        rules_of(good(), "m.json")
    with pytest.raises(RecordError, match="these are not the rules of the match"):
        rules_of(good(more={"x-rules": GAME + " ", "x-rulesSha256": digest(GAME)}), "m.json")

"""Which step a PLAY is about: new ones, repeated ones, and old ones that come late."""

from __future__ import annotations

import pytest

from ggp.match.steps import Steps, Told


def told(*moves: str, label: str | None = None, turn: int | None = None, percepts: bool = False) -> Told:
    return Told(moves or None, percepts, None, label, turn)


def steps(*all_told: Told) -> Steps:
    made = Steps()
    for each in all_told:
        made.add(each)
    return made


def repeated(made: Steps, again: Told, waiting: bool = False, follows: bool = True) -> int | None:
    return made.repeated(again, waiting, lambda _: follows)


def test_the_first_play_is_new_and_its_repetition_is_not() -> None:
    assert Steps().last == -1
    assert repeated(Steps(), told()) is None
    assert repeated(steps(told()), told()) == 0
    assert steps(told(), told("a", "b")).last == 1


def test_moves_that_were_not_told_before_are_new() -> None:
    assert repeated(steps(told(), told("a", "b")), told("a", "c")) is None


@pytest.mark.parametrize(
    ("waiting", "follows", "step"),
    [
        (True, True, 1),  # the answer is still to come: the message was sent again
        (False, True, None),  # the same moves, made once more
        (False, False, 1),  # they cannot follow, so this is the old message
    ],
)
def test_the_same_moves_again(waiting: bool, follows: bool, step: int | None) -> None:
    assert repeated(steps(told(), told("a", "b")), told("a", "b"), waiting, follows) == step


def test_labels_decide_where_there_are_some() -> None:
    made = steps(told(label="1"), told("a", label="2"), told("a", label="3"))
    assert repeated(made, told("a", label="2"), follows=True) == 1
    assert repeated(made, told("a", label="3"), follows=True) == 2
    assert repeated(made, told("a", label="4"), waiting=True, follows=False) is None


def test_turns_decide_before_labels() -> None:
    made = steps(told(turn=0), told("p", turn=1, percepts=True), told("p", turn=2, percepts=True))
    assert repeated(made, told("p", turn=1, percepts=True)) == 1
    assert repeated(made, told("p", turn=3, percepts=True)) is None


def test_percepts_make_the_position_doubtful() -> None:
    assert not steps(told(), told("a")).in_doubt
    assert steps(told(), told("p", percepts=True)).in_doubt
    assert repeated(steps(told(), told("p", percepts=True)), told("p", percepts=True), follows=False) is None


def test_the_command_for_a_child() -> None:
    made = steps(told(), Told(("p",), True, "mine", None))
    assert made.advance(1, 5.0) == {
        "do": "advance", "step": 1, "seen": ("p",), "percepts": True, "own": "mine", "decide_by": 5.0,
    }  # fmt: skip

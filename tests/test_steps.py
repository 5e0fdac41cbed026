"""Which step a PLAY is about: new ones, repeated ones, and old ones that come late; and what is known of a step."""

from __future__ import annotations

import pytest

from ggp.match.steps import Steps, Told
from tests.match_steps import DUE, begun, position, told


def repeated(steps: Steps, again: Told, *, waiting: bool = False, follows: bool = True) -> int | None:
    steps.newest.answer = None if waiting else "done"
    found = steps.repeated(again, lambda _: follows)
    return None if found is None else found.number


def test_the_first_play_is_new_and_its_repetition_is_not() -> None:
    assert Steps().newest.number == -1
    assert repeated(Steps(), told()) is None
    assert repeated(begun(told()), told()) == 0
    assert begun(told(), told("a", "b")).newest.number == 1


def test_moves_that_were_not_told_before_are_new() -> None:
    assert repeated(begun(told(), told("a", "b")), told("a", "c")) is None


@pytest.mark.parametrize(
    ("waiting", "follows", "step"),
    [
        (True, True, 1),  # the answer is still to come: the message was sent again
        (False, True, None),  # the same moves, made once more
        (False, False, 1),  # they cannot follow, so this is the old message
    ],
)
def test_the_same_moves_again(waiting: bool, follows: bool, step: int | None) -> None:
    assert repeated(begun(told(), told("a", "b")), told("a", "b"), waiting=waiting, follows=follows) == step


def test_labels_decide_where_there_are_some() -> None:
    steps = begun(told(label="1"), told("a", label="2"), told("a", label="3"))
    assert repeated(steps, told("a", label="2"), follows=True) == 1
    assert repeated(steps, told("a", label="3"), follows=True) == 2
    assert repeated(steps, told("a", label="4"), waiting=True, follows=False) is None


def test_turns_decide_before_labels() -> None:
    steps = begun(told(turn=0), told("p", turn=1, percepts=True), told("p", turn=2, percepts=True))
    assert repeated(steps, told("p", turn=1, percepts=True)) == 1
    assert repeated(steps, told("p", turn=3, percepts=True)) is None


def test_percepts_make_the_position_doubtful() -> None:
    assert not begun(told(), told("a")).in_doubt
    assert begun(told(), told("p", percepts=True)).in_doubt
    assert repeated(begun(told(), told("p", percepts=True)), told("p", percepts=True), follows=False) is None


def test_the_command_for_a_child() -> None:
    steps = begun(told(), Told(seen=("p",), percepts=True, own="mine", label=None))
    assert steps[1].advance(5.0) == {
        "do": "advance", "step": 1, "seen": ("p",), "percepts": True, "own": "mine", "decide_by": 5.0,
    }  # fmt: skip


def test_a_step_is_waited_for_until_it_is_answered() -> None:
    steps = Steps()
    assert not steps.newest.is_waited_for
    step = steps.add(told(), DUE)
    assert step.is_waited_for and (step.due, step.decide_by) == (DUE, 10.0)
    step.answer = "a"
    assert not step.is_waited_for
    assert not steps.add(told("a", "b"), None).is_waited_for


def test_the_standby_move_is_a_legal_one_and_always_the_same() -> None:
    steps = begun(*(told() for _ in range(20)))
    found = set()
    for number in range(20):
        assert steps[number].standby(1) is None
        steps.learn(position(number))
        assert steps[number].standby(1) is None
        steps.learn(position(number, "a", "b"))
        move = steps[number].standby(1)
        assert move == steps[number].standby(1)
        found.add(move)
    assert found == {"a", "b"}


def test_a_move_is_played_unless_it_is_known_to_be_illegal() -> None:
    steps = begun(told())
    assert steps[0].may_play("c")
    steps.learn(position(0, "a", "b"))
    assert steps[0].may_play("a") and not steps[0].may_play("c")


def test_one_position_is_known() -> None:
    steps = begun(told(), told("a", "b"))
    steps.learn(start := position(-1, "a"))
    assert steps.known is steps[-1].position is start
    steps.learn(first := position(0, "b"))
    assert steps.known is steps[0].position is first
    assert steps[-1].position is steps[1].position is None


def test_likely_legal_is_what_was_legal_at_the_last_turn_of_the_same_role() -> None:
    steps = begun(*(told() for _ in range(20)))
    assert steps.likely_legal(steps[3], 2) == []
    for number in range(3):
        steps.learn(position(number, f"move {number}"))
    assert steps.likely_legal(steps[3], 1) == ["move 2"]
    assert steps.likely_legal(steps[3], 2) == ["move 1"]
    assert steps.likely_legal(steps[3], 4) == ["move 2"]  # whose turn it is was never seen
    for number in range(3, 11):
        steps.learn(position(number, f"move {number}"))
    assert steps.likely_legal(steps[12], 10) == ["move 10"]  # what was legal at step 2 is forgotten


def test_a_mind_is_late_at_any_step_until_it_is_lost() -> None:
    steps = begun(told(), told("a", "b"))
    steps[0].answer, steps[1].decide_by = "a", None
    assert steps.is_mind_late(12.5, 2.0) and not steps.is_mind_late(12.0, 2.0)
    steps.expect_nothing_of_mind()
    assert not steps.is_mind_late(100.0, 2.0)
    assert (steps[0].mind_is_done, steps[1].mind_is_done) == (False, True)

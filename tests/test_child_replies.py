"""What is known from the replies of children, whatever order they come in."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ggp.core.delays import Delays
from ggp.match.child_replies import ChildReplies
from ggp.match.packets import Packet
from tests.match_steps import begun, told


class Heard:
    """Replies to a session with two steps, the newest of which is waited for."""

    def __init__(self) -> None:
        self.steps = begun(told(), told("a", "b"))
        self.steps[0].answer = "a"
        self.lag = Delays(0.02)
        self.notes: list[tuple[str, dict[str, Any]]] = []
        self.dismissed: list[str] = []
        note = lambda event, **details: self.notes.append((event, details))  # noqa: E731
        self.replies = ChildReplies(self.steps, self.lag, note, self.dismissed.append)

    def hear(self, child: str, what: str, **details: Any) -> None:
        self.replies.hear(child, {"is": what, **details})

    def position(self, kind: str, step: int, legal: str = "a", fluents: list[str] | None = None) -> None:
        self.hear(kind, "position", step=step, legal=[legal], terminal=False, goals=[], fluents=fluents)

    def chosen(self, step: int, move: str | None, **report: Any) -> None:
        self.hear("mind", "chosen", step=step, move=move, report=report)

    def known(self) -> list[tuple[str | None, bool]]:
        """Of both steps: what the mind chose, and whether it is done."""
        return [(step.chosen, step.mind_is_done) for step in (self.steps[0], self.steps[1])]

    @property
    def events(self) -> list[str]:
        return [event for event, _ in self.notes]


@pytest.fixture
def heard() -> Heard:
    return Heard()


LOADED: Packet = {"roles": ["a", "b", "c"], "language": "GDL-II", "warnings": [], "problems": 0}


def test_a_child_that_knows_the_rules_tells_what_game_it_is(heard: Heard) -> None:
    heard.hear("mind", "loaded", **LOADED)
    assert (heard.replies.turns, heard.replies.is_gdl2, heard.replies.loaded) == (3, True, {"mind"})
    assert heard.notes == [("loaded", {"kind": "mind", **LOADED})]


def test_a_match_is_settled_once_the_mind_is_ready_and_not_while_it_is_replaced(heard: Heard) -> None:
    heard.hear("referee", "ready")
    assert not heard.replies.is_settled
    heard.hear("mind", "ready")
    assert heard.replies.is_ready and heard.replies.is_settled
    heard.hear("referee", "died")
    assert heard.replies.is_settled
    heard.hear("mind", "died")
    assert not heard.replies.is_ready and not heard.replies.is_settled


def test_without_a_mind_the_referee_is_enough_and_without_a_referee_the_mind_keeps_the_position(heard: Heard) -> None:
    assert heard.replies.keeper == "referee"
    heard.hear("mind", "refused", why="?")
    assert not heard.replies.is_settled
    heard.position("referee", -1)
    assert heard.replies.is_settled and not heard.replies.is_hopeless
    heard.hear("referee", "refused", why="?")
    assert heard.replies.is_hopeless and heard.replies.keeper == "mind"


def test_the_referee_is_trusted_where_the_children_disagree(heard: Heard) -> None:
    heard.position("mind", 0, "wrong")
    heard.position("referee", 0, "right")
    heard.position("mind", 0, "wrong")
    assert heard.steps[0].standby(1) == "right"
    assert heard.notes == [("disagreement", {"step": 0, "referee_trusted": True})] * 2


def test_fluents_are_compared_where_both_are_sure(heard: Heard) -> None:
    heard.position("referee", 0, fluents=["(on 1)"])
    heard.position("mind", 0, fluents=None)
    heard.position("mind", 0, fluents=["(on 1)"])
    assert heard.events == []
    heard.position("mind", 0, fluents=["(on 2)"])
    assert heard.events == ["disagreement"]


def test_old_positions_are_not_listened_to(heard: Heard) -> None:
    heard.position("referee", 1, "new")
    heard.position("referee", 0, "old")
    assert heard.steps[0].position is None and heard.steps[1].standby(1) == "new"


def test_a_choice_goes_to_its_step_and_the_report_is_that_of_the_newest(heard: Heard) -> None:
    heard.chosen(1, "b", expected=50.0)
    heard.chosen(0, "a", expected=10.0)
    assert heard.known() == [("a", True), ("b", True)]
    assert [heard.steps[n].decide_by for n in (0, 1)] == [None, None]
    assert heard.replies.report == {"expected": 50.0}


def test_a_mind_without_a_move_is_done(heard: Heard) -> None:
    heard.chosen(1, None, problem="too hard")
    assert heard.known() == [(None, False), (None, True)]
    assert heard.notes == [("player-failed", {"step": 1, "message": "too hard"})]


def test_lateness_is_learnt_from_moves_that_were_waited_for(heard: Heard) -> None:
    heard.steps[0].decide_by = None
    heard.chosen(0, "a")
    assert heard.lag.seconds == 0.02
    heard.steps[1].decide_by = time.monotonic() - 5
    heard.chosen(1, "a")
    assert heard.lag.seconds > 5 and heard.events == ["late"]


def test_the_successor_of_a_mind_is_asked_again_if_an_answer_is_due(heard: Heard) -> None:
    for step in (0, 1):
        heard.chosen(step, "a")
    heard.hear("referee", "died")
    assert heard.known() == [("a", True), ("a", True)]
    heard.hear("mind", "died")
    assert heard.known() == [("a", True), (None, False)]


def test_rules_that_kill_three_times_are_taken_for_unplayable(heard: Heard) -> None:
    heard.hear("referee", "loaded", **LOADED)
    for kind in ("mind", "referee") * 2:
        heard.hear(kind, "died")
    assert heard.dismissed == [] and not heard.replies.refused
    for kind in ("mind", "referee") * 2:
        heard.hear(kind, "died")
    assert heard.dismissed == ["mind"] and heard.replies.refused == {"mind"}
    assert heard.notes[-1] == ("refused", {"kind": "mind", "why": "the mind died 3 times before it knew the rules"})


def test_an_answer_that_comes_after_it_was_given_up_changes_nothing(heard: Heard) -> None:
    heard.hear("referee", "checked", number=0, legal=False)
    heard.hear("referee", "checked", number=0, legal=True)
    assert heard.replies.checks == {0: False}


def test_what_goes_wrong_in_a_child_is_noted(heard: Heard) -> None:
    heard.hear("mind", "event", kind="worker-died", message="again")
    heard.hear("mind", "failed", why="a fault")
    assert heard.notes == [
        ("worker-died", {"kind": "mind", "message": "again"}), ("child-failed", {"kind": "mind", "why": "a fault"}),
    ]  # fmt: skip

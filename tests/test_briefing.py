"""What a new child is told."""

from __future__ import annotations

from ggp.match.briefing import briefing
from ggp.match.messages import Start
from ggp.match.packets import Packet
from ggp.match.settings import PlayerSettings
from ggp.match.steps import Steps
from tests.match_steps import begun, position, told

START = Start("M", "Me", "(role me)", 20, 10)


def brief(steps: Steps, kind: str = "referee") -> list[Packet]:
    return list(briefing(START, PlayerSettings(), 5.0, steps, kind))


def test_before_the_first_play_the_match_is_all_there_is() -> None:
    for kind in ("referee", "mind"):
        [load] = brief(Steps(), kind)
        assert (load["do"], load["rules"], load["role"], load["match"]) == ("load", "(role me)", "Me", "M")
        assert (load["ready_by"], load["step"], load["fluents"]) == (5.0, -1, None)


def test_a_child_starts_from_the_known_position_and_is_told_what_followed() -> None:
    steps = begun(told(), told("a", "b"), told("c", "d"))
    steps.learn(position(1, fluents=["(on 1)"]))
    load, advance = brief(steps)
    assert (load["step"], load["fluents"]) == (1, ["(on 1)"])
    assert (advance["step"], advance["seen"], advance["decide_by"]) == (2, ("c", "d"), None)


def test_in_doubt_a_child_is_told_all_from_the_start() -> None:
    unknown = begun(told(), told("a", "b"))
    unclear = begun(told(), told("a", "b"))
    unclear.learn(position(1, fluents=None))
    hidden = begun(told(), told("p", percepts=True))
    hidden.learn(position(1, fluents=["(on 1)"]))
    for steps in (unknown, unclear, hidden):
        load, *advances = brief(steps)
        assert (load["step"], load["fluents"], [packet["step"] for packet in advances]) == (-1, None, [0, 1])


def test_a_mind_is_asked_for_the_move_that_the_server_waits_for() -> None:
    steps = begun(told(), told("a", "b"))
    *_, ask = brief(steps, "mind")
    assert (ask["do"], ask["step"], ask["seen"], ask["decide_by"]) == ("advance", 1, None, 10.0)
    assert [packet.get("decide_by") for packet in brief(steps)] == [None, None, None]
    steps[1].answer = "a"
    assert brief(steps, "mind") == brief(steps)

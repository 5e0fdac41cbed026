"""A random play as text: everything that is there, in the order of the roles, and nothing that is not."""

from __future__ import annotations

from gdl import kif, load
from ggp.machines.transcript import transcript
from tests.compiled import machine_of
from tests.helpers import GAMES


def test_each_step_tells_what_holds_who_may_do_what_and_what_was_done() -> None:
    ruleset = load(GAMES / "tic_tac_toe.kif")
    machine = machine_of(ruleset)
    steps = list(transcript(ruleset, machine, 3, 100))
    for text, step in steps:
        lines = text.splitlines()
        assert lines[0] == f"step {step.number}"
        assert lines[1] == "  holds: " + " ".join(map(kif, machine.fluents(step.position)))
        for role, line, moves in zip(ruleset.roles, lines[2:4], step.situation.legal, strict=True):
            assert line == f"  legal {role} ({len(moves)}): " + " ".join(map(kif, moves))
        assert [line.split(":")[0] for line in lines[4:6]] == ["  goal x", "  goal o"]
        assert lines[6] == (
            "  end: the game is over" if step.joint is None else "  play: " + " ".join(map(kif, step.joint))
        )
    assert [step.ending is not None for _, step in steps] == [False] * (len(steps) - 1) + [True]


def test_many_moves_are_cut_off_and_counted() -> None:
    ruleset = load(GAMES / "nim.kif")
    text, step = next(iter(transcript(ruleset, machine_of(ruleset), 1, 10)))
    (line,) = (line for line in text.splitlines() if line.startswith("  legal first"))
    assert line.startswith("  legal first (16): ") and line.endswith(" …")
    assert line.count("(leave") == 12 < len(step.situation.legal[0])


def test_what_each_role_sees_is_told_where_information_is_hidden() -> None:
    ruleset = load(GAMES / "kriegspiel_tic_tac_toe.kif")
    machine = machine_of(ruleset)
    for text, step in transcript(ruleset, machine, 1, 4):
        if step.joint is not None:
            seen = machine.sees(step.position, step.joint)
            for role, percepts in zip(ruleset.roles, seen, strict=True):
                assert f"  {role} sees: {' '.join(map(kif, percepts)) or 'nothing'}\n" in f"{text}\n"

"""Building with one-hot groups as sets, against the slow evaluator on reachable positions and legal joint moves."""

from __future__ import annotations

import pytest

from ggp.circuits.build import build_factored
from ggp.circuits.multivalued import build_with_sets
from ggp.circuits.solver import Care
from tests.small_programs import care_of, disagreements, program_of

RANDOM = [str(seed) for seed in range(40)]
NAMES = ["sliding", "tic_tac_toe", "nim", "monty_hall", "lights_out", "roshambo", "kriegspiel_tic_tac_toe"]


@pytest.mark.parametrize("name", [*NAMES, *RANDOM])
def test_nothing_changes_on_reachable_positions(name: str) -> None:
    for care in (Care(), care_of(name)):
        assert list(disagreements(name, build_with_sets(program_of(name), care))) == []


def test_cycles_are_kept() -> None:
    net = build_with_sets(program_of("hex_5x5"), care_of("hex_5x5"))
    assert net.graph.feedback
    assert list(disagreements("hex_5x5", net)) == []


@pytest.mark.parametrize("name", ["sliding", "nim"])
def test_what_is_known_of_positions_saves_gates(name: str) -> None:
    known = build_with_sets(program_of(name), care_of(name)).size()
    assert known < build_with_sets(program_of(name), Care()).size()
    assert known < build_factored(program_of(name)).size()


def test_wrong_knowledge_would_show() -> None:
    """What the comparison is worth: a care set that says that a base is always there gives another circuit."""
    care = care_of("sliding")
    wrong = Care(care.groups[1:], moves=((0, 1),))
    assert list(disagreements("sliding", build_with_sets(program_of("sliding"), wrong)))

"""What can stand where, by hand, and against all that grounding finds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gdl import load, parse, parse_term
from gdl.domains import Domains
from gdl.heads import Heads
from gdl.laws.possible import misfits
from gdl.normalize import normalize
from gdl.parser import Description
from gdl.program import GroundProgram
from gdl.ruleset import Ruleset
from gdl.terms import Atom, Compound, Symbol
from tests.ground_games import ground_anyway
from tests.helpers import GAMES
from tests.random_games import random_game

RULES = """
(role white) (role black)
(init (step 0))
(succ 0 1) (succ 1 2)
(<= (base (held ?p)) (role ?p))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next ?f) (kept ?f))
(<= (kept (cell ?x b)) (true (cell ?x b)) (does ?p (drop ?x)))
(<= (next (cell ?x b)) (does ?p (drop ?x)))
(<= (legal ?p (drop ?x)) (or (succ ?x ?y) (and (succ ?y ?x) (odd ?x))) (role ?p))
(<= (odd ?x) (not (distinct ?x 1)))
(<= (number (s ?x)) (number ?x))
(number 0)
(<= (free ?x) (not (number ?x)))
"""


def places(rules: str, name: str, count: int) -> list[list[str]]:
    found = Domains(map(normalize, parse(rules).rules)).of((name, count))
    assert found is not None
    return [sorted([*place.names, *(f"{f}/{n}" for f, n in place.functions)]) for place in found]


def test_fluents_come_from_init_next_and_base() -> None:
    assert places(RULES, "true", 1) == [["cell/2", "held/1", "step/1"]]
    assert places(RULES, "base", 1) == [["held/1"]]
    (fluents,) = Domains(map(normalize, parse(RULES).rules)).of(("true", 1)) or ()
    assert fluents.functions["step", 1][0].names == {"0", "1", "2"}
    assert [place.names for place in fluents.functions["cell", 2]] == [{"0", "1"}, {"b"}]


def test_moves_come_from_legal_and_input() -> None:
    assert places(RULES, "does", 2) == [["black", "white"], ["drop/1"]]
    assert places(RULES, "odd", 1) == [["1"]]


def test_nested_functions_end_in_anything() -> None:
    (place,) = Domains(map(normalize, parse(RULES).rules)).of(("number", 1)) or ()
    for _ in range(3):
        assert set(place.names) == {"0"} and set(place.functions) == {("s", 1)}
        (place,) = place.functions["s", 1]


def test_a_variable_that_nothing_binds_can_be_anything_and_nothing_gives_what_has_no_rule() -> None:
    domains = Domains(map(normalize, parse(RULES).rules))
    (free,) = domains.of(("free", 1)) or ()
    assert free.anything
    assert domains.of(("nowhere", 1)) is None and domains.of(("sees", 2)) is None


def atoms(program: GroundProgram) -> list[Atom]:
    """All atoms of the game that a ground program can give (it names some that only stand under a negation)."""
    given = {head for head, _ in program.rules}
    given |= {b.true for i, b in enumerate(program.bases) if b.next in given or i in program.initial}
    given |= {pair.does for pair in program.inputs if pair.legal in given}
    found = [parse_term(program.names[number]) for number in given if "#" not in program.names[number]]
    return [atom for atom in found if isinstance(atom, Symbol | Compound) and atom.name != "sees"]


def check_covered(rules: Description, program: GroundProgram) -> None:
    normal = [normalize(rule) for rule in rules.rules]
    domains, heads = Domains(normal), Heads(normal)
    for atom in atoms(program):
        assert not misfits(atom, domains), atom
        assert heads.can_give(atom), atom


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "connect_four", "monty_hall", "blocks_world", "nim", "quarto", "lights_out", "peg_solitaire"]
)
def test_all_that_grounding_finds_is_covered(name: str) -> None:
    ruleset = load(Path(GAMES / f"{name}.kif"))
    program = ground_anyway(ruleset)
    assert len(atoms(program)) > 10
    check_covered(ruleset.description, program)


@pytest.mark.parametrize("seed", range(60))
def test_all_that_grounding_finds_is_covered_in_random_games(seed: int) -> None:
    description = parse(random_game(random.Random(seed)))
    check_covered(description, ground_anyway(Ruleset(description)))

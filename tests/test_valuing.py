"""The learned value of positions: what is learned, where it is found, and what it does to payoffs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ggp.circuits.packing import from_words
from ggp.core.errors import MachineError, UsageError
from ggp.lanes.engine import Engine
from ggp.machines.circuit import CircuitMachine
from ggp.search import valuing
from ggp.search.graph import edges_of, is_terminal, payoffs
from ggp.search.judging import Game
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.valuing import provide, regression
from ggp.search.weights import KNOWN, weights_of
from tests.compiled import compiled, weighted
from tests.search_checks import FastSearch, Pair, after_random_moves

VALUED = SearchSettings(value=0.3)


def fresh(name: str) -> CircuitMachine:
    """A machine of which nothing was learned."""
    made = compiled(name)
    return CircuitMachine(made.ruleset, made.program, Engine(made.circuit))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Learn from few matches, and keep that to this test."""
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    monkeypatch.setattr(valuing, "_MATCHES", 64)


def by_hand(machine: CircuitMachine, node: int, fast: FastSearch) -> list[float]:
    """What the weights say of a node, for each role: the formula as it is explained."""
    weights, bits = weights_of(machine.engine), from_words(fast.graph.position[node], machine.circuit.bases)
    found = []
    for role in range(len(machine.roles)):
        goals = machine.circuit.goal_values[machine.circuit.goal_roles == role]
        total = weights[-1, role] + weights[: len(bits)][bits, role].sum()
        found.append(goals.min() + (goals.max() - goals.min()) / (1 + np.exp(-total)))
    return found


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe_three_players", "bidding_tic_tac_toe"])
def test_a_payoff_is_a_mixture(name: str) -> None:
    machine = weighted(name)
    plain, mixed, alone = (FastSearch(machine, SearchSettings(value=share, playouts=8), 5) for share in (0.0, 0.4, 1.0))
    for fast in (plain, mixed, alone):
        fast.simulate()
    edge = next(edges_of(mixed.graph, mixed.root))
    said = by_hand(machine, int(mixed.graph.edge[edge].dest), mixed)
    roles = len(machine.roles)
    played = payoffs(plain.graph, next(edges_of(plain.graph, plain.root)))[2 : 2 + roles]
    assert payoffs(mixed.graph, edge)[2 : 2 + roles] == pytest.approx(
        [0.6 * p + 0.4 * v for p, v in zip(played, said, strict=True)]
    )
    assert payoffs(alone.graph, next(edges_of(alone.graph, alone.root)))[2 : 2 + roles] == pytest.approx(said)


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe_three_players", "bidding_tic_tac_toe", "dice_race"])
def test_the_kernels_do_what_the_reference_does(name: str) -> None:
    machine = weighted(name)
    settings = SearchSettings(value=0.4, solver=False, playouts=2)
    pair = Pair(machine, settings, 3, after_random_moves(machine, 10, 3))
    for _ in range(40):
        pair.step()
    pair.compare_values()


def test_what_is_over_is_worth_its_goals() -> None:
    fast = FastSearch(weighted("tic_tac_toe"), SearchSettings(value=0.9), 1)
    fast.simulate(2000)
    ends = [x for x in range(int(fast.graph.head[0].nodes)) if is_terminal(fast.graph, x)]
    assert len(ends) > 50
    assert {tuple(fast.graph.proof[x].tolist()) for x in ends} == {(100.0, 0.0), (0.0, 100.0), (50.0, 50.0)}


def test_weights_are_those_of_what_decides() -> None:
    dice = np.random.default_rng(1)
    told = dice.random((4000, 3)) < 0.5
    chance = 1 / (1 + np.exp(-(2.0 * told[:, 0] - 1.0 * told[:, 1] - 0.5)))
    weights = regression(told, (dice.random(len(told)) < chance).astype(float))
    assert weights == pytest.approx([2.0, -1.0, 0.0, -0.5], abs=0.3)


@pytest.mark.usefixtures("few")
def test_boxes_are_worth_having() -> None:
    machine = fresh("dots_and_boxes")
    assert provide(machine, VALUED)
    weights = weights_of(machine.engine)
    for role, owner in enumerate(machine.roles):
        boxes = [n for n, base in enumerate(machine.bases.texts) if base.startswith("(owner") and f" {owner})" in base]
        assert len(boxes) > 3 and weights[boxes, role].mean() > 0.1 and weights[boxes, 1 - role].mean() < -0.1


@pytest.mark.usefixtures("few")
def test_what_was_learned_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = fresh("tic_tac_toe"), fresh("tic_tac_toe")
    assert provide(one, SearchSettings()) and one.engine not in KNOWN  # nobody wants it
    assert provide(one, VALUED)
    monkeypatch.setattr(valuing, "_learn", None)  # nobody learns again
    assert provide(other, VALUED) and (weights_of(other.engine) == weights_of(one.engine)).all()
    search = Search(other, VALUED, 1, memory=2**20)
    search.start(other.initial())
    assert search.run(simulations=50).simulations == 50


@pytest.mark.usefixtures("few")
def test_learning_ends_when_it_is_told_to() -> None:
    machine = fresh("tic_tac_toe")
    assert not provide(Game(machine.roles, machine.engine), VALUED, go_on=lambda: False)
    with pytest.raises(MachineError, match="not learned"):
        weights_of(machine.engine)


def test_a_share_is_a_share() -> None:
    with pytest.raises(UsageError, match="value must be from 0 to 1, not 2"):
        SearchSettings(value=2.0)

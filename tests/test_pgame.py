"""P-games in memory: their measures, their sums, their outcomes; and as descriptions, on both machines."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl.layout import layout
from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.generators import pgame, pgame_text
from ggp.generators.pgame import HIGHEST, PGame
from ggp.generators.pgame_text import describe
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import Machine
from tests.conftest import Open
from tests.helpers import ruleset, terms

GAMES = [PGame(6, 2, 0.0, 3), PGame(6, 2, 0.2, 3), PGame(4, 4, 0.3, 5), PGame(5, 1, 0.0, 2), PGame(3, 3, 0.9, 9)]


def sums_of_all_ways(game: PGame) -> list[set[int]]:
    """The sums at each end, by following every sequence of moves."""
    found: list[set[int]] = [set() for _ in game.levels[-1].scores]
    for moves in product(range(game.branching), repeat=game.depth):
        node = total = 0
        for level, move in zip(game.levels, moves, strict=False):
            total += int(level.values[node, move])
            node = int(level.children[node, move])
        found[node].add(total)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_all_ways_to_an_end_have_its_score(game: PGame) -> None:
    assert sums_of_all_ways(game) == [{int(score)} for score in game.levels[-1].scores]


@pytest.mark.parametrize("game", [*GAMES, PGame(12, 2, 0.2, 1), PGame(12, 2, 0.6, 1)])
def test_values_keep_their_range_and_moves_lead_apart(game: PGame) -> None:
    for number, level in enumerate(game.levels[:-1]):
        gains = level.values if number % 2 == 0 else -level.values
        assert gains.min() >= 0
        assert gains.max() <= HIGHEST
        assert set(level.children.ravel().tolist()) == set(range(game.sizes[number + 1]))
        assert all(len(set(row)) == game.branching for row in level.children.tolist())


def test_a_tree_has_all_its_nodes_and_the_values_are_spread_evenly() -> None:
    game = PGame(12, 2, seed=4)
    assert game.sizes == tuple(2**n for n in range(13))
    counts = np.bincount(np.abs(game.levels[11].values).ravel(), minlength=HIGHEST + 1)
    expected = 4096 / (HIGHEST + 1)
    assert ((counts - expected) ** 2 / expected).sum() < 190  # chi-square with 127 degrees of freedom, p = 0.0002


def test_the_asked_share_is_combined_and_closer_nodes_are_taken() -> None:
    game = PGame(20, 2, 0.2, 1)
    assert 20_000 < sum(game.sizes) < 60_000
    for before, after in zip(game.sizes[6:], game.sizes[7:], strict=False):
        assert after == 2 * before - round(0.4 * before)
    children = game.levels[14].children
    order = np.argsort(children.ravel(), kind="stable")
    same = np.diff(children.ravel()[order]) == 0
    apart = np.diff(order // 2)[same]
    assert np.median(apart) == 1
    assert apart.max() < 64


def test_the_same_seed_gives_the_same_game_and_another_another() -> None:
    assert describe(PGame(6, 2, 0.2, 7)) == describe(PGame(6, 2, 0.2, 7))
    assert describe(PGame(6, 2, 0.2, 7)) != describe(PGame(6, 2, 0.2, 8))
    assert [int(level.values.sum()) for level in PGame(6, 2, 0.2, 7).levels] == [173, -397, 365, -841, 1085, -1983, 0]


def test_outcomes_are_those_of_minimax() -> None:
    def best(game: PGame, number: int, node: int, total: int) -> int:
        if number == game.depth:
            return (total > 0) - (total < 0)
        level = game.levels[number]
        after = [
            best(game, number + 1, int(child), total + int(value))
            for child, value in zip(level.children[node], level.values[node], strict=True)
        ]
        return max(after) if number % 2 == 0 else min(after)

    found = [(int(game.outcomes[0][0]), best(game, 0, 0, 0)) for game in (PGame(6, 2, 0.2, s) for s in range(12))]
    assert all(one == other for one, other in found)
    assert {one for one, _ in found} >= {1, -1}


def test_depth_20_with_a_fifth_combined_is_described() -> None:
    text = describe(PGame(20, 2, 0.2, 1))
    assert text.count("\n(arc ") == 2 * sum(PGame(20, 2, 0.2, 1).sizes[:-1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((0, 2), "at least 1"), ((2, 0), "at least 1"), ((2, 2, 1.0), "below 1, not 1"), ((2, 2, -0.5), "not -0.5"),
     ((24, 2), "more than 16,777,216 nodes"), ((10**9, 2), "more than"), ((2, 10**9), "more than")],
)  # fmt: skip
def test_games_that_cannot_be_made(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PGame(*arguments)


def test_a_game_that_turns_out_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = PGame(9, 2, 0.8, 1)
    nodes = sum(game.sizes)
    assert nodes > 1 + 2 * 9
    monkeypatch.setattr(pgame, "MOST_NODES", nodes - 1)
    with pytest.raises(UsageError, match=f"more than {nodes - 1} nodes"):
        list(PGame(9, 2, 0.8, 1).generate())


@pytest.mark.parametrize("game", GAMES)
def test_nodes_may_be_numbered_through(game: PGame) -> None:
    assert game.children.shape == (sum(game.sizes), game.branching)
    for number, level in enumerate(game.levels[:-1]):
        rows = game.children[game.starts[number] : game.starts[number + 1]]
        assert (rows - game.starts[number + 1] == level.children).all()
    assert (game.children[game.starts[-2] :] == -1).all()


def test_a_description_that_nobody_could_load_is_refused() -> None:
    with pytest.raises(UsageError, match=f"more than {pgame_text.MOST_NODES:,} nodes, too many"):
        describe(PGame(16, 2))


def agrees(machine: Machine[Any], game: PGame) -> int:
    """Compare a machine with the arrays on every sequence of moves; the number of ends."""
    ends = 0

    def visit(position: Any, number: int, node: int) -> None:
        nonlocal ends
        situation = machine.situation(position)
        assert situation.terminal == (number == game.depth)
        if situation.terminal:
            ends += 1
            sign = int(np.sign(game.levels[-1].scores[node]))
            assert situation.goals == ((50 + 50 * sign,), (50 - 50 * sign,))
            return
        assert situation.goals == ((50,), (50,))
        mine = terms(*(f"(go {move})" for move in range(1, game.branching + 1)))
        mover = number % 2
        assert situation.legal[mover] == mine
        assert situation.legal[1 - mover] == terms("noop")
        after = set()
        for move, term in enumerate(mine):
            joint = (term, *terms("noop")) if mover == 0 else (*terms("noop"), term)
            following = machine.next(position, joint)
            after.add(following)
            visit(following, number + 1, int(game.levels[number].children[node, move]))
        assert len(after) == game.branching

    visit(machine.initial(), 0, 0)
    return ends


@pytest.mark.parametrize("game", GAMES)
def test_both_machines_play_the_game_in_memory(game: PGame, prolog: Open) -> None:
    rules = ruleset(describe(game))
    assert rules.problems == ()
    assert agrees(prolog(rules), game) == game.branching**game.depth
    assert agrees(CircuitMachine.compile(rules), game) == game.branching**game.depth


def test_ggp_generate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.kif"
    arguments = ["generate", "p-game", "--depth", "4", "--branching", "3", "--combine", "0.2", "--seed", "6"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert text == describe(PGame(4, 3, 0.2, 6))
    assert main([*arguments, "--output", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: written\n"
    assert path.read_text(encoding="utf-8") == text == layout(text)
    assert text.splitlines()[9] == "; Made by: ggp " + " ".join(arguments)
    assert main(["check", "--strict", str(path)]) == 0


def test_ggp_generate_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.kif"
    path.write_text("mine")
    assert main(["generate", "p-game", "--depth", "2", "--output", str(path)]) == 2
    assert capsys.readouterr().err == f"ggp: {path} is there already; it stays as it is\n"
    assert path.read_text() == "mine"
    assert main(["generate", "p-game", "--depth", "20", "--output", str(tmp_path / "q.kif")]) == 2
    assert "more than 50,000 nodes" in capsys.readouterr().err
    assert not (tmp_path / "q.kif").exists()
    assert main(["generate", "p-game", "--depth", "2", "--output", str(tmp_path / "no" / "p.kif")]) == 2
    assert "No such file or directory" in capsys.readouterr().err
    for wrong in (["--depth", "0"], ["--depth", "2", "--combine", "1"], ["--depth", "2", "--combine", "nan"]):
        with pytest.raises(SystemExit) as caught:
            main(["generate", "p-game", *wrong])
        assert caught.value.code == 2

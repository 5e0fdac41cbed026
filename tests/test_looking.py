"""`look`, as whoever wants a hint calls it."""

from __future__ import annotations

import pytest

from gdl import parse_term
from ggp.analysis import judged
from ggp.analysis.looking import Budget, look, rate
from ggp.core.errors import UsageError
from ggp.search.presets import search_options
from ggp.search.verdict import DECISIVE, Verdict
from tests.compiled import compiled, compiled_text
from tests.conftest import Open
from tests.helpers import GAMES, terms

UCD, _ = search_options("ucd", {})
BLOCK = terms("(mark 1 1)", "noop"), terms("noop", "(mark 2 2)"), terms("(mark 1 2)", "noop")
"""x threatens to fill the first row: o must mark (1 3)."""


@pytest.mark.usefixtures("first_question")
def test_a_simple_call_finds_the_move_to_play() -> None:
    game = compiled("tic_tac_toe")
    position = game.initial()
    for joint in BLOCK:
        position = game.next(position, joint)
    found = look(game, position, game.situation(position), [1], UCD, Budget(seconds=0.3), seed=1)
    assert [row.move for row in found.tables[1] if row.chosen] == [parse_term("(mark 1 3)")]
    assert found.engine == "circuit" and rate(found) > 100 and found.outcomes == []
    assert found.expected is not None and found.expected[1] == pytest.approx(50, abs=15)


def test_it_does_without_a_circuit(prolog: Open) -> None:
    game = prolog((GAMES / "tic_tac_toe.kif").read_text(encoding="utf-8"))
    position = game.initial()
    found = look(game, position, game.situation(position), [0], UCD, Budget(seconds=0.5), seed=1)
    assert found.engine == "reference" and found.simulations >= 1 and found.judged.settings.playouts == 1
    assert sum(row.visits for row in found.tables[0]) == found.simulations


def test_settings_that_were_found_serve_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def verdict(machine: object, **_: object) -> Verdict:
        asked.append(machine)
        return Verdict((DECISIVE,))

    monkeypatch.setattr(judged, "judge", verdict)
    game = compiled("tic_tac_toe")
    settings, situation = UCD, game.situation(game.initial())
    for _ in range(2):
        found = look(game, game.initial(), situation, [0], settings, Budget(simulations=50), seed=7)
        settings = found.judged.settings
    assert asked == [game] and settings.policy == "decisive" and settings.c == 2 * UCD.c


def test_a_position_where_nobody_can_go_on_is_refused() -> None:
    game = compiled_text(
        "(role me) (init (at 1)) (<= (legal me go) (true (at 1))) (goal me 0) (<= terminal (true (at 3)))"
        "(<= (next (at 2)) (does me go))"
    )
    after = game.next(game.initial(), terms("go"))
    with pytest.raises(UsageError, match="me has no legal move in this position, though it is not terminal"):
        look(game, after, game.situation(after), [0], UCD, Budget(simulations=5), seed=1)

"""The experiment with P-games in small."""

from __future__ import annotations

from pathlib import Path

from ggp.lab.catalogue import experiment
from ggp.lab.conduct import make_report, run_experiment
from ggp.lab.figures import Curves
from ggp.lab.p_game import perform, plan
from ggp.lab.pool import LocalPool
from ggp.lab.report import Table, markdown

SMALL = ["depth=8", "games=12", "runs=10", "simulations=200", "games_per_job=4", "combinations=0,0.3", "combine=0.3"]


def test_the_plan_and_the_report(tmp_path: Path) -> None:
    chosen = experiment("p-game").with_settings(SMALL)
    assert [job.key for job in chosen.plan(chosen.settings)] == [
        f"{share}/{first}" for share in ("0.0000", "0.3000") for first in ("00000", "00004", "00008")
    ]
    run_experiment(chosen, tmp_path, lambda: LocalPool(1))
    report, state = make_report(chosen, tmp_path)
    assert state.done == 6
    tables = {part.name: part for part in report.parts if isinstance(part, Table)}
    assert sorted(tables) == ["figure2", "figure3", "sizes"]
    assert tables["sizes"].rows[0][0:5] == ("0%", 4.0, 16.0, 64.0, 256.0)
    assert tables["figure2"].rows[-1][0] == 200
    text = markdown(report, "p-game", plots=True)
    assert "UCT2 is never worse than UCT0 with 0%: clearly so at" in text
    assert "games with 30% combination no move at the root was ever wrong" in text
    names = [part.name for part in report.parts if isinstance(part, Curves)]
    assert names == ["sizes", "errors", "ratios", "figure3"]


def test_in_trees_all_variants_err_alike() -> None:
    chosen = experiment("p-game").with_settings(SMALL)
    value = perform(plan(chosen.settings)[0].work, {})
    assert value["UCT0"] == value["UCT2"]
    assert any(error > 0 for game in value["UCT0"] for error in game)


def test_a_report_without_results_of_some_shares(tmp_path: Path) -> None:
    chosen = experiment("p-game").with_settings(SMALL)
    run_experiment(chosen, tmp_path, lambda: LocalPool(1), until=lambda values: len(values) >= 1)
    report, state = make_report(chosen, tmp_path)
    assert state.done < 6
    assert markdown(report, "p-game", plots=False)

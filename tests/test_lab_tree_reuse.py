"""The experiment with reuse of the tree, in small, on a small game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ggp.core.errors import UsageError
from ggp.lab.catalogue import FOLDER, experiment
from ggp.lab.conduct import make_report, run_experiment
from ggp.lab.plan import Experiment
from ggp.lab.pool import LocalPool
from ggp.lab.published import read_paper, read_toml
from ggp.lab.report import Table, markdown
from ggp.lab.tree_reuse import perform, plan
from tests.helpers import GAMES

SMALL = ["game=tic_tac_toe", "traces=2", "trace_simulations=400", "budgets=60", "matches=4", "per_job=2", "memory=16"]


def small() -> Experiment[Any]:
    return experiment("tree-reuse").with_settings(SMALL)


def test_the_papers_table_is_whole() -> None:
    path = FOLDER / "tree-reuse.toml"
    table = read_paper(path, read_toml(path)).more["table3"]
    assert (len(table), table[0], table[-1]) == (31, [0.50644, 252895, 56441, 5036], [1, 1438320, 226520, 37752])


def test_plan() -> None:
    keys = [job.key for job in plan(small().settings)]
    assert keys == ["trace/0000", "trace/0001", "matches/000000060/00000", "matches/000000060/00002"]


def test_what_was_searched_two_moves_ago_is_there() -> None:
    """Both keep their trees: from the second move on some visits are there before the search begins."""
    texts = {"tic_tac_toe": (GAMES / "tic_tac_toe.kif").read_text()}
    jobs = plan(small().settings)
    traced = perform(jobs[0].work, texts)
    assert traced == perform(jobs[0].work, texts)
    for moves in traced:
        assert moves[0][3] == 0
        assert all(0 <= mean <= 100 and before <= total and best <= total for mean, total, best, before in moves)
    assert sum(move[3] for moves in traced for move in moves[1:]) > 0
    assert all(move[1] >= 400 for move in traced[0][:1])


def test_one_keeps_its_graph_and_the_other_does_not() -> None:
    texts = {"tic_tac_toe": (GAMES / "tic_tac_toe.kif").read_text()}
    job = plan(small().settings)[2]
    assert job.work["search"]["solver"] is False
    played = perform(job.work, texts)
    assert len(played) == 2
    assert set(played) <= {0.0, 50.0, 100.0}
    assert played == perform(job.work, texts)


def test_report(tmp_path: Path) -> None:
    run_experiment(small(), tmp_path, lambda: LocalPool(1))
    report, state = make_report(small(), tmp_path)
    assert state.done == 4
    tables = {part.name: part for part in report.parts if isinstance(part, Table)}
    assert tables["matches"].rows[0][4] == 4
    assert tables["table3"].rows[30][-5:-1] == (1, 1438320, 226520, 37752)
    assert "in the paper's table 8.7 %" in markdown(report, "tree-reuse", plots=False)


def test_games_for_two_only() -> None:
    chosen = small().with_settings(["game=lights_out"])
    with pytest.raises(UsageError, match="lights_out has 1 roles, not two"):
        perform(plan(chosen.settings)[0].work, {"lights_out": (GAMES / "lights_out.kif").read_text()})

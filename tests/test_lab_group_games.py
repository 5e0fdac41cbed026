"""The experiment with groups of moves in small."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.core.errors import UsageError
from ggp.lab.catalogue import experiment
from ggp.lab.conduct import make_report, run_experiment
from ggp.lab.figures import Curves
from ggp.lab.group_games import PLAIN, perform, plan, simulations
from ggp.lab.pool import LocalPool
from ggp.lab.report import Table, markdown

SMALL = ["depth=3", "branching=6", "size=3", "games=6", "runs=6", "simulations=60", "games_per_job=3", "biases=0,0.5,1"]


def test_the_plan_and_the_report(tmp_path: Path) -> None:
    chosen = experiment("groups").with_settings(SMALL)
    assert [job.key for job in chosen.plan(chosen.settings)] == ["00000", "00003"]
    run_experiment(chosen, tmp_path, lambda: LocalPool(1))
    report, state = make_report(chosen, tmp_path)
    assert state.done == 2
    tables = {part.name: part for part in report.parts if isinstance(part, Table)}
    assert sorted(tables) == ["figure4", "figure5"] and tables["figure4"].rows[-1][0] == 60
    assert "UCT0, overlapping 100%" in tables["figure5"].heads
    text = markdown(report, "groups", plots=True)
    assert "disjoint 100% errs less than disjoint 50%: clearly so at" in text
    assert "overlapping 100% errs less than no groups" in text
    assert [part.name for part in report.parts if isinstance(part, Curves)] == ["figure4", "figure5"]


def test_a_job_gives_the_same_again() -> None:
    settings = experiment("groups").with_settings(SMALL).settings
    job = plan(settings)[0]
    value = perform(job.work, {})
    assert value == perform(job.work, {}) and len(value[PLAIN]) == 3
    assert simulations(job.work, value) % (8 * 6 * 60) == 0
    assert any(value["disjoint 100%"] != value[name] for name in ("disjoint 0%", "overlapping 100%"))


def test_settings_that_make_no_sense_are_refused() -> None:
    for wrong, message in (("runs=0", "above 0"), ("biases=", "a share at least"), ("biases=2", "from 0 to 1")):
        with pytest.raises(UsageError, match=message):
            plan(experiment("groups").with_settings([*SMALL, wrong]).settings)

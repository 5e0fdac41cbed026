"""Plans and reports of experiments with matches; played by a double of the engine, or by the engine in small."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest

from ggp.core.errors import UsageError
from ggp.core.statistics import percent
from ggp.lab.catalogue import FOLDER, experiment, names
from ggp.lab.conduct import make_report, run_experiment
from ggp.lab.engine import machine, play, search_settings
from ggp.lab.match_report import correlation
from ggp.lab.matches import cells, plan, specification
from ggp.lab.plan import Experiment, library_texts
from ggp.lab.pool import LocalPool
from ggp.lab.published import read_paper, read_toml, remark
from ggp.lab.report import Table, markdown
from ggp.search.settings import SearchSettings
from tests import lab_engine
from tests.helpers import GAMES, ROOT

TINY = """
name = "tiny"
title = "Tiny"
version = 3
question = "Which is best?"
[settings]
games = ["tic_tac_toe"]
d1 = ["0", "1"]
d2 = ["0"]
d3 = ["0", "inf"]
others = ["uct", "update-all"]
c = [30.0]
rival = "uct"
rival_c = 0.0
matches = 40
simulations = 20
lanes = 64
seed = 1
[paper]
matches = 200
[[paper.tables]]
game = "tic_tac_toe"
where = "table 1"
grid = [[90, 60.5], [60, 10]]
values = { "uct" = 50 }
"""


def tiny(tmp_path: Path, text: str = TINY) -> Experiment[Any]:
    path = tmp_path / "tiny.toml"
    path.write_text(text)
    return experiment(str(path))


OWN = {"knowledge", "reply-forest"}
"""Experiments with no published figures to set beside ours."""


def test_every_published_experiment_has_a_plan_and_figures_for_its_own_cells() -> None:
    assert {"ggp-tables", "go6", "hex", "leftright"} <= set(names())
    for name in names():
        chosen = experiment(name)
        jobs = chosen.plan(chosen.settings)
        assert len({job.key for job in jobs}) == len(jobs) > 1, name
        if chosen.plan is not plan:
            continue
        path = FOLDER / f"{name}.toml"
        paper = read_paper(path, read_toml(path))
        known = {(game, cell.name) for game in chosen.settings.games for cell in cells(chosen.settings)}
        assert bool(paper.figures) == (name not in OWN), name
        assert set(paper.figures) <= known, name
        assert library_texts(jobs).keys() == set(chosen.settings.games)


@pytest.mark.parametrize(
    ("name", "game", "cell", "value"),
    [
        ("ggp-tables", "connect_four", "(2,1,2)", 70.9),
        ("ggp-tables", "crisscross", "(0,2,0)", 62.0),
        ("ggp-tables", "othello", "(1,1,1)", 59.2),
        ("ggp-tables", "pawn_whopping", "(1,1,1)", 59.8),
        ("ggp-tables", "knightthrough", "(2,1,1)", 56.9),
        ("ggp-tables", "pentago", "(0,2,1)", 56.8),
        ("ggp-tables", "capture_the_king", "(1,0,0)", 56.5),
        ("ggp-tables", "merrills", "(1,2,2)", 55.8),
        ("ggp-tables", "quarto", "(0,0,0)", 55.8),
        ("ggp-tables", "breakthrough", "(2,1,1)", 54.1),
        ("ggp-tables", "connect_four", "(1,0,1)", 63.9),
        ("go6", "go_6x6", "(1,1,0) c=40", 56.0),
        ("go6", "go_6x6", "(1,0,1) c=40", 48.0),
        ("hex", "hex_5x5_b2", "(0,1,2)", 63.5),
        ("leftright", "left_right", "(inf,0,1)", 99.8),
    ],
)
def test_figures_are_those_of_the_paper(name: str, game: str, cell: str, value: float) -> None:
    """The bests of its text, beside the tables they were typed from."""
    path = FOLDER / f"{name}.toml"
    assert read_paper(path, read_toml(path)).figures[game, cell] == value


def test_the_plan_covers_each_cell_with_swapped_roles_and_paired_seeds(tmp_path: Path) -> None:
    chosen = tiny(tmp_path)
    jobs = chosen.plan(chosen.settings)
    assert [len(job.work["groups"]) for job in jobs] == [32, 32, 32, 24]
    groups = [tuple(group) for job in jobs for group in job.work["groups"]]
    assert len(set(groups)) == len(groups) == 6 * 20
    assert jobs[0].work["rivals"]["(0,0,0)"] == specification("uct", 30.0)


def test_settings_travel_as_data() -> None:
    assert search_settings(specification("(inf,0,1)", 30)) == SearchSettings(
        math.inf, 0, 1, 30, solver=False, reuse=False
    )
    assert not search_settings(specification("uct", 40)).transpositions
    assert search_settings(specification("update-all", 40)).update == "all"
    with pytest.raises(UsageError, match=r"no search setting '\(1,2\)'"):
        specification("(1,2)", 1)


def test_players_are_cells_with_all_their_options() -> None:
    found = specification("ucd:policy=mast,first_play=50,d1=inf", 30)
    assert found == {"c": 30.0, "policy": "mast", "first_play": 50.0, "d1": "inf"}
    assert search_settings(found) == SearchSettings(d1=math.inf, c=30, policy="mast", first_play=50)
    assert specification("uct:c=20", 30)["c"] == 20 and not specification("uct:c=20", 30)["transpositions"]
    wrong = {"ucd:seconds=1": "counted", "ucd:simulations=9": "counted", "mast:c=3": "player", "ucd:x=3": "option"}
    for spec, why in wrong.items():
        with pytest.raises(UsageError, match=why):
            specification(spec, 30)


def test_players_are_separated_by_the_commas_that_are_not_their_own(tmp_path: Path) -> None:
    chosen = tiny(tmp_path).with_settings(["others=uct,ucd:policy=mast,c=30,ucd:first_play=50", "c=30"])
    assert chosen.settings.others == ("uct", "ucd:policy=mast,c=30", "ucd:first_play=50")


def test_the_report_sets_our_figures_beside_the_papers(tmp_path: Path) -> None:
    chosen = dataclasses.replace(tiny(tmp_path), perform=lab_engine.perform)
    run_experiment(chosen, tmp_path / "results", lambda: LocalPool(1))
    report, state = make_report(chosen, tmp_path / "results")
    assert state.done == state.jobs == 4
    table = next(part for part in report.parts if isinstance(part, Table))
    rows = {row[0]: row for row in table.rows}
    assert list(rows) == ["(0,0,0)", "(0,0,∞)", "(1,0,0)", "(1,0,∞)", "uct", "update-all"]
    assert all(row[4] == 40 for row in rows.values())
    assert str(rows["(0,0,0)"][7]).startswith("lower")  # about 40 where the paper has 90
    assert str(rows["(1,0,∞)"][7]).startswith("higher")  # about 60 where the paper has 10
    assert rows["uct"][7] == "agrees"
    assert rows["update-all"][5:] == (None, None, None)
    text = markdown(report, "tiny", plots=True)
    assert "**3 of 5 figures of the paper agree with ours**" in text
    assert "Control, uct against itself" in text
    assert "![tic_tac_toe: score in percent](tiny-tic_tac_toe.svg)" in text


@pytest.mark.parametrize(("c", "row"), [("30", "(0,0,0)"), ("40", None), ("30,40", "(0,0,0) c=30")])
def test_a_figure_for_one_constant_is_found_with_and_without_others(tmp_path: Path, c: str, row: str | None) -> None:
    text = TINY.replace("grid = [[90, 60.5], [60, 10]]", "").replace('"uct" = 50', '"(0,0,0) c=30" = 50')
    chosen = dataclasses.replace(tiny(tmp_path, text), perform=lab_engine.perform).with_settings([f"c={c}", "matches=2"])
    run_experiment(chosen, tmp_path / "results", lambda: LocalPool(1))
    report, _ = make_report(chosen, tmp_path / "results")
    table = next(part for part in report.parts if isinstance(part, Table))
    assert [row[0] for row in table.rows if row[5] is not None] == [row] * (row is not None)


def test_a_report_of_half_the_results_says_so(tmp_path: Path) -> None:
    chosen = dataclasses.replace(tiny(tmp_path), perform=lab_engine.perform).with_settings(["lanes=2", "matches=2"])
    run_experiment(chosen, tmp_path / "results", lambda: LocalPool(1), until=lambda values: len(values) >= 2)
    report, state = make_report(chosen, tmp_path / "results")
    assert 2 <= state.done < state.jobs == 6
    assert f"{state.done} of 6 cells have results" in markdown(report, "tiny", plots=False)


def test_large_tables_are_shown_as_grids(tmp_path: Path) -> None:
    depths = '["0", "1", "2", "3", "4", "5", "6", "7"]'
    text = TINY.replace('d1 = ["0", "1"]', f"d1 = {depths}").replace('d3 = ["0", "inf"]', f"d3 = {depths}")
    text = text.replace("grid = [[90, 60.5], [60, 10]]", "").replace('"uct" = 50', '"(0,0,0)" = 90, "(0,0,1)" = 60')
    chosen = dataclasses.replace(tiny(tmp_path, text), perform=lab_engine.perform).with_settings(["lanes=1000"])
    run_experiment(chosen, tmp_path / "results", lambda: LocalPool(1))
    report, _ = make_report(chosen, tmp_path / "results")
    shown = [part for part in report.parts if isinstance(part, Table) and part.shown]
    assert [table.name for table in shown] == ["tic_tac_toe-grid"]
    assert "**" in str(shown[0].rows[0][1])
    assert "(60.0)" in str(shown[0].rows[0][2])


def test_agreement() -> None:
    path = FOLDER / "hex.toml"
    paper = read_paper(path, read_toml(path))
    assert paper.standard_error(50.0) == pytest.approx(2.5)  # "The standard error was never over 2.5 %"
    ours = percent([100.0] * 220 + [0.0] * 180)
    assert remark(paper.compare(ours, 51.5)) == "agrees"
    assert remark(paper.compare(ours, 63.5)) == "lower (2.5 σ)"
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert correlation([1, 2, 3], [1, 1, 1]) is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'games = ["tic_tac_toe"]',
            'games = ["tic_tac_tow"]',
            "there is no game 'tic_tac_tow'; did you mean tic_tac_toe?",
        ),
        ('rival = "uct"', 'rival = ""', "tic_tac_toe has 2 roles: a rival is needed"),
        ('rival = "uct"', 'rival = "alphabeta"', "no search setting 'alphabeta'"),
        ("matches = 40", "", "tiny.toml: matches is missing"),
        ("matches = 40", 'matches = "many"', "tiny.toml: matches must be a int, not 'many'"),
        ("matches = 40", "matches = 0", "matches must be above 0, not 0"),
        ("seed = 1", "seed = 1\nsize = 2", r"tiny.toml: \[settings\] has no size"),
        ("[[90, 60.5], [60, 10]]", "[[90, 60.5]]", "table 1: the grid must have 2 rows of 2 numbers"),
        ("version = 3", 'version = 3\nkind = "chess"', "no kind 'chess'"),
        ("version = 3", "version = ", r"tiny.toml: Invalid value"),
    ],
)
def test_mistakes_in_a_file_are_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    def planned() -> object:
        chosen = tiny(tmp_path, TINY.replace(old, new))
        return chosen.plan(chosen.settings)

    with pytest.raises(UsageError, match=message):
        planned()


def test_unknown_experiments() -> None:
    with pytest.raises(UsageError, match="no experiment 'hexx'; known are contextual, ggp-tables, go6, groups"):
        experiment("hexx")
    with pytest.raises(UsageError, match=r"nowhere\.toml: no such file"):
        experiment("nowhere.toml")


def test_the_engine_plays_what_it_is_told() -> None:
    """Real matches: 100 simulations beat 1 in tic-tac-toe, whoever begins; the same seeds give the same matches."""
    text = (GAMES / "tic_tac_toe.kif").read_text()
    strong, weak = specification("(1,0,1)", 40.0), {**specification("uct", 40.0), "simulations": 1}
    seats = [[strong, weak], [weak, strong]] * 20
    results = play("tic_tac_toe", text, seats, range(40), 100)
    assert all(sum(goals) == 100 and 5 <= steps <= 9 for goals, steps in results)
    assert sum(goals[i % 2] for i, (goals, _) in enumerate(results)) > 80 * 40
    assert results == play("tic_tac_toe", text, seats, range(40), 100)
    assert results != play("tic_tac_toe", text, seats, range(40, 80), 100)
    assert machine("tic_tac_toe", text) is machine("tic_tac_toe", text)


def test_a_real_experiment_in_small(tmp_path: Path) -> None:
    chosen = tiny(tmp_path).with_settings(
        ["matches=4", "simulations=10", "d3=0", "others=uct,ucd:policy=mast,first_play=60"]
    )
    run_experiment(chosen, tmp_path / "results", lambda: LocalPool(1))
    report, state = make_report(chosen, tmp_path / "results")
    assert state.done == state.jobs == 1
    table = next(part for part in report.parts if isinstance(part, Table))
    assert [row[4] for row in table.rows] == [4, 4, 4, 4]


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    chosen = tiny(tmp_path, example)
    assert len(cells(chosen.settings)) == 9
    assert chosen.plan(chosen.settings)
    assert all(f"| `{name}` |" in text for name in names())

"""The experiment with equal pace, in small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ggp.core.errors import UsageError
from ggp.lab import pace
from ggp.lab.catalogue import experiment, names
from ggp.lab.conduct import make_report, run_experiment
from ggp.lab.plan import Job
from ggp.lab.pool import LocalPool
from ggp.lab.report import Table


def test_the_plan_and_the_report(tmp_path: Path) -> None:
    chosen = experiment("pace", small=True).with_settings(["games=tic_tac_toe,connect_four", "others=ucd:policy=mast"])
    jobs: list[Job] = list(chosen.plan(chosen.settings))
    assert [job.key for job in jobs] == ["tic_tac_toe/00 ucd:policy=mast", "connect_four/00 ucd:policy=mast"]
    assert jobs[0].work["own"]["policy"] == "mast" and jobs[0].work["own"]["playouts"] == 8
    run_experiment(chosen, tmp_path, lambda: LocalPool(1))
    report, state = make_report(chosen, tmp_path)
    assert state.done == 2
    tables = {part.name: part for part in report.parts if isinstance(part, Table)}
    assert sorted(tables) == ["all", "pace", "scores"]
    for row in tables["all"].rows:
        values: list[Any] = list(row[2:])
        rate, share, simulations, score, low, high, matches = values
        assert rate > 0 and 0.05 < share < 20 and simulations == max(1, round(20 * share))
        assert low <= score <= high and matches == 4


def test_who_has_half_the_pace_has_half_the_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(pace, "machine", lambda game, text: None)
    monkeypatch.setattr(pace, "_measured", lambda compiled, work: (0.5, 1000.0))

    def play(game: str, text: str, seats: list[list[dict[str, int]]], seeds: list[int], simulations: int) -> object:
        seen.append((seats, seeds, simulations))
        return [((100, 0), 9) for _ in seats]

    monkeypatch.setattr(pace, "play", play)
    chosen = experiment("pace", small=True)
    value = chosen.perform(chosen.plan(chosen.settings)[0].work, {"connect_four": ""})
    assert value == {"pace": 0.5, "rate": 1000, "simulations": 10, "goals": [100.0, 0.0, 100.0, 0.0]}
    [(seats, seeds, simulations)] = seen
    assert simulations == 20 and [seat[i % 2]["simulations"] for i, seat in enumerate(seats)] == [10] * 4
    assert all("simulations" not in seat[1 - i % 2] for i, seat in enumerate(seats))
    assert seeds[0] == seeds[1] != seeds[2]  # swapped roles, one seed


def test_settings_that_make_no_sense_are_refused() -> None:
    for wrong, message in (
        ("matches=0", "above 0"), ("games=tic_tak_toe", "tic_tac_toe"), ("games=left_right", "not two"),
        ("others=ucd:seconds=1", "simulations are counted"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            pace.plan(experiment("pace").with_settings([wrong]).settings)


@pytest.mark.parametrize("name", names())
def test_every_experiment_can_be_tried_in_small(name: str) -> None:
    large, small = experiment(name), experiment(name, small=True)
    assert 0 < len(small.plan(small.settings)) <= 20
    assert len(small.plan(small.settings)) <= len(large.plan(large.settings))


def test_who_has_no_small_sizes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\ntitle = "Own"\nversion = 1\n[settings]\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"no small sizes"):
        experiment(str(path), small=True)

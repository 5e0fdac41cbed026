"""Experiments and tournaments on the page: from the files that the commands keep, whatever is in them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")

from ggp.core.errors import UsageError
from ggp.lab import catalogue, plots
from ggp.lab.plan import Experiment, library_texts, plain
from ggp.lab.restored import restored, strength_of, tournament
from ggp.lab.sequential import Sprt
from ggp.lab.store import FILE, Store
from ggp.lab.strength import StrengthSettings
from ggp.lab.tournament import TournamentSettings
from ggp.web.experiments import Experiments
from tests.web_site import Site, site

SETTINGS = TournamentSettings(players=("greedy", "random"), games=("nim",), rounds=2, sprt=Sprt(0, 40))
PAIR = [{"points": [1, 0.5], "goals": [75, 25], "unfinished": 0, "faults": [0, 1]}]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def header(experiment: Experiment[Any]) -> dict[str, object]:
    return experiment.header(library_texts(experiment.plan(experiment.settings)))


def test_a_file_of_results_tells_its_experiment(tmp_path: Path) -> None:
    strength = StrengthSettings("ucd", (0.1,), ("nim",), 3, (("uct", "nim"),), 1, 0.1, 1, "x")
    known = catalogue.experiment("hex").with_settings(["matches=20"])
    for made in (tournament(SETTINGS), strength_of(strength), known):
        told = {"experiment": made.name, "settings": json.loads(json.dumps(plain(dataclasses.asdict(made.settings))))}
        found = restored(tmp_path, told)
        assert (found.name, found.settings, found.plan) == (made.name, made.settings, made.plan)
    for wrong, message in (
        ({}, "names no experiment"),
        ({"experiment": "mine", "settings": {}}, "somebody's own"),
        ({"experiment": "tournament", "settings": {}}, "sequential test"),
        ({"experiment": "hex", "settings": {"games": 3}}, "must be a list"),
    ):
        with pytest.raises(UsageError, match=message):
            restored(tmp_path, wrong)


def test_a_tournament_is_shown_while_it_runs(served: Site, tmp_path: Path) -> None:
    assert served.get("/api/experiments") == Experiments(tmp_path).listing() == {"runs": [], "reports": []}
    made = tournament(SETTINGS)
    jobs = made.plan(SETTINGS)
    with Store(tmp_path / "results" / "mine", header(made)) as store:
        before = served.get("/api/experiments/run/mine")
        assert (before["done"], before["jobs"]) == (0, len(jobs)) and "0 pairs" in before["text"]
        store.add(jobs[0], PAIR, "1", 0.5)
        (line,) = served.get("/api/experiments")["runs"]
        assert (line["name"], line["done"]) == ("mine", 1) and line["age"] < 60
        after = served.get("/api/experiments/run/mine")
        assert after["done"] == 1 and "| greedy |" in after["text"]
    (tmp_path / "results" / "torn").mkdir()
    (tmp_path / "results" / "torn" / FILE).write_text("nothing\n", encoding="utf-8")
    answer = requests.get(served.url + "/api/experiments/run/torn", timeout=20)
    assert answer.status_code == 400 and "not a result" in answer.json()["error"]


def test_reports_and_their_figures_are_read_and_nothing_else(served: Site, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "secret.svg").write_text("secret", encoding="utf-8")
    (tmp_path / "reports" / "a.md").write_text("# A", encoding="utf-8")
    (tmp_path / "reports" / "a-b.svg").write_text("<svg/>", encoding="utf-8")
    (tmp_path / "reports" / "link.md").symlink_to("/etc/passwd")
    assert served.get("/api/experiments")["reports"] == [{"folder": "reports", "name": "a"}]
    assert served.get("/api/experiments/report/reports/a.md") == {"text": "# A"}
    figure = requests.get(served.url + "/api/experiments/report/reports/a-b.svg", timeout=20)
    assert (
        figure.headers["Content-Type"] == "image/svg+xml"
        and "script-src 'self'" in figure.headers["Content-Security-Policy"]
    )
    for path in (
        "report/reports/link.md",
        "report/./secret.svg",
        "report/reports/..%2fsecret.svg",
        "run/..%2f",
        "report/reports/a.txt",
    ):
        assert requests.get(f"{served.url}/api/experiments/{path}", timeout=20).status_code == 404, path


@pytest.mark.skipif(not plots.available(), reason=plots.MISSING)
def test_figures_of_a_run_are_drawn(served: Site, tmp_path: Path) -> None:
    made = catalogue.experiment("hex").with_settings(["matches=2"])
    jobs = made.plan(made.settings)
    with Store(tmp_path / "results" / "hex", header(made)):
        pass
    assert served.get("/api/experiments/run/hex")["jobs"] == len(jobs)
    assert requests.get(f"{served.url}/api/experiments/run/hex/hex-none.svg", timeout=20).status_code == 404

"""Reports as Markdown, CSV and SVG."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ggp.core.errors import UsageError
from ggp.lab import plots
from ggp.lab.report import Report, Table, csv_text, markdown, write_report
from tests.helpers import ROOT
from tests.lab_fakes import DICE, report

TABLE = Table("scores", ("cell", "score", "games", "remark"), (("(0,1|2)", 63.512, 1400, None), ("b", 50.0, 2, "x,y")))


def test_markdown_shortens_and_aligns_numbers() -> None:
    assert markdown(Report("Title", ("Text.", TABLE)), "name", plots=False) == (
        "# Title\n\nText.\n\n"
        "| cell | score | games | remark |\n|---|--:|--:|---|\n| (0,1\\|2) | 63.5 | 1,400 |  |\n| b | 50.0 | 2 | x,y |\n"
    )


def test_csv_keeps_all_digits() -> None:
    rows = list(csv.reader(io.StringIO(csv_text(TABLE))))
    assert rows == [["cell", "score", "games", "remark"], ["(0,1|2)", "63.512", "1400", ""], ["b", "50.0", "2", "x,y"]]


def test_files_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    made = report(DICE.settings, {"job/01": [1, 2, 3], "job/02": [4, 5, 6.5]})
    one = {path.name: path.read_bytes() for path in write_report(made, "dice", tmp_path / "one", plots=True)}
    two = {path.name: path.read_bytes() for path in write_report(made, "dice", tmp_path / "two", plots=True)}
    assert one == two
    assert sorted(one) == ["dice-grid.svg", "dice-means.svg", "dice-throws.csv", "dice.md"]
    assert b"![Grid](dice-grid.svg)" in one["dice.md"]


def test_figures_say_what_they_show() -> None:
    made = report(DICE.settings, {"job/01": [1, 2, 3], "job/02": [4, 5, 6.5]})
    figures = [part for part in made.parts if not isinstance(part, (str, Table))]
    drawn = [plots.svg(figure) for figure in figures]
    for text in drawn:
        ElementTree.fromstring(text)
    assert all(word in drawn[0] for word in ("Means", ">dice<", ">again<", ">job<"))
    assert all(word in drawn[1] for word in ("d2 = 0", ">1.0<", ">3.0<", ">∞<"))


def test_without_matplotlib_there_are_no_links_and_a_clear_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = report(DICE.settings, {"job/01": [1, 2, 3]})
    monkeypatch.setattr(plots, "available", lambda: False)
    files = write_report(made, "dice", tmp_path, plots=plots.available())
    assert sorted(path.name for path in files) == ["dice-throws.csv", "dice.md"]
    assert "svg" not in (tmp_path / "dice.md").read_text()
    with pytest.raises(UsageError, match=r"pip install 'ggp\[lab\]'"):
        plots.svg(made.parts[2])  # type: ignore[arg-type]


def test_neither_matplotlib_nor_dask_is_imported_before_it_is_used() -> None:
    code = "import sys, ggp.lab.conduct, ggp.lab.pool; print({'matplotlib', 'distributed', 'dask'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"

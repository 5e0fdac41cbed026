"""The top of a search's graph on the page: what is told of it, and the positions that it leads to."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")

from gdl import load
from ggp.machines import PrologMachine
from ggp.search.inside import ReferenceView
from ggp.search.reference import RandomPlay, ReferenceSearch
from ggp.search.settings import SearchSettings
from ggp.web.graph import told
from tests.helpers import GAMES
from tests.web_site import Site


def lines(graph: list[dict[str, Any]]) -> Iterator[tuple[list[list[str]], int]]:
    """All lines of two joint moves from the root, and where they lead."""
    for first in graph[0]["ways"]:
        for second in graph[first["to"]]["ways"]:
            yield [first["moves"], second["moves"]], second["to"]


def test_the_graph_is_told_from_its_root_on() -> None:
    machine = PrologMachine(load(GAMES / "tic_tac_toe.kif"))
    settings = SearchSettings()
    search = ReferenceSearch(machine, machine.initial(), settings, 1, RandomPlay(machine, settings, 1))
    for _ in range(300):
        search.simulate()
    graph = told(ReferenceView(search))
    machine.close()
    assert graph[0]["visits"] >= max(way["visits"] for way in graph[0]["ways"]) > 0
    assert all(len(way["means"]) == 2 and "x: mark" in way["said"] for way in graph[0]["ways"])
    assert {way["to"] for spot in graph for way in spot["ways"]} == set(range(1, len(graph)))


@pytest.mark.slow
def test_what_was_searched_can_be_walked_through(served: Site) -> None:
    with served.live("/api/analysis/live", game="connect_four", seconds=1) as socket:
        *_, last = [json.loads(message) for message in socket]
    graph = last["graph"]
    assert 20 < len(graph) <= 200 and len(json.dumps(graph)) < 100_000
    into = [sum(way["to"] == node for spot in graph for way in spot["ways"]) for node in range(len(graph))]
    assert into[0] == 0 and min(into[1:]) == 1 and max(into) > 1  # some are met in several ways
    line, end = next(iter(lines(graph)))
    board = served.post("/api/analysis/board", game="connect_four", line=line)
    marked = [cell["id"] for cell in board["grids"][0]["cells"] if cell["items"] and cell["items"][0]["owner"]]
    assert len(marked) == 2 and board["to_move"] == ["red"] and end > 0


@pytest.mark.slow
def test_a_search_that_is_ended_early_tells_its_graph(served: Site) -> None:
    begun = time.monotonic()
    with served.live("/api/analysis/live", game="connect_four", seconds=500) as socket:
        while json.loads(socket.recv(timeout=200))["simulations"] == 0:
            pass
        socket.send("stop")
        *_, last = [json.loads(message) for message in socket]
    assert last["done"] and len(last["graph"]) > 10 and time.monotonic() - begun < 300


def test_an_unexpected_fault_of_an_analysis_is_told(
    served: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:  # fmt: skip
    def fail(*_: object) -> None:
        raise ZeroDivisionError("nothing was expected here")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # the report goes there
    monkeypatch.setattr(served.services.analyst, "look", fail)
    with served.live("/api/analysis/live", game="tic_tac_toe", seconds=1) as socket:
        (told,) = [json.loads(message) for message in socket]
    assert told["done"] and "ZeroDivisionError" in told["error"]


def test_only_lines_of_legal_moves_lead_somewhere(served: Site) -> None:
    path, go = "/api/analysis/board", {"game": "tic_tac_toe"}
    board = served.post(path, **go, line=[["(mark 2 2)", "noop"], ["noop", "(mark 1 1)"]])
    assert sorted(cell["id"] for cell in board["grids"][0]["cells"] if cell["mark"]) == ["1 1"]
    assert served.post(path, **go, line=[])["to_move"] == ["x"]
    for line, message in (
        ([["(mark 9 9)", "noop"]], "(mark 9 9) is not legal there"),
        ([["(mark 1 1)"]], "a move for each of 2 roles"),
        ([["noop", "noop", "noop"]], "a list of at most 2"),
        ("x", "a list of at most 100"),
    ):
        code, said = served.refused(path, **go, line=line)
        assert code == 400 and said.startswith(f"line: {message}")

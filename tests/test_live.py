"""What is told of a search while it goes on."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from gdl import parse_term
from ggp.analysis.live import Choice, Info, News, Watcher, attended
from ggp.core.progress import Rhythm
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.tree import Tree
from tests.compiled import compiled

DROP = parse_term("(drop 4)")
INFO = Info(2.0, 3000, 1200, (Choice("red", DROP, 56.24, False),), ((DROP, parse_term("noop")),))


def test_a_line_tells_time_simulations_pace_nodes_choice_and_line() -> None:
    text = " ".join(INFO.text().split())
    assert text == "2.0 s 3,000 simulations 1,500/s 1,200 nodes red (drop 4) 56.2 line (drop 4) noop"
    assert INFO.as_data() == {
        "seconds": 2.0, "simulations": 3000, "simulations_per_second": 1500, "nodes": 1200,
        "best": [{"role": "red", "move": "(drop 4)", "expected": 56.24, "proven": False}],
        "line": [["(drop 4)", "noop"]],
    }  # fmt: skip


def test_news_are_a_new_choice_or_a_new_expectation(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def due(self: Rhythm, changed: bool = False, now: float | None = None) -> bool:
        asked.append(changed)
        return True

    monkeypatch.setattr(Rhythm, "due", due)
    heard: list[Info] = []
    news = News(heard.append)
    best = INFO.choices[0]
    news.hear(replace(INFO, simulations=0))
    for choice in (
        best,
        replace(best, expected=56.9),
        replace(best, expected=58.0),
        replace(best, expected=58.0, proven=True),
        replace(best, move=parse_term("(drop 1)"), expected=58.0, proven=True),
    ):
        news.hear(replace(INFO, choices=(choice,)))
    assert asked == [True, False, True, True, True] and len(heard) == 5


def test_a_watcher_adds_up_what_the_threads_see() -> None:
    search = Search(compiled("tic_tac_toe"), SearchSettings(), 1, memory=2**22, threads=2)
    search.start(search.machine.initial())
    watcher, seen = Watcher(search, [0]), threading.Event()

    def see(tree: Tree) -> None:
        assert tree in search.trees
        watcher.see(tree)
        if watcher.info().simulations > 2000:
            seen.set()

    search.run(deadline=time.monotonic() + 30, stop=seen, watch=see)
    for tree in search.trees:
        watcher.see(tree)
    info = watcher.info()
    best = search.best(0)
    assert best is not None and info.choices[0].move == search.machine.inputs[best.input]
    assert info.simulations == sum(move.visits for move in search.moves(0)) and info.nodes > 100
    lines = [tree.line(1) for tree in search.trees]
    agreed = any(line and line[0][0] == best.input for line in lines)
    assert len(info.line) == (6 if agreed else 0)
    assert not agreed or info.line[0][0] == info.choices[0].move


def test_watching_changes_nothing() -> None:
    found = []
    for watch in (None, lambda tree: tree.line(6)):
        search = Search(compiled("tic_tac_toe"), SearchSettings(), 1, memory=2**22)
        search.start(search.machine.initial())
        search.run(simulations=500, watch=watch)
        found.append(search.moves(0))
    assert found[0] == found[1]


def test_ctrl_c_ends_work_on_another_thread() -> None:
    stop, begun = threading.Event(), time.monotonic()

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attended(lambda: stop.wait(60), stop, interrupted)
    assert stop.is_set() and time.monotonic() - begun < 30
    assert attended(lambda: 7, threading.Event(), lambda: None) == 7

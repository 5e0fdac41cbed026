"""What people choose and wish for, heard on one thread and awaited on another; and the bell that wakes up watchers."""

from __future__ import annotations

import threading
import time

import pytest

from gdl import parse_term
from ggp.core.errors import UsageError
from ggp.match.faults import FaultKind
from ggp.match.takeback import LeftError
from ggp.web.bell import Bell
from ggp.web.hearing import Hearing

MOVE = parse_term("(mark 1 1)")


def test_a_choice_is_awaited_and_made_once() -> None:
    hearing = Hearing(None)
    hearing.begin()
    later = threading.Timer(0.05, hearing.choose, (1, MOVE))
    later.start()
    assert hearing.await_choice(1).move == MOVE and hearing.chosen == [1] and hearing.left is None
    with pytest.raises(UsageError, match="chosen already"):
        hearing.choose(1, MOVE)
    hearing.begin()
    assert hearing.chosen == []


def test_a_wish_ends_the_waiting_once() -> None:
    hearing = Hearing(None)
    threading.Timer(0.05, hearing.wish_for, (LeftError("a resigns"),)).start()
    with pytest.raises(LeftError, match="a resigns"):
        hearing.await_choice(0)
    hearing.check_wishes()  # it was heard


def test_who_is_too_late_has_no_move() -> None:
    hearing = Hearing(0.05)
    assert hearing.left is None
    hearing.ask()
    assert hearing.left is not None and hearing.left <= 0.05
    begun = time.monotonic()
    answer = hearing.await_choice(0)
    assert answer.move is None and answer.fault is not None and answer.fault.kind is FaultKind.LATE
    assert time.monotonic() - begun < 10


def test_a_bell_wakes_up_whoever_watches() -> None:
    bell, heard = Bell(), list[str]()

    def once() -> None:
        heard.append("once")
        bell.unwatch(once)

    bell.watch(once)
    bell.watch(lambda: heard.append("always"))
    assert bell.watchers() == 2
    bell.ring()
    bell.ring()
    assert sorted(heard) == ["always", "always", "once"] and bell.watchers() == 1

"""The collector has many users and one owner: nobody's end is the end for others."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from gdl import parse
from gdl.garbage import Frozen, paused
from ggp.match.builtin import make_player
from ggp.players.player import Turn
from tests.compiled import compiled
from tests.helpers import TINY


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """The collector as it is at first, before and after."""
    gc.unfreeze()
    assert gc.isenabled()
    yield
    assert gc.isenabled() and gc.get_freeze_count() == 0


def test_a_pause_within_a_pause_does_not_end_it() -> None:
    with paused():
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_whoever_switched_the_collector_off_finds_it_off() -> None:
    gc.disable()
    try:
        with paused():
            parse(TINY)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_error_ends_a_pause() -> None:
    with pytest.raises(ZeroDivisionError), paused():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_the_collector_works_again_when_the_last_of_crossing_pauses_ends() -> None:
    """The one that began first ends first: it must not switch the collector on, nor the other leave it off."""
    begun, end, seen = threading.Event(), threading.Event(), []

    def other() -> None:
        with paused():
            begun.set()
            assert end.wait(10)
            seen.append(gc.isenabled())

    thread = threading.Thread(target=other)
    with paused():
        thread.start()
        assert begun.wait(10)
    assert not gc.isenabled()
    end.set()
    thread.join()
    assert seen == [False] and gc.isenabled()


def test_parsing_in_many_threads_leaves_the_collector_on() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(parse, [TINY] * 200))
    assert len(found) == 200 and gc.isenabled()


def test_what_one_keeps_is_not_thawed_by_another() -> None:
    first, second = Frozen(), Frozen()
    first.freeze()
    second.freeze()
    second.freeze()
    kept = gc.get_freeze_count()
    assert kept > 0
    second.thaw()
    second.thaw()
    assert gc.get_freeze_count() > kept / 2
    first.thaw()
    assert gc.get_freeze_count() == 0


def test_thawing_what_never_froze_changes_nothing() -> None:
    first = Frozen()
    first.freeze()
    Frozen().thaw()
    assert gc.get_freeze_count() > 0
    first.thaw()


def test_a_player_that_is_closed_leaves_the_other_players_theirs() -> None:
    machine = compiled("tic_tac_toe")
    turn = Turn(machine, machine.initial(), machine.situation(machine.initial()), 0, None)
    players = [make_player("ucd:simulations=20", seed) for seed in (1, 2)]
    for player in players:
        player.choose(turn)
    players[0].close()
    players[0].close()
    assert gc.get_freeze_count() > 0
    players[1].close()
    assert gc.get_freeze_count() == 0

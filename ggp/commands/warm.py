"""Compile all kernels once, so that no match has to: run by the set-up, as `python -m ggp.commands.warm`.

Where there was no set-up, as after `pip install`, the first command that plays or searches does it (`ggp.core.firstuse`).
"""

from __future__ import annotations

import math
import sys
import time
from importlib.util import find_spec

import numpy as np

from gdl.loader import load
from gdl.source import Source
from ggp.core import firstuse
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.lanes.network import Network
from ggp.lanes.ways import preferred, usable
from ggp.machines.circuit import CircuitMachine
from ggp.search.search import Search
from ggp.search.settings import SearchSettings

_GAME = """
(role a) (role b) (init (on 0)) (init (turn a)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (add ?n)) (true (turn ?r)) (step ?n)) (step 1) (step 2)
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
(<= (next (on ?m)) (true (on ?n)) (succ ?n ?m) (does ?r (add 1)))
(<= (next (on ?k)) (true (on ?n)) (succ ?n ?m) (succ ?m ?k) (does ?r (add 2)))
(<= (near ?m ?n) (succ ?m ?n)) (<= (near ?m ?n) (succ ?n ?m)) (<= (reach 3) (true (on 3)))
(<= (reach ?m) (reach ?n) (near ?n ?m) (true (on ?m)))
(<= over (reach 3)) (<= over (not (some))) (<= some (true (on ?n)))
(<= terminal over) (<= (goal ?r 100) (role ?r) (true (turn ?r))) (<= (goal ?r 0) (role ?r) (not (true (turn ?r))))
"""
_WITHOUT_CYCLES = """
(role a) (role b) (init (turn a)) (move x) (move y)
(<= (legal ?r ?m) (true (turn ?r)) (move ?m)) (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a))) (<= (next (won ?r)) (does ?r x))
(<= over (true (won ?r))) (<= terminal over)
(<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""
"""Playouts look ahead in games like this alone."""


def warm() -> None:
    """Use every kernel once, on a tiny game."""
    machine = CircuitMachine.compile(load(Source(_GAME, "<warm>")))
    position = machine.initial()
    machine.perft(position, 3)
    machine.playouts(position, count=1, seconds=0, limit=50, seed=1)
    search = Search(machine, SearchSettings(d1=1, d2=math.inf), seed=1, memory=2**20)
    search.start(position)
    search.run(simulations=100)
    search.trees[0].recycle()
    search.best(0)
    for way in usable():
        bank = Bank(Engine(machine.circuit, way=way), 64, 1)
        bank.play(100)
        bank.tick()
        bank.look()
    _ = CircuitMachine.compile(load(Source(_WITHOUT_CYCLES, "<warm>"))).engine.offers("decisive")
    Network().reserve(100_000)
    if find_spec("gymnasium"):
        _warm_environment()
    firstuse.mark()


def _warm_environment() -> None:
    """The kernels of the vector environment, where there is the library that it is for."""
    from ggp.envs.vector import LanesEnv

    env = LanesEnv(load(Source(_GAME, "<warm>")), 64, "a")
    env.reset(seed=1)
    env.step(np.zeros(64, np.int64))


def main() -> int:
    """Warm up with a line of progress."""
    start = time.perf_counter()
    print("setup: compiling kernels …", end=" ", flush=True)
    warm()
    print(f"done in {time.perf_counter() - start:.0f} s ({preferred().label} runs the lanes)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Records of random positions, and a process that learns them: little to import, as it is started often."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ggp.core.errors import KnowledgeError
from ggp.knowledge.base import Base
from ggp.knowledge.records import Records, kind

GAME = "ab" * 32


def some(count: int, seed: int = 1, roles: int = 2) -> Records:
    """Records of random positions."""
    dice = np.random.default_rng(seed)
    records = np.zeros(count, kind(roles))
    records["key"] = dice.integers(0, 2**64, (count, 2), np.uint64)
    records["move"], records["visits"] = dice.integers(0, 9, count), dice.integers(1, 100, count)
    records["tried"], records["goals"] = records["visits"] // 2, dice.integers(0, 101, (count, roles))
    return records


def main() -> None:
    """Learn batch after batch, and say so after each."""
    base = Base(Path(sys.argv[1]), GAME, 2)
    first, count, step = map(int, sys.argv[2:5])
    try:
        for number in range(first, first + count):
            base.learn(some(step, seed=number))
            print(number, flush=True)
    except KnowledgeError as error:
        sys.exit(str(error))

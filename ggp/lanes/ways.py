"""What runs the lanes: machine code for AVX-512 or for AVX2, or the interpreter."""

from __future__ import annotations

import os
import sys
from enum import Enum
from functools import cache

import llvmlite.binding as llvm

from ggp.core.errors import UsageError
from ggp.lanes import VARIABLE, interpreter
from ggp.lanes.encoding import Instructions
from ggp.lanes.evex import AVX512
from ggp.lanes.vex import AVX2


class Way(Enum):
    """How a program runs; the fastest first. All give the same bits."""

    AVX512 = "avx512"
    AVX2 = "avx2"
    INTERPRETER = "interpreter"

    @property
    def instructions(self) -> Instructions | None:
        """What its machine code is made of; None: it has none."""
        return {Way.AVX512: AVX512, Way.AVX2: AVX2}.get(self)

    @property
    def words(self) -> int:
        """Words of a row."""
        return interpreter.WORDS if self.instructions is None else self.instructions.words

    @property
    def label(self) -> str:
        """What it is, for readers."""
        names = {Way.AVX512: "machine code (AVX-512)", Way.AVX2: "machine code (AVX2)"}
        return names.get(self, "the numba interpreter")


@cache
def usable() -> tuple[Way, ...]:
    """The ways of this machine, the fastest first. Machine code is for Linux (System V calls) on x86-64."""
    features = dict[str, bool]()
    if sys.platform == "linux" and llvm.get_default_triple().startswith("x86_64"):
        features = llvm.get_host_cpu_features()
    return tuple(
        way for way in Way if way.instructions is None or all(features.get(x, False) for x in way.instructions.features)
    )


def preferred() -> Way:
    """The way that the environment names, or else the fastest one."""
    name = os.environ.get(VARIABLE, "")
    if not name:
        return usable()[0]
    found = [way for way in Way if way.value == name]
    if not found:
        raise UsageError(f"{VARIABLE}={name}: not one of {', '.join(way.value for way in Way)}")
    if found[0] not in usable():
        raise UsageError(f"{VARIABLE}={name}: not on this machine, only {', '.join(way.value for way in usable())}")
    return found[0]

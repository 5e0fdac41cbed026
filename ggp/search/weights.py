"""Where searches find what was learned of a game (see `valuing`): the weights of bases in the value of a position."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from ggp.core.errors import MachineError
from ggp.lanes.engine import Engine
from ggp.search.kernels.layout import Floats


class Value(NamedTuple):
    """What positions are worth, as far as was learned."""

    weights: Floats
    """[bases of whole words + 1, roles]; the last row counts in every position."""
    agreement: float
    """How well it tells what other matches come to, in their last third: the correlation of both, 1 at most."""


KNOWN: WeakKeyDictionary[Engine, Value] = WeakKeyDictionary()


def weights_of(engine: Engine) -> Floats:
    """The weights that were learned with an engine."""
    if engine not in KNOWN:
        raise MachineError("the value of positions was not learned yet")
    return KNOWN[engine].weights

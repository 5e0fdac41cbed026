"""Games as environments of the libraries that learn: Gymnasium, PettingZoo, OpenSpiel (`openspiel`), as optional extras.

What holds in all of them:

- **action**: the number of a move among all that a role may ever have; a **mask** says which are legal now.
- **observation**: the bits of the position, one for each fluent, in the order of `Lanes.bases`. In games of hidden
  information: what the role was told since it last moved, and that move.
- **asked**: a role is, where it has more than one legal move. What is forced is played without asking; chance draws.
- **reward**: 0 until the game is over, then what the goal is worth: 0 is -1, 50 is 0, 100 is 1. An action that is not
  legal ends the game: -1 for whoever chose it, 0 for the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ggp.core.errors import UsageError

if TYPE_CHECKING:
    from ggp.envs.aec import AecGame as AecGame
    from ggp.envs.parallel import ParallelGame as ParallelGame
    from ggp.envs.single import GameEnv as GameEnv
    from ggp.envs.vector import LanesEnv as LanesEnv

_HOMES = {
    "AecGame": "ggp.envs.aec",
    "GameEnv": "ggp.envs.single",
    "LanesEnv": "ggp.envs.vector",
    "ParallelGame": "ggp.envs.parallel",
}
"""Where each is defined; imported when it is asked for, as each needs another library."""
__all__ = ["AecGame", "GameEnv", "LanesEnv", "ParallelGame"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'ggp.envs' has no attribute {name!r}")
    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if (error.name or "ggp").startswith("ggp"):
            raise
        raise UsageError(f"ggp.envs.{name} needs {error.name}, which is not installed: pip install 'ggp[rl]'") from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

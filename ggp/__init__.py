"""ggp: a general game player for games in GDL.

The words used here (see also the package `gdl`):

- **machine**: anything that answers roles, initial, legal, next, terminal, goal (and sees, for GDL-II).
- **position**: a state of the game, a value of its machine. **joint move**: one move per role, in the order of roles.
- **base**: a ground fluent; **input**: a ground (role, move) pair; both are numbered once a game is ground.
- **ground program**: propositional rules over numbered atoms. **propnet**: the same seen as a network of named nodes.
- **circuit**: the propnet as an and-inverter graph. **lanes**: positions evaluated at once, one bit each. **bank**: one
  array of lanes.
- **playout**: a play of uniformly random moves to the end. **perft**: a count of the game tree by sequences of moves.
- **player**: whatever chooses moves for a role. **match**: one play of a game by players.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` would take longer to load than all the rest of this package
if TYPE_CHECKING:
    import os

    from ggp.batch import Lanes

__version__: str
__all__ = ["lanes"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("ggp")
    raise AttributeError(f"module 'ggp' has no attribute {name!r}")


def lanes(game: str | os.PathLike[str], width: int = 512, seed: int = 1) -> Lanes:
    """Positions of a game (a file, or a name of the library), hundreds at a time, as numpy arrays: `ggp.batch.Lanes`."""
    from ggp.batch import lanes as make  # numpy and numba take a second: only where they are used

    return make(game, width, seed)

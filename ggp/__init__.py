"""ggp: a general game player for games in GDL.

The words used here (see also the package `gdl`):

- **machine**: anything that answers roles, initial, legal, next, terminal, goal (and sees, for GDL-II).
- **position**: a state of the game, a value of its machine. **joint move**: one move per role, in the order of roles.
- **playout**: a play of uniformly random moves to the end. **perft**: a count of the game tree by sequences of moves.
- **player**: whatever chooses moves for a role. **match**: one play of a game by players.
"""

from importlib.metadata import version

__version__ = version("ggp")

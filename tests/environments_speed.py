"""Steps a second of the vector environment beside other environments of the same games, in one run.

`python -m tests.environments_speed` prints the first table of docs/environments.md, with `widths` the second. OpenSpiel
and pgx take part where they are installed. All play at random, 512 games at once, each with its observations and masks of
legal actions, and begin anew when they are over; what chooses the moves is not timed. Turns are taken, and processor time
of all threads is counted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import kernel
from ggp.envs.vector import LanesEnv

GAMES = ("tic_tac_toe", "connect_four", "breakthrough", "hex_11x11", "othello")
BATCH, ROUNDS, SECONDS = 512, 5, 1.0
WIDTHS = (64, 512, 4096, 32768)
"""Games at once, for the second table."""
_OPEN_SPIEL = {"hex_11x11": "hex(board_size=11)"}
_PGX = {"hex_11x11": "hex", "breakthrough": None}

Bytes = NDArray[np.int8]
Ints = NDArray[np.int64]
Step = Callable[[np.ndarray], np.ndarray]
"""Takes an action for each game and gives the mask of legal ones; without actions, the first mask."""


def ours(name: str, width: int = BATCH) -> tuple[Step, np.ndarray]:
    """The lanes."""
    env = LanesEnv(name, width)
    mask: np.ndarray = env.reset(seed=1)[1]["action_mask"]
    return lambda actions: env.step(actions)[4]["action_mask"], mask


def open_spiel(name: str) -> tuple[Step, np.ndarray] | None:
    """Games in C++, called one after the other."""
    if find_spec("pyspiel") is None:
        return None
    import pyspiel

    game = pyspiel.load_game(_OPEN_SPIEL.get(name, name))
    states = [game.new_initial_state() for _ in range(BATCH)]

    def step(actions: np.ndarray) -> np.ndarray:
        masks = []
        for number, action in enumerate(actions.tolist()):
            states[number].apply_action(action)
            if states[number].is_terminal():
                states[number].returns()
                states[number] = game.new_initial_state()
            state = states[number]
            state.observation_tensor(state.current_player())
            masks.append(state.legal_actions_mask())
        return np.array(masks)

    return step, np.array([state.legal_actions_mask() for state in states])


def pgx(name: str) -> tuple[Step, np.ndarray] | None:
    """Games in JAX, vectorized and compiled for this processor."""
    known = _PGX.get(name, name)
    if find_spec("pgx") is None or known is None:
        return None
    import jax
    from pgx import make
    from pgx.experimental import auto_reset

    env = make(known)
    advance = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    state: Any = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), BATCH))
    keys = jax.random.split(jax.random.PRNGKey(2), BATCH)

    def step(actions: np.ndarray) -> np.ndarray:
        nonlocal state
        state = advance(state, actions, keys)
        state.observation.block_until_ready()
        return np.asarray(state.legal_action_mask)

    return step, np.asarray(state.legal_action_mask)


@kernel
def _drop(boards: Bytes, turns: Bytes, actions: Ints, planes: Bytes, masks: Bytes) -> None:
    """A step of connect four as one writes it down first: boards int8 [games, 7, 6], 1 and 2; turns int8 [games]."""
    for game in range(len(boards)):
        board, x, player = boards[game], actions[game], turns[game] + 1
        y = 0
        while board[x, y]:
            y += 1
        board[x, y] = player
        won, full = False, True
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            run = 1
            for sign in (1, -1):
                i, j = x + sign * dx, y + sign * dy
                while 0 <= i < 7 and 0 <= j < 6 and board[i, j] == player:
                    run, i, j = run + 1, i + sign * dx, j + sign * dy
            won = won or run >= 4
        for i in range(7):
            full = full and board[i, 5] != 0
        turns[game] = 1 - turns[game]
        if won or full:
            board[:] = 0
            turns[game] = 0
        for i in range(7):
            masks[game, i] = board[i, 5] == 0
            for j in range(6):
                planes[game, 0, i, j] = board[i, j] == 1
                planes[game, 1, i, j] = board[i, j] == 2


def plain(name: str) -> tuple[Step, np.ndarray] | None:
    """Connect four written for numba, by hand."""
    if name != "connect_four":
        return None
    boards, turns = np.zeros((BATCH, 7, 6), np.int8), np.zeros(BATCH, np.int8)

    def step(actions: np.ndarray) -> np.ndarray:
        planes, masks = np.empty((BATCH, 2, 7, 6), np.int8), np.empty((BATCH, 7), np.int8)
        _drop(boards, turns, actions, planes, masks)
        return masks

    return step, np.ones((BATCH, 7), np.int8)


ENVIRONMENTS: dict[str, Callable[[str], tuple[Step, np.ndarray] | None]] = {
    "lanes": ours,
    "by hand, numba": plain,
    "OpenSpiel": open_spiel,
    "pgx": pgx,
}


def burst(step: Step, mask: np.ndarray, generator: np.random.Generator, seconds: float) -> tuple[int, float, np.ndarray]:
    """Steps of all games, their processor time, and the last mask."""
    used, steps = 0.0, 0
    while used < seconds:
        actions = np.where(mask, generator.random(mask.shape, np.float32), -1).argmax(axis=1)
        begun = time.process_time()
        mask = step(actions)
        used, steps = used + time.process_time() - begun, steps + len(actions)
    return steps, used, mask


def measured(made: dict[str, tuple[Step, np.ndarray]]) -> dict[str, float]:
    """Steps a second of each environment, the best of several bursts in turn."""
    masks = {label: mask for label, (_, mask) in made.items()}
    generator, best = np.random.default_rng(1), dict.fromkeys(made, 0.0)
    for number in range(ROUNDS + 1):
        for label, (step, _) in made.items():
            steps, used, masks[label] = burst(step, masks[label], generator, SECONDS if number else 0.01)
            best[label] = max(best[label], steps / used if number else 0.0)
    return best


def table(head: Sequence[str], make: Callable[[str], dict[str, tuple[Step, np.ndarray]]]) -> None:
    """Print a table of thousands of steps a second, a game a line."""
    print(f"| game | {' | '.join(head)} |\n|---|{'--:|' * len(head)}")
    for name in GAMES:
        best = measured(make(name))
        cells = [f"{best[label] / 1000:,.0f}" if label in best else "" for label in head]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table beside others, or, with `widths`, that of the lanes alone."""
    if sys.argv[1:] == ["widths"]:
        table([str(width) for width in WIDTHS], lambda name: {str(width): ours(name, width) for width in WIDTHS})
        return
    table([*ENVIRONMENTS], lambda name: {label: made for label, make in ENVIRONMENTS.items() if (made := make(name))})


if __name__ == "__main__":
    main()

"""How the arrays of a search are laid out: the names of their columns, and what is passed from kernel to kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Columns of head, int64 [graphs, HEAD]. Indices are absolute, counts and capacities are a graph's own.
(NODES, NODE_LO, NODE_CAP, CHUNKS, CHUNK_LO, CHUNK_CAP, POOL, POOL_LO, POOL_CAP, TABLE_LO, TABLE_MASK, ROOT, STAMP,
 WANTED, STARTED, DONE, FULL, MET, DEEPEST, JOURNAL, BEST, BEST_SLOT, BEST_END, BEST_LENGTH) = range(24)  # fmt: skip
HEAD = 24

# Columns of rule, float64 [graphs, RULE]: the settings. Levels are numbers of sums, -1: the edge itself. FINITE: the last
# finite level that is kept; INFINITE: the level of infinite depth, 0: it is not kept.
C, MEAN_LEVEL, PARENT_LEVEL, COUNT_LEVEL, FINITE, INFINITE, TABLE, ALL, SOLVER = range(9)
RULE = 9

# Columns of node, int32 [nodes, NODE].
CHUNK, LAST, EDGES, MOVES, COUNT, DECIDER, IN, STATE, PHASE, LENGTH, FLOOR = range(11)
NODE = 11
EXPANDED, EXPANDING, TERMINAL, PROVEN = 1, 2, 4, 8  # bits of STATE
MANY, CHANCE = -1, -2  # as DECIDER: several roles decide; chance decides

# Columns of link, int32 [edges, LINK].
DEST, ORIGIN, NEXT_IN, FLYING = range(4)  # FLYING: simulations on their way through the edge
LINK = 4

# Columns of stat, float64 [edges, 2 + 2*roles]: n, n', sums of all payoffs, sums of the first ones.
N, FIRST_N, PAYOFF = range(3)

# Columns of sight, float64 [edges, 2]: adapted mean for the role that decides, 1 / sqrt(n_d3).
VALUE, SPREAD = range(2)

CHUNK_EDGES = 4

# Columns of slot, int32 [slots, SLOT]: its graph, its stage, random steps since the last node, phase of `position`; for
# one role, the input of the random step, the lane of the best playout (-1: the payoff is a node's), and its goal.
OF, STAGE, STEPS, AT, PICK, LANE, GOAL = range(7)
SLOT = 7
IDLE, EXPAND, MOVE, READY, PLAYING = range(5)  # STAGE


class Graph(NamedTuple):
    """Search graphs in flat arrays, and what they need to know of the game."""

    head: NDArray[np.int64]
    rule: NDArray[np.float64]
    luck: NDArray[np.uint64]  # [graphs] state of the generator
    position: NDArray[np.uint64]  # [nodes, words]
    node: NDArray[np.int32]
    mark: NDArray[np.int64]  # [nodes] stamp of the last walk that came by
    sums: NDArray[np.float64]  # [nodes, levels * (1 + roles)]
    proof: NDArray[np.float64]  # [nodes, roles] goals of terminal and proven nodes
    link: NDArray[np.int32]
    stat: NDArray[np.float64]
    sight: NDArray[np.float64]  # [edges, 2] what a selection reads, kept up to date; proven edges have no spread
    code: NDArray[np.int64]  # [edges] number of the joint move at its origin
    next_chunk: NDArray[np.int32]
    pool: NDArray[np.int32]  # moves of the expanded nodes
    table: NDArray[np.int32]  # open addressing: a node or -1
    role_starts: NDArray[np.int64]  # [roles + 1] inputs of each role
    best_goal: NDArray[np.float64]  # [roles] the highest goal of the game
    cut_goal: NDArray[np.float64]  # [roles] what a playout that was given up counts
    chance: NDArray[np.bool_]  # [roles]
    journal: NDArray[np.float64]  # [entries, 1 + roles] what chance decided, for tests; may be empty


class Slots(NamedTuple):
    """Simulations under way."""

    slot: NDArray[np.int32]
    node: NDArray[np.int32]  # [slots, depth + 1] the nodes of the descent
    edge: NDArray[np.int32]  # [slots, depth]
    length: NDArray[np.int32]  # [slots] edges so far
    position: NDArray[np.uint64]  # [slots, words] to be loaded
    payoff: NDArray[np.float64]  # [slots, roles]
    line: NDArray[np.int32]  # [depth] for one role: the edges of the best descent, see `best`


class Rows(NamedTuple):
    """Where the lanes' memory holds what; see `ggp.banks.lap.Rows`."""

    bases: int
    inputs: int
    goals: int
    done: int
    fresh: int
    waits: int
    ended: int
    stuck: int
    goal: int
    given: int
    moves: int
    legal: int


class Lanes(NamedTuple):
    """The growing lanes and the playing lanes: their memory, uint64 [blocks, rows, words], and what goes in and out."""

    rows: Rows
    growing: NDArray[np.uint64]
    playing: NDArray[np.uint64]
    source: NDArray[np.int32]  # [growing lanes] the slot of each
    play_source: NDArray[np.int32]  # [playing lanes] the slot that was just loaded, or -1
    started: NDArray[np.int64]  # [slots] the lap with which its playouts began
    positions: NDArray[np.uint64]  # [growing lanes, words] after the step
    legal: NDArray[np.uint64]  # [growing lanes, words of inputs] before the step
    picks: NDArray[np.uint64]  # [growing lanes, words of inputs] what was played
    ended: NDArray[np.bool_]  # [growing lanes] the position before the step was terminal, or stuck,
    goals: NDArray[np.float64]  # [growing lanes, roles] with these goals
    goal_roles: NDArray[np.int64]  # [goals] of the game
    goal_values: NDArray[np.float64]
    mask: NDArray[np.uint64]  # scratch: [columns] of the larger bank
    square: NDArray[np.uint64]  # scratch: [64]


class Scratch(NamedTuple):
    """Working memory of the kernels, for one thread."""

    stack: NDArray[np.int32]
    order: NDArray[np.int32]
    arm_n: NDArray[np.float64]  # [inputs]
    arm_sum: NDArray[np.float64]  # [inputs]
    pick: NDArray[np.int64]  # [roles]
    goals: NDArray[np.float64]  # [roles]
    inputs: NDArray[np.int32]  # [inputs]
    counts: NDArray[np.int32]  # [roles]

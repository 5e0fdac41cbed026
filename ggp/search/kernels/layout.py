"""What the arrays of a search hold, and what is passed from kernel to kernel.

Arrays of records have classes here that explain their fields. What depends on the number of roles lies beside them in
plain arrays, so that kernels are compiled once for all games. In all kernels these letters mean the same:

- `g`: the graphs (`Graph`), `k`: the number of one of them;
- `s`: the slots (`Slots`), `i`: the number of one of them;
- `v`: the lanes (`Lanes`); `w`: working memory (`Scratch`);
- `x`: a node, `e`: an edge, `y`: the node that an edge leads to; `r`: a role.

Nodes and edges are places in the arrays, which all graphs share; -1: none.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.search.kernels.records import Bool, Float, Int32, Int64, Record, Records
from ggp.search.kernels.weighing import Rule

CHUNK_EDGES = 4

Words: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int32]


class State(IntEnum):
    """Bits of a node's state."""

    EXPANDED = 1
    """Its moves are listed."""
    EXPANDING = 2
    """A slot is about to list them."""
    TERMINAL = 4
    PROVEN = 8


class Decider(IntEnum):
    """Who decides at a node where that is no single role."""

    MANY = -1
    CHANCE = -2


class Stage(IntEnum):
    """What a slot waits for."""

    IDLE = 0
    """A simulation."""
    EXPAND = 1
    """A growing lane, to list the moves of its last node and play one."""
    MOVE = 2
    """A growing lane, to play the move of its last edge."""
    READY = 3
    """Playing lanes."""
    PLAYING = 4
    """The end of its playouts."""
    DESCENDING = 5
    """Its descent to go on."""
    PAID = 6
    """Its payoff, which is known, to be counted."""


class Head(Record):
    """What a graph has and does. `lo`: where its part of an array begins; `cap`: how much fits there."""

    nodes: Int64
    node_lo: Int64
    node_cap: Int64
    chunks: Int64
    """Of edges."""
    chunk_lo: Int64
    chunk_cap: Int64
    pool: Int64
    """Entries of the pool in use."""
    pool_lo: Int64
    pool_cap: Int64
    table_lo: Int64
    table_mask: Int64
    """Places in the table, less one: they are a power of two."""
    root: Int64
    stamp: Int64
    """Of the last walk, see `Graph.mark`."""
    wanted: Int64
    """Simulations to be started."""
    started: Int64
    done: Int64
    met: Int64
    """Edges that were found to lead to a known position."""
    deepest: Int64
    """Edges of the longest descent."""
    journal: Int64
    """Entries of the journal in use."""
    best_goal: Int64
    """For one role: the highest goal that was reached; see `best`, also for the others."""
    best_slot: Int64
    """The slot that reached it; -1: that was seen to."""
    best_end: Int64
    best_length: Int64
    full: Bool
    """Whether something had no room."""


class NodeRecord(Record):
    """A position."""

    first_chunk: Int32
    """Of the edges that leave it."""
    last_chunk: Int32
    edges: Int32
    """How many leave it."""
    moves: Int32
    """Where its moves begin in the pool."""
    count: Int32
    """Joint moves, tried or not."""
    decider: Int32
    """The role that decides, or a `Decider`."""
    first_in: Int32
    """The first of the edges that lead to it."""
    state: Int32
    phase: Int32
    length: Int32
    """Where it is proven: steps to the end of the game."""
    floor: Int32
    """The node after it that is proven to be worth most to the role that decides."""
    principal: Int32
    """The node after it whose promise is its own; -1: none, see `minimax`."""


class EdgeRecord(Record):
    """A joint move at a node: 32 bytes, half a line of the processor's cache."""

    dest: Int32
    """The node it leads to."""
    origin: Int32
    next_in: Int32
    """The next of the edges that lead to the same node."""
    flying: Int32
    """Simulations on their way through it."""
    n: Float
    """Payoffs that came through it."""
    first_n: Float
    """n′: those that came before its end had edges."""


class Sight(Record):
    """What a selection reads of an edge, kept up to date: 16 bytes, as all edges of a node are looked at."""

    value: Float
    """Adapted mean for the role that decides."""
    spread: Float
    """1 / sqrt(n_d3); see `refresh_spread`."""


class Move(Record):
    """What is known of a move at a node without an edge being asked: 16 bytes, see `amaf`."""

    n: Float
    """Simulations in which it was played there or later."""
    total: Float
    """The sum of what they were worth to its role."""


class Group(Record):
    """What is known of a group of moves at a node, and of a move in its group: 32 bytes, see `grouping`."""

    n: Float
    """Payoffs of simulations that chose the group."""
    total: Float
    """The sum of them, for the role that decides."""
    own_n: Float
    """Those that came through the move at this place, as one of its own group; only where groups overlap."""
    flying: Int32
    """Simulations on their way that chose the group."""
    own_flying: Int32


class Slot(Record):
    """What carries one simulation at a time."""

    graph: Int32
    """The number of the graph that it works for."""
    stage: Int32
    """A `Stage`."""
    length: Int32
    """Edges of its descent so far."""
    steps: Int32
    """Random steps since the last node."""
    phase: Int32
    """Of its position."""
    pick: Int32
    """For one role: the input of the random step."""
    lane: Int32
    """For one role: the lane of the best playout; -1: the payoff is a node's."""
    goal: Int32
    """For one role: what that playout reached."""


class Graph(NamedTuple):
    """Search graphs in flat arrays, and what they need to know of the game."""

    head: Records[Head]  # [graphs]
    rule: Records[Rule]  # [graphs]
    luck: Words  # [graphs] state of the generator
    position: Words  # [nodes, words]
    node: Records[NodeRecord]  # [nodes]
    mark: NDArray[np.int64]  # [nodes] stamp of the last walk that came by
    sums: Floats  # [nodes, levels * (1 + roles)]
    proof: Floats  # [nodes, roles] goals of terminal and proven nodes
    promise: Floats  # [nodes, 2 * roles] the learned value, and the best below (`minimax`); [nodes, 0] where nobody asks
    edge: Records[EdgeRecord]  # [edges]
    payoff: Floats  # [edges, 2 * roles] sums of all payoffs, sums of the first ones
    sight: Records[Sight]  # [edges]
    code: NDArray[np.int64]  # [edges] number of the joint move at its origin
    next_chunk: Numbers  # [chunks]
    pool: Numbers  # moves of the expanded nodes
    move: Records[Move]  # beside the pool; nothing, where no setting wants it
    group: Records[Group]  # beside the pool; nothing, where no setting wants it
    family: Numbers  # [inputs] which are one group, where that is known beforehand
    spot: Numbers  # [inputs, 2] where each is on the board; -1: on none
    table: Numbers  # open addressing: a node or -1
    role_starts: NDArray[np.int64]  # [roles + 1] inputs of each role
    liking: Floats  # [graphs, inputs] how much more playouts with it have come to than those of its role on average
    weight: Floats  # [bases + 1, roles] of the learned value: of each base, and what is always added; see `valuing`
    least_goal: Floats  # [roles] the lowest goal of the game
    best_goal: Floats  # [roles] the highest
    cut_goal: Floats  # [roles] what a playout that was given up counts
    chance: NDArray[np.bool_]  # [roles]
    journal: Floats  # [entries, 1 + roles] what chance decided, for tests; may be empty


class Slots(NamedTuple):
    """Simulations under way."""

    slot: Records[Slot]  # [slots]
    node: Numbers  # [slots, depth + 1] the nodes of the descent
    edge: Numbers  # [slots, depth]
    group: Numbers  # [slots, depth] the group of moves that was chosen; -1: there was none to choose
    position: Words  # [slots, words] to be loaded
    payoff: Floats  # [slots, roles]
    line: Numbers  # [depth] for one role: the edges of the best descent, see `best`


class Rows(NamedTuple):
    """Where the lanes' memory holds what; see `ggp.lanes.memory.Rows`."""

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
    growing: Words
    playing: Words
    source: Numbers  # [growing lanes] the slot of each
    played: int  # the first of the rows of `playing` that tell which inputs were played; -1: there are none
    play_source: Numbers  # [playing lanes] the slot that was just loaded, or -1
    started: NDArray[np.int64]  # [slots] the lap with which its playouts began
    positions: Words  # [growing lanes, words] after the step
    legal: Words  # [growing lanes, words of inputs] before the step
    picks: Words  # [growing lanes, words of inputs] what was played
    ended: NDArray[np.bool_]  # [growing lanes] the position before the step was terminal, or stuck,
    goals: Floats  # [growing lanes, roles] with these goals
    goal_rows: NDArray[np.int64]  # [goals] for each role the highest first: its place among their rows
    goal_roles: NDArray[np.int64]
    goal_values: Floats
    mask: Words  # scratch: [columns] of the larger bank
    square: Words  # scratch: [64]


class Scratch(NamedTuple):
    """Working memory of the kernels, for one thread."""

    stack: Numbers
    order: Numbers
    arm_n: Floats  # [inputs]
    arm_sum: Floats  # [inputs]
    pick: NDArray[np.int64]  # [roles]
    inputs: Numbers  # [inputs]
    counts: Numbers  # [roles]
    heard: Records[Move]  # [inputs] what was played in the simulation that is being counted, see `amaf`
    lane_goals: Floats  # [64, roles]
    alike: Words  # [64] lanes that came to the same
    reached: Floats  # [64] what that is
    mixed: Records[Move]  # [inputs] what the ends of a node's edges know, see `amaf`
    ties: Numbers  # [inputs] how many moves have shared the lead in a group
    chosen: Numbers  # [1] the group of the move that was chosen last, see `grouping`

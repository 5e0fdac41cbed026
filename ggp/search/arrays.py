"""The arrays that the kernels of one thread work on, made for a graph and the lanes of a circuit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ggp.lanes.bank import Bank
from ggp.search.kernels.layout import Graph, Lanes, Move, Rows, Scratch, Slot, Slots
from ggp.search.kernels.records import zeros


class Work(NamedTuple):
    """What kernels are given, in the order in which they take it."""

    graph: Graph
    slots: Slots
    lanes: Lanes
    scratch: Scratch


def new_work(graph: Graph, growing: Bank, playing: Bank, slots: int, depth: int, played: int) -> Work:
    """Arrays for so many simulations under way, with descents of so many edges at most. `played`: see `Lanes`."""
    inputs = max(1, growing.engine.circuit.inputs)
    return Work(
        graph, _slots(graph, slots, depth), _lanes(graph, growing, playing, slots, played), _scratch(graph, inputs, depth)
    )


def _slots(graph: Graph, slots: int, depth: int) -> Slots:
    return Slots(
        slot=zeros(Slot, slots),
        node=np.zeros((slots, depth + 1), np.int32),
        edge=np.zeros((slots, depth), np.int32),
        group=np.full((slots, depth), -1, np.int32),
        position=np.zeros((slots, graph.position.shape[1]), np.uint64),
        payoff=np.zeros((slots, graph.proof.shape[1])),
        line=np.zeros(depth, np.int32),
    )


def _scratch(graph: Graph, inputs: int, depth: int) -> Scratch:
    nodes, roles = len(graph.node) // len(graph.head), graph.proof.shape[1]
    return Scratch(
        stack=np.empty(2 * nodes + 8, np.int32),
        order=np.empty(nodes + depth + 8, np.int32),
        arm_n=np.empty(2 * inputs),
        arm_sum=np.empty(inputs),
        pick=np.zeros(roles, np.int64),
        inputs=np.zeros(inputs, np.int32),
        counts=np.zeros(roles, np.int32),
        heard=zeros(Move, inputs),
        lane_goals=np.zeros((64, roles)),
        alike=np.zeros(64, np.uint64),
        reached=np.zeros(64),
        mixed=zeros(Move, inputs),
        ties=np.zeros(inputs, np.int32),
        chosen=np.full(1, -1, np.int32),
    )


def _lanes(graph: Graph, growing: Bank, playing: Bank, slots: int, played: int) -> Lanes:
    engine, lanes = growing.engine, growing.lanes
    words, roles = graph.position.shape[1], graph.proof.shape[1]
    inputs = -(-max(1, engine.circuit.inputs) // 64)
    values, of = engine.circuit.goal_values, engine.circuit.goal_roles
    order = np.lexsort((-values, of))
    return Lanes(
        rows=Rows(**{name: getattr(engine.rows, name) for name in Rows._fields}),
        growing=growing.memory,
        playing=playing.memory,
        source=np.zeros(lanes, np.int32),
        played=played,
        play_source=np.full(playing.lanes, -1, np.int32),
        started=np.zeros(slots, np.int64),
        positions=np.zeros((lanes, words), np.uint64),
        legal=np.zeros((lanes, inputs), np.uint64),
        picks=np.zeros((lanes, inputs), np.uint64),
        ended=np.zeros(lanes, np.bool_),
        goals=np.zeros((lanes, roles)),
        goal_rows=order.astype(np.int64),
        goal_roles=of[order].astype(np.int64),
        goal_values=values[order].astype(np.float64),
        mask=np.zeros(max(lanes, playing.lanes) // 64, np.uint64),
        square=np.zeros(64, np.uint64),
    )

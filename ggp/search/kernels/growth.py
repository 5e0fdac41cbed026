"""Growth: the growing lanes play the moves that descents end with, and what they find becomes nodes."""

from __future__ import annotations

import numpy as np

from ggp.core.kernels import borrowing, inlined
from ggp.search.kernels.basics import copy, log_chance
from ggp.search.kernels.descent import push
from ggp.search.kernels.edges import connect, new_edge
from ggp.search.kernels.grouping import groups_of, list_groups
from ggp.search.kernels.lanes import read_ends
from ggp.search.kernels.layout import Graph, Lanes, Scratch, Slots, Stage, State, Words
from ggp.search.kernels.minimax import raise_promise, take_over
from ggp.search.kernels.moves import bring_next, joint_move, list_moves, picked_input
from ggp.search.kernels.nodes import new_node
from ggp.search.kernels.proofs import end_node, prove_above, try_to_prove
from ggp.search.kernels.table import find
from ggp.search.kernels.transfer import load_lanes, save_lanes
from ggp.search.kernels.values import refresh_spread


@borrowing
def load_growing(g: Graph, s: Slots, v: Lanes, w: Scratch) -> int:
    """Load a growing lane for each slot that needs one, with its position and its move. How many lanes there are."""
    memory, source, given = v.growing, v.source, v.rows.given
    words, roles = memory.shape[2], g.proof.shape[1]
    lanes = 0
    for i in range(len(s.slot)):
        if Stage.EXPAND <= s.slot[i].stage <= Stage.MOVE and lanes < len(source):
            source[lanes] = i
            lanes += 1
    used = (lanes + 64 * words - 1) // (64 * words)
    memory[:used, given : given + 1 + g.role_starts[roles]] = np.uint64(0)
    for lane in range(lanes):
        i = source[lane]
        if s.slot[i].stage != Stage.MOVE:
            continue
        x, e = s.node[i, s.slot[i].length - 1], s.edge[i, s.slot[i].length - 1]
        joint_move(g, x, g.code[e], w.pick)
        word, bit = lane // 64, np.uint64(1) << np.uint64(lane % 64)
        block, column = word // words, word % words
        memory[block, given, column] |= bit
        for r in range(roles):
            memory[block, given + 1 + w.pick[r], column] |= bit
    load_lanes(memory, 0, v.rows.bases, source[:lanes], s.position, v.mask, v.square)
    return lanes


@inlined
def absorb(g: Graph, s: Slots, v: Lanes, w: Scratch, lanes: int, period: int) -> None:
    """After the step of the growing lanes: what they found belongs to the graph, and the slots may go on."""
    _save_growing(s, v, lanes)
    for lane in range(lanes):
        i = v.source[lane]
        slot = s.slot[i]
        stage = slot.stage
        if v.ended[lane] and stage != Stage.MOVE:
            copy(s.payoff[i], v.goals[lane])
            _ended(g, s, i, w)
        elif stage == Stage.EXPAND and not _expanded(g, s, i, v.legal, v.picks, lane, w):
            slot.stage = Stage.READY  # no memory: play on from the position that was reached
            slot.steps, slot.pick = 1, picked_input(v.picks, lane)
            slot.phase = (g.node[s.node[i, slot.length]].phase + 1) % period
            copy(s.position[i], v.positions[lane])
        else:
            slot.steps = 0
            if slot.stage == Stage.EXPAND:  # its moves are listed: the descent goes on from there
                slot.stage = Stage.DESCENDING
            else:
                _grown(g, s, i, v.positions[lane], period, w)


@inlined
def _save_growing(s: Slots, v: Lanes, lanes: int) -> None:
    """What the first growing lanes have found."""
    rows = v.rows
    save_lanes(v.growing, 0, rows.bases, lanes, v.positions, v.square)
    expands = False
    for lane in range(lanes):
        expands = expands or s.slot[v.source[lane]].stage == Stage.EXPAND
    if expands:
        save_lanes(v.growing, rows.legal, rows.inputs, lanes, v.legal, v.square)
        save_lanes(v.growing, rows.moves, rows.inputs, lanes, v.picks, v.square)
    read_ends(v, lanes)


@inlined
def _ended(g: Graph, s: Slots, i: int, w: Scratch) -> None:
    """The last node of slot i, whose moves were to be listed, is the end of the game, with the slot's payoff."""
    slot = s.slot[i]
    g.node[s.node[i, slot.length]].state &= ~State.EXPANDING
    if not slot.length or g.edge[s.edge[i, slot.length - 1]].dest >= 0:
        end_node(g, s, i, w)
    slot.stage = Stage.IDLE
    if slot.length:
        log_chance(g, slot.graph, 1.0, s.payoff[i])
        slot.stage = Stage.PAID


@inlined
def _expanded(g: Graph, s: Slots, i: int, legal: Words, picks: Words, lane: int, w: Scratch) -> bool:
    """List the moves of slot i's last node, and go along the one that its lane picked. False if memory is full.

    Where other nodes know something of these moves, none is taken yet, and the slot's stage stays.
    """
    slot = s.slot[i]
    k, x = slot.graph, s.node[i, slot.length]
    code = list_moves(g, k, x, legal, picks, lane, w)
    group = -1
    if code >= 0 and g.rule[k].grouped:
        list_groups(g, s, i, w)
        if groups_of(g, k, x) > 0:  # the first move counts for its own group
            group = g.pool[g.node[x].moves + g.proof.shape[1] + g.node[x].count]
    if code >= 0 and g.rule[k].by_input:
        return True
    e = -1 if code < 0 else new_edge(g, k, x, code if g.node[x].decider < 0 else 0)
    if e >= 0 and g.rule[k].prior > 0 and g.node[x].decider >= 0:
        bring_next(g, k, x)
    if e < 0:
        g.node[x].state &= ~State.EXPANDING
        return False
    if len(g.journal):
        joint_move(g, x, g.code[e], w.pick)
        log_chance(g, k, 0.0, w.pick)
    push(g, s, i, e, group)
    slot.stage = Stage.MOVE
    return True


@inlined
def _grown(g: Graph, s: Slots, i: int, words: Words, period: int, w: Scratch) -> None:
    """The last edge of slot i leads to this position: a new node, or a known one from which the descent goes on."""
    slot = s.slot[i]
    k = slot.graph
    x, e = s.node[i, slot.length - 1], s.edge[i, slot.length - 1]
    phase = (g.node[x].phase + 1) % period
    y = find(g, k, words) if g.rule[k].table else -1
    if y >= 0:
        g.head[k].met += 1
        connect(g, e, y)
        refresh_spread(g, k, e)
        if g.rule[k].minimax > 0 and take_over(g, k, x, y):
            raise_promise(g, k, x, w)
        s.node[i, slot.length] = y
        on_path = False
        for j in range(slot.length):
            on_path = on_path or s.node[i, j] == y
        if not on_path:
            if (
                g.rule[k].solver
                and g.node[y].state & State.PROVEN
                and not g.node[x].state & State.PROVEN
                and try_to_prove(g, x)
            ):
                prove_above(g, k, x, w)
            slot.stage = Stage.DESCENDING
            return
    else:
        y = new_node(g, k, words, phase)
        if y >= 0:
            connect(g, e, y)
            refresh_spread(g, k, e)
            s.node[i, slot.length] = y
            if g.rule[k].minimax > 0:
                raise_promise(g, k, y, w)
    slot.stage = Stage.READY
    slot.phase = phase
    copy(s.position[i], words)

"""Growth: the growing lanes play the moves that descents end with, and what they find becomes nodes."""

from __future__ import annotations

import numpy as np

from ggp.kernels import borrowing, inlined
from ggp.search.kernels.basics import copy, log_chance
from ggp.search.kernels.descent import descend, push
from ggp.search.kernels.edges import connect, new_edge
from ggp.search.kernels.lanes import read_ends
from ggp.search.kernels.layout import (
    AT,
    DECIDER,
    DEST,
    EXPAND,
    EXPANDING,
    IDLE,
    MET,
    MOVE,
    OF,
    PHASE,
    PICK,
    PROVEN,
    READY,
    SOLVER,
    STAGE,
    STATE,
    STEPS,
    TABLE,
)
from ggp.search.kernels.moves import joint_move, list_moves, picked_input
from ggp.search.kernels.nodes import new_node
from ggp.search.kernels.proofs import end_node, prove_above, try_to_prove
from ggp.search.kernels.table import find
from ggp.search.kernels.transfer import load_lanes, save_lanes
from ggp.search.kernels.updating import update
from ggp.search.kernels.values import refresh_spread


@borrowing
def load_growing(g, s, v, w):  # type: ignore[no-untyped-def]
    """Load a growing lane for each slot that needs one, with its position and its move. How many lanes there are."""
    memory, source, given = v.growing, v.source, v.rows.given
    words, roles = memory.shape[2], g.proof.shape[1]
    lanes = 0
    for i in range(len(s.slot)):
        if EXPAND <= s.slot[i, STAGE] <= MOVE and lanes < len(source):
            source[lanes] = i
            lanes += 1
    used = (lanes + 64 * words - 1) // (64 * words)
    memory[:used, given : given + 1 + g.role_starts[roles]] = np.uint64(0)
    for lane in range(lanes):
        i = source[lane]
        if s.slot[i, STAGE] != MOVE:
            continue
        x, e = s.node[i, s.length[i] - 1], s.edge[i, s.length[i] - 1]
        joint_move(g, x, g.code[e], w.pick)
        word, bit = lane // 64, np.uint64(1) << np.uint64(lane % 64)
        block, column = word // words, word % words
        memory[block, given, column] |= bit
        for r in range(roles):
            memory[block, given + 1 + w.pick[r], column] |= bit
    load_lanes(memory, 0, v.rows.bases, source[:lanes], s.position, v.mask, v.square)
    return lanes


@borrowing
def absorb(g, s, v, w, lanes, period):  # type: ignore[no-untyped-def]
    """After the step of the growing lanes. How many slots still need growing lanes."""
    _save_growing(s, v, lanes)
    growing = 0
    for lane in range(lanes):
        i = v.source[lane]
        stage = s.slot[i, STAGE]
        if v.ended[lane] and stage != MOVE:
            copy(s.payoff[i], v.goals[lane])
            _ended(g, s, i, w)
        elif stage == EXPAND and not _expanded(g, s, i, v.legal, v.picks, lane, w):
            s.slot[i, STAGE] = READY  # no memory: play on from the position that was reached
            s.slot[i, STEPS], s.slot[i, PICK] = 1, picked_input(v.picks, lane)
            s.slot[i, AT] = (g.node[s.node[i, s.length[i]], PHASE] + 1) % period
            copy(s.position[i], v.positions[lane])
        else:
            s.slot[i, STEPS] = 0
            _grown(g, s, i, v.positions[lane], period, w)
        growing += EXPAND <= s.slot[i, STAGE] <= MOVE
    return growing


@inlined
def _save_growing(s, v, lanes):  # type: ignore[no-untyped-def]
    """What the first growing lanes have found."""
    rows = v.rows
    save_lanes(v.growing, 0, rows.bases, lanes, v.positions, v.square)
    expands = False
    for lane in range(lanes):
        expands = expands or s.slot[v.source[lane], STAGE] == EXPAND
    if expands:
        save_lanes(v.growing, rows.legal, rows.inputs, lanes, v.legal, v.square)
        save_lanes(v.growing, rows.moves, rows.inputs, lanes, v.picks, v.square)
    read_ends(v, lanes)


@inlined
def _ended(g, s, i, w):  # type: ignore[no-untyped-def]
    """The last node of slot i, whose moves were to be listed, is the end of the game, with the slot's payoff."""
    g.node[s.node[i, s.length[i]], STATE] &= ~EXPANDING
    if not s.length[i] or g.link[s.edge[i, s.length[i] - 1], DEST] >= 0:
        end_node(g, s, i, w)
    s.slot[i, STAGE] = IDLE
    if s.length[i]:
        log_chance(g, s.slot[i, OF], 1.0, s.payoff[i])
        update(g, s, i, w)


@inlined
def _expanded(g, s, i, legal, picks, lane, w):  # type: ignore[no-untyped-def]
    """List the moves of slot i's last node, and go along the one that its lane picked. False if memory is full."""
    k, x = s.slot[i, OF], s.node[i, s.length[i]]
    code = list_moves(g, k, x, legal, picks, lane, w)
    e = np.int64(-1)
    if code >= 0:
        e = np.int64(new_edge(g, k, x, code if g.node[x, DECIDER] < 0 else 0))
    if e < 0:
        g.node[x, STATE] &= ~EXPANDING
        return False
    if len(g.journal):
        joint_move(g, x, g.code[e], w.pick)
        log_chance(g, k, 0.0, w.pick)
    push(g, s, i, e)
    return True


@borrowing
def _grown(g, s, i, words, period, w):  # type: ignore[no-untyped-def]
    """The last edge of slot i leads to this position: a new node, or a known one from which the descent goes on."""
    k = s.slot[i, OF]
    x, e = s.node[i, s.length[i] - 1], s.edge[i, s.length[i] - 1]
    phase = (g.node[x, PHASE] + 1) % period
    y = np.int64(-1)
    if g.rule[k, TABLE] != 0:
        y = np.int64(find(g, k, words))
    if y >= 0:
        g.head[k, MET] += 1
        connect(g, e, y)
        refresh_spread(g, k, e)
        s.node[i, s.length[i]] = y
        on_path = False
        for j in range(s.length[i]):
            on_path = on_path or s.node[i, j] == y
        if not on_path:
            if (
                g.rule[k, SOLVER] != 0
                and g.node[y, STATE] & PROVEN
                and not g.node[x, STATE] & PROVEN
                and try_to_prove(g, x)
            ):
                prove_above(g, k, x, w)
            descend(g, s, i, w)
            if s.slot[i, STAGE] == IDLE:
                update(g, s, i, w)
            return
    else:
        y = np.int64(new_node(g, k, words, phase))
        if y >= 0:
            connect(g, e, y)
            refresh_spread(g, k, e)
            s.node[i, s.length[i]] = y
    s.slot[i, STAGE] = READY
    s.slot[i, AT] = phase
    copy(s.position[i], words)

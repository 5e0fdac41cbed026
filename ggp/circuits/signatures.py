"""Values of every gate of a net on many samples, as rows of 64-bit words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ggp.circuits.graph import Net
from ggp.circuits.invariants import Samples
from ggp.circuits.simulate import padded
from ggp.core.arraytypes import Bools, Longs, Words
from ggp.core.kernels import kernel


@kernel
def _fill(left: Longs, right: Longs, first: int, rows: Words) -> None:
    """rows: uint64 (gates, words), leaves filled in; left, right: int64 literals."""
    flip = np.uint64(0xFFFFFFFFFFFFFFFF)
    for g in range(first, len(left)):
        a, b = left[g], right[g]
        ma = flip if a & 1 else np.uint64(0)
        mb = flip if b & 1 else np.uint64(0)
        for w in range(rows.shape[1]):
            rows[g, w] = (rows[a >> 1, w] ^ ma) & (rows[b >> 1, w] ^ mb)


@dataclass
class Signatures:
    """Rows of all gates: `position` over all samples, `move` over those followed by a joint move.

    The two banks have their own samples: columns do not correspond.
    """

    position: Words
    move: Words


def arrays(net: Net) -> tuple[Longs, Longs]:
    """Operand literals as arrays."""
    return np.array(net.graph.left, np.int64), np.array(net.graph.right, np.int64)


def evaluate_all(left: Longs, right: Longs, leaves: Words) -> Words:
    """Rows of all gates from rows of the leaves (bases, then inputs)."""
    rows = np.zeros((len(left), leaves.shape[1]), np.uint64)
    rows[1 : 1 + len(leaves)] = leaves
    _fill(left, right, 1 + len(leaves), rows)
    return rows


def signatures(net: Net, samples: Samples) -> Signatures:
    """Evaluate a net without feedback on the samples."""
    assert not net.graph.feedback
    idle = np.zeros((net.inputs, samples.count), np.bool_)
    position = evaluate_all(*arrays(net), padded(np.concatenate([samples.states, idle])))
    both = np.concatenate([samples.states[:, samples.moving], samples.moves[:, samples.moving]])
    return Signatures(position, evaluate_all(*arrays(net), padded(both)))


def late_gates(net: Net) -> Bools:
    """Which gates depend on an input (nets without feedback)."""
    late = np.zeros(len(net.graph), np.bool_)
    late[1 + net.bases : 1 + net.graph.leaves] = True
    left, right = net.graph.left, net.graph.right
    for gate in range(1 + net.graph.leaves, len(late)):
        late[gate] = late[left[gate] >> 1] or late[right[gate] >> 1]
    return late

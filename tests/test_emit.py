"""The finished circuit: gates in order, those of the position before those of the moves, cycles in one piece."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.circuits.build import build_factored
from ggp.circuits.circuit import Circuit
from ggp.circuits.emit import emit
from ggp.circuits.simulate import evaluate, pack, unpack, values
from tests.small_programs import program_of, rows_of

NAMES = ["sliding", "tic_tac_toe", "hex_5x5", "monty_hall", *map(str, range(12))]


def lanes(name: str, circuit: Circuit) -> tuple[np.ndarray, int]:
    """A bank with a lane for each row of a program: its bases and inputs."""
    rows = rows_of(name)
    bits = np.zeros((len(circuit.left), -(-len(rows) // 64) * 64), np.bool_)
    for lane, row in enumerate(rows):
        bits[[1 + i for i in row.bases], lane] = True
        bits[[1 + circuit.bases + j for j in row.inputs], lane] = True
    return pack(bits), len(rows)


@pytest.mark.parametrize("name", NAMES)
def test_the_circuit_says_what_the_rules_say(name: str) -> None:
    program = program_of(name)
    circuit = emit(program, build_factored(program))
    bank, count = lanes(name, circuit)
    evaluate(circuit, bank, 1 + circuit.bases + circuit.inputs, circuit.cut)
    early = [*circuit.legal, circuit.terminal, *circuit.goal_literals]
    position = unpack(values(bank, early))[:, :count]
    evaluate(circuit, bank, circuit.cut, len(circuit.left))
    after = unpack(values(bank, [*circuit.next, *circuit.sees_literals]))[:, :count]
    atoms = [pair.legal for pair in program.inputs] + [program.terminal] + [goal.atom for goal in program.goals]
    late = [base.next for base in program.bases] + [seen.atom for seen in program.sees]
    for found, wanted in ((position, atoms), (after, late)):
        assert found.T.tolist() == [[atom in row.true for atom in wanted] for row in rows_of(name)]


@pytest.mark.parametrize("name", ["hex_5x5", "tic_tac_toe"])
def test_order(name: str) -> None:
    program = program_of(name)
    circuit = emit(program, build_factored(program))
    first = 1 + circuit.bases + circuit.inputs
    loops = [(int(lo), int(hi)) for lo, hi in circuit.loops]
    assert bool(loops) == (name == "hex_5x5")
    for gate in range(first, len(circuit.left)):
        inside = [hi for lo, hi in loops if lo <= gate < hi]
        assert max(circuit.left[gate] >> 1, circuit.right[gate] >> 1) < (inside[0] if inside else gate)
    assert circuit.role_starts.tolist() == [
        sum(pair.role < role for pair in program.inputs) for role in range(len(program.roles) + 1)
    ]
    assert set(np.flatnonzero(circuit.initial).tolist()) == program.initial

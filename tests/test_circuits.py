"""From ground programs to circuits: every pass keeps the meaning, and most make the circuit smaller."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gdl import load
from gdl.grounding import ground_here
from ggp.circuits.compile import CompileSettings, compile_naive, compile_program
from ggp.circuits.evaluate import Evaluator
from ggp.circuits.propnet import Explainer, dot
from ggp.circuits.verify import verify
from tests.helpers import GAMES

PLAIN = CompileSettings(
    sets=False, invariants=False, share=False, distribute=False, merge=False, resubstitute=False, seconds=3
)
SWITCHES = ["sets", "invariants", "share", "distribute", "merge", "resubstitute"]
NAMES = ["tic_tac_toe", "connect_four", "eight_puzzle", "hex_5x5", "bidding_tic_tac_toe", "nim"]


@pytest.mark.parametrize("name", NAMES)
def test_the_full_compiler_keeps_the_meaning(name: str) -> None:
    program = ground_here(load(GAMES / f"{name}.kif"))
    circuit, report = compile_program(program, CompileSettings(seconds=2))
    circuit.check()
    verdict = verify(program, circuit, playouts=12, steps=100, seed=3)
    assert verdict.problem == ""
    assert verdict.positions > 50
    assert circuit.size < compile_naive(program).size
    assert report.stages


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("name", ["tic_tac_toe", "eight_puzzle", "lights_out"])
def test_each_pass_alone_keeps_the_meaning(name: str, switch: str) -> None:
    program = ground_here(load(GAMES / f"{name}.kif"))
    settings = replace(PLAIN, **{switch: True})
    if switch in ("merge", "resubstitute"):
        settings = replace(settings, invariants=True, merge=True)
    circuit, _ = compile_program(program, settings)
    circuit.check()
    assert verify(program, circuit, playouts=8, steps=80, seed=4).problem == ""


def test_the_naive_translation_keeps_the_meaning() -> None:
    program = ground_here(load(GAMES / "hex_5x5.kif"))
    circuit = compile_naive(program)
    circuit.check()
    assert verify(program, circuit, playouts=6, steps=60, seed=5).problem == ""


def test_a_wrong_circuit_is_found_out() -> None:
    program = ground_here(load(GAMES / "tic_tac_toe.kif"))
    circuit, _ = compile_program(program, PLAIN)
    for wrong in (circuit.terminal ^ 1, 1):
        broken = replace(circuit, terminal=wrong)
        assert verify(program, broken, playouts=4, steps=20, seed=6).problem


def test_explanations() -> None:
    program = ground_here(load(GAMES / "tic_tac_toe.kif"))
    explainer = Explainer(program, program.initial)
    legal = explainer.find("(legal x (mark 2 2))")
    assert legal is not None
    assert explainer.holds(legal)
    lines = explainer.explain(legal)
    assert lines[0] == "(legal x (mark 2 2)) holds, because"
    assert any("(true (control x)) holds" in line for line in lines)
    terminal = explainer.find("terminal")
    assert terminal is not None
    assert not explainer.holds(terminal)
    assert explainer.explain(terminal)[0].startswith("terminal does not hold")
    assert explainer.find("(legal x (mark 9 9))") is None


def test_the_propnet_as_a_picture() -> None:
    program = ground_here(load(GAMES / "nim.kif"))
    text = dot(program)
    assert text.startswith("digraph propnet {")
    assert text.count("shape=point") == sum(len(body) != 1 for _, body in program.rules)


def test_the_evaluator_derives_stratum_by_stratum() -> None:
    program = ground_here(load(GAMES / "hex_5x5.kif"))
    evaluator = Evaluator(program)
    true = evaluator.evaluate(program.initial).true
    assert any(evaluator.evaluate(program.initial).holds(pair.legal) for pair in program.inputs)
    assert program.terminal not in true

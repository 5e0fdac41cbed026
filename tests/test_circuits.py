"""From ground programs to circuits: every pass keeps the meaning, and most make the circuit smaller."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from dataclasses import fields, replace
from typing import Any

import pytest

from gdl import load
from gdl.grounding import ground_here
from ggp.circuits.compile import CompileSettings, Report, compile_naive, compile_program
from ggp.circuits.evaluate import Evaluator
from ggp.circuits.growing import GrowingGraph
from ggp.circuits.propnet import Explainer, dot
from ggp.circuits.solver import Solver, Values
from ggp.circuits.verify import verify
from ggp.circuits.work import Work
from ggp.core.errors import CircuitError
from ggp.lanes.engine import Engine
from ggp.machines.circuit import CircuitMachine
from tests.helpers import GAMES, ROOT

SWITCHES = [each.name for each in fields(CompileSettings) if isinstance(each.default, bool)]
PLAIN = replace(CompileSettings(work=3_000_000), **dict.fromkeys(SWITCHES, False))  # type: ignore[arg-type]
NAMES = ["tic_tac_toe", "connect_four", "eight_puzzle", "hex_5x5", "bidding_tic_tac_toe", "nim"]


@pytest.mark.parametrize("name", NAMES)
def test_the_full_compiler_keeps_the_meaning(name: str) -> None:
    program = ground_here(load(GAMES / f"{name}.kif"))
    circuit, report = compile_program(program, CompileSettings(work=2_000_000))
    circuit.check()
    verdict = verify(program, circuit, playouts=12, steps=100, seed=3)
    assert verdict.problem == ""
    assert verdict.positions > 50
    assert circuit.size < compile_naive(program).size
    assert report.stages


def test_a_sum_of_thousands_of_products_is_factored() -> None:
    """Eleven hundred literals are pulled out, one after the other: more often than Python may call itself."""
    graph = GrowingGraph(3300)
    products = [[6 * i + 2, 6 * i + 2 + part] for i in range(1100) for part in (2, 4)]
    assert graph.sum(products) == 2 * (len(graph) - 1) + 1, "the last gate, which says that none holds"
    assert len(graph) == 1 + 3300 + 1100 + 1100 + 1099, "each literal's choice, its product, and all of them"


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("name", ["tic_tac_toe", "eight_puzzle", "lights_out"])
def test_each_pass_alone_keeps_the_meaning(name: str, switch: str) -> None:
    program = ground_here(load(GAMES / f"{name}.kif"))
    settings = replace(PLAIN, **{switch: True})  # type: ignore[arg-type]
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
    reason = explainer.explain(legal)
    lines = list(reason.lines())
    assert lines[0] == "(legal x (mark 2 2)) holds, because"
    assert any("(true (control x)) holds" in line for line in lines)
    terminal = explainer.find("terminal")
    assert terminal is not None
    assert not explainer.holds(terminal)
    assert next(explainer.explain(terminal).lines()).startswith("terminal does not hold")
    data = reason.data()
    assert (data["atom"], data["holds"]) == ("(legal x (mark 2 2))", True)
    assert {"atom": "(true (control x))", "holds": True, "note": "", "because": [], "more": 0} in data["because"]
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


def _identity(machine: CircuitMachine) -> str:
    """Everything that play depends on: the circuit, and the engine's programs made from it."""
    programs = [lap.program for lap, _ in (machine.engine.playout, machine.engine.tick, machine.engine.rollout())]
    arrays = [array for p in programs for array in (p.what, p.table, p.target, p.operands, p.row)]
    shapes = [(p.segments, p.rows) for p in programs]
    parts = [machine.circuit.digest_bytes(), *(array.tobytes() for array in arrays), repr(shapes).encode()]
    return hashlib.sha256(b"|".join(parts)).hexdigest()


@pytest.mark.parametrize("name", ["breakthrough", "lights_out"])
def test_the_same_program_gives_the_same_circuit_on_a_slow_machine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = CircuitMachine.compile(load(GAMES / f"{name}.kif"))
    answer, clock = Solver.ask, iter(range(0, 1 << 60, 1_000))

    def slowly(self: Solver, *args: Any, **kind: Any) -> tuple[bool | None, Values]:
        time.sleep(0.0005)
        return answer(self, *args, **kind)

    monkeypatch.setattr(Solver, "ask", slowly)
    monkeypatch.setattr("ggp.circuits.compile.processor_time", lambda: float(next(clock)))
    for name_of_clock in ("process_time", "perf_counter", "monotonic", "thread_time"):
        monkeypatch.setattr(time, name_of_clock, lambda: float(next(clock)))
    circuit, _ = compile_program(usual.program, CircuitMachine.settings(usual.program))
    assert circuit.digest_bytes() == usual.circuit.digest_bytes()
    assert _identity(CircuitMachine(usual.ruleset, usual.program, Engine(circuit))) == _identity(usual)


def test_the_same_circuit_in_every_process() -> None:
    code = (
        "import sys; from gdl import load; from ggp.machines.circuit import CircuitMachine\n"
        "from tests.test_circuits import _identity\n"
        "for path in sys.argv[1:]: print(_identity(CircuitMachine.compile(load(path))))"
    )
    paths = [str(GAMES / f"{name}.kif") for name in ("connect_four", "eight_puzzle", "bidding_tic_tac_toe")]
    found = [
        subprocess.run(
            [sys.executable, "-c", code, *paths],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(found[0].split()) == len(paths)
    assert found[0] == found[1]


@pytest.mark.parametrize("work", [0, 50_000, 400_000])
def test_a_limit_of_work_is_kept_and_keeps_the_meaning(work: int) -> None:
    program = ground_here(load(GAMES / "breakthrough.kif"))
    circuit, report = compile_program(program, CompileSettings(work=work))
    assert report.work < work + 40_000  # the pass that is under way ends its step
    assert circuit.size <= 1_400
    assert verify(program, circuit, playouts=2, steps=40, seed=7).problem == ""


def test_parts_of_work_count_for_the_whole() -> None:
    whole = Work(100)
    whole.spend(10)
    part = whole.until(0.5)
    assert part.left == 40
    part.spend(30)
    assert (part.left, whole.spent, whole.left) == (10, 40, 60)
    whole.spend(55)
    assert part.left == 5
    part.spend(9)
    assert (part.left, whole.left) == (0, 0)


def test_a_compilation_tells_its_stages_and_ends_when_nobody_wants_it() -> None:
    program = ground_here(load(GAMES / "tic_tac_toe.kif"))
    told: list[str] = []
    circuit, report = compile_program(program, report=Report(tell=told.append))
    assert [text.partition(",")[0] for text in told] == [stage.name for stage in report.stages]
    assert told[:2] == ["alike", "core"] and told[-1] == f"emit, {circuit.size:,} gates"
    left = iter([True] * 40)

    def check() -> None:
        if not next(left, False):
            raise CircuitError("enough")

    with pytest.raises(CircuitError, match="enough"):
        compile_program(program, report=Report(check=check))
    assert next(left, None) is None

"""Measure how fast a machine plays: uniformly random complete playouts from the first position, goals read."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gdl.loader import load
from ggp.circuits.compile import processor_time
from ggp.core.library import game_file
from ggp.core.progress import Tell, silent
from ggp.lanes.bank import Bank
from ggp.machines import Limits, ground_limits, make_machine
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import PlayoutTotals


def measure(
    path: str,
    machine_name: str,
    *,
    seconds: float,
    steps: int,
    seed: int,
    limits: Limits,
    threads: int = 1,
    tell: Tell = silent,
) -> dict[str, Any]:
    """One row of a benchmark; rates are per second of processor time of one core, or of wall time on several threads."""
    start = time.perf_counter()
    ruleset = load(game_file(path))
    machine = make_machine(machine_name, ruleset, limits, tell)
    try:
        if isinstance(machine, CircuitMachine):
            _ = machine.engine.playout
        ready = time.perf_counter() - start
        row: dict[str, Any] = {"game": Path(path).stem, "machine": machine_name, "threads": threads, "seed": seed}
        machine.wait()
        row["events"] = [event.message for event in machine.history if event.is_trouble]
        tell("playing at random")
        circuit = machine.compiled()
        if circuit is None:
            row |= {"machine": "prolog", "threads": 1}
            totals = machine.playouts(machine.initial(), count=10**15, seconds=seconds, limit=steps, seed=seed)
        else:
            totals = _on_threads(circuit, seconds, steps, seed, threads)
            row |= _circuit_row(circuit, totals)
        finished = totals.playouts - totals.unfinished
        return row | {
            "playouts": totals.playouts,
            "unfinished": totals.unfinished,
            "playouts_per_second": totals.playouts / totals.seconds,
            "positions_per_second": totals.steps / totals.seconds,
            "mean_length": totals.steps / totals.playouts,
            "mean_goals": [total / finished if finished else None for total in totals.goal_sums],
            "load_seconds": ready,
        }
    finally:
        machine.close()
        tell("")


def measure_tiers(path: str, limits: Limits, tell: Tell = silent) -> dict[str, Any]:
    """How long a game takes from its text to the first playout on each of its circuits, in processor seconds."""
    row: dict[str, Any] = {"game": Path(path).stem}
    start = processor_time()
    tiers = ["first", "last"]
    for machine in CircuitMachine.tiers(load(game_file(path)), ground_limits(limits), tell=tell):
        Bank(machine.engine, 1, seed=1).play(1)
        for tier in tiers:  # where there is one circuit only, it is the first and the last
            row |= {f"{tier}_seconds": processor_time() - start, f"{tier}_gates": machine.circuit.size}
        row["stages"] = machine.stages
        tiers = ["last"]
    tell("")
    return row


def _on_threads(machine: CircuitMachine, seconds: float, steps: int, seed: int, threads: int) -> PlayoutTotals:
    """The playouts of several banks, each on a thread of its own; seconds are wall time then."""

    def run(number: int) -> PlayoutTotals:
        return machine.playouts(
            machine.initial(), count=10**15, seconds=seconds, limit=steps, seed=seed + number,
            clock=time.thread_time if threads == 1 else time.perf_counter,
        )  # fmt: skip

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(run, range(threads)))
    playouts = sum(t.playouts for t in found)
    return PlayoutTotals(
        playouts,
        sum(t.steps for t in found),
        sum(t.unfinished for t in found),
        tuple(map(sum, zip(*(t.goal_sums for t in found), strict=True))),
        playouts / sum(t.playouts / t.seconds for t in found),  # the rates of all threads together
        sum(t.waits for t in found),
    )


def _circuit_row(machine: CircuitMachine, totals: PlayoutTotals) -> dict[str, Any]:
    from ggp.lanes.native import Native, peak_tables

    lap, runner = machine.engine.playout
    lanes = machine.lanes_of_a_playout_bank
    share = None
    if isinstance(runner, Native):
        tables = runner.tables * (totals.steps + totals.waits) / (lap.steps * 64 * runner.words)
        share = tables / totals.seconds / peak_tables(runner.way)
    return {
        "lanes": lanes,
        "gates": machine.circuit.size,
        "bases": machine.circuit.bases,
        "inputs": machine.circuit.inputs,
        "bank_bytes": runner.rows * runner.words * 8 * (lanes // (64 * runner.words)),
        "runs_on": "machine code" if isinstance(runner, Native) else "interpreter",
        "way": machine.engine.way.value,
        "compile_seconds": machine.stages,
        "peak_share": share,
    }

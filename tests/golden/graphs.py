"""Recorded search graphs: the root and the most visited move below it after some simulations, and a digest of all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from gdl import kif, load
from gdl.grounding import ground
from ggp.circuits.compile import CompileSettings, compile_program
from ggp.lanes.engine import Engine
from ggp.lanes.ways import Way
from ggp.machines.circuit import CircuitMachine
from ggp.search.graph import edges_of, inputs_of, payoffs
from ggp.search.settings import SearchSettings
from tests.helpers import GAMES
from tests.search_checks import FastSearch

SEARCH = Path(__file__).parent / "search"
SEED = 1
SIMULATIONS = 500
SETTINGS = SearchSettings(solver=False)
SEARCHED = (
    "connect_four", "dice_race", "eight_puzzle", "hex_5x5", "left_right", "monty_hall", "nim",
    "roshambo", "tic_tac_toe", "tic_tac_toe_three_players",
)  # fmt: skip


def record_graph(name: str) -> str:
    """The graph of a game's first position as text.

    Its proofs may take all the work that they need, and the interpreter runs it: so that it is the same everywhere.
    """
    ruleset = load(GAMES / f"{name}.kif")
    program = ground(ruleset)
    circuit, _ = compile_program(program, CompileSettings(work=60_000_000))
    machine = CircuitMachine(ruleset, program, Engine(circuit))
    machine.engine = Engine(circuit, way=Way.INTERPRETER)
    search = FastSearch(machine, SETTINGS, SEED)
    search.simulate(SIMULATIONS)
    head = search.graph.head[0]
    top = _edges(search, search.root)
    best = max(edges_of(search.graph, search.root), key=lambda e: search.graph.edge[e].n)
    graph = {
        "game": name,
        "settings": SETTINGS.label,
        "seed": SEED,
        "simulations": int(head.done),
        "nodes": int(head.nodes),
        "edges": len(search.edges()),
        "transpositions": int(head.met),
        "deepest": int(head.deepest),
        "digest": _digest(search),
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in graph.items()]
    below = _edges(search, int(search.graph.edge[best].dest))
    lines += [f'  "root": {_rows(top)}', f'  "below the most visited": {_rows(below)}']
    return "{\n" + ",\n".join(lines) + "\n}\n"


def graph_path(name: str) -> Path:
    """Where the graph of a game is recorded."""
    return SEARCH / f"{name}.json"


def _edges(search: FastSearch, node: int) -> list[tuple[str, int, list[float]]]:
    """Of each edge the moves, the visits and the mean goal of each role."""
    found = []
    for e in edges_of(search.graph, node):
        n, _, *sums = payoffs(search.graph, e)
        moves = " ".join(kif(search.machine.inputs[i]) for i in inputs_of(search.graph, e))
        found.append((moves, int(n), [round(total / n, 6) for total in sums[: len(search.machine.roles)]]))
    return found


def _rows(edges: Sequence[tuple[str, int, list[float]]]) -> str:
    """One line for each edge, so that differences are easy to read."""
    return "[\n" + ",\n".join(f"    {json.dumps(edge)}" for edge in edges) + "\n  ]"


def _digest(search: FastSearch) -> str:
    """Of all nodes and edges in the order in which they were made."""
    graph, digest = search.graph, hashlib.sha256()
    for x in range(int(graph.head[0].nodes)):
        digest.update(graph.position[x].tobytes())
        for e in edges_of(graph, x):
            whole = (int(graph.edge[e].dest), inputs_of(graph, e), [round(v) for v in payoffs(graph, e)])
            digest.update(repr(whole).encode())
    return digest.hexdigest()[:16]

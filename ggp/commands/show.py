"""Show what a game is made of: roles, relations, sizes, and the time of every stage.

ggp show games/othello.kif
ggp show games/othello.kif --dependencies | dot -Tsvg > othello.svg
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from gdl import Ruleset, Source, check, parse
from gdl.errors import DescriptionError
from gdl.grounding import ground
from ggp.commands import options as shared
from ggp.core.library import game_file
from ggp.machines import ground_limits


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp show`."""
    shared.add_game(parser)
    parser.add_argument("--dependencies", action="store_true", help="print which relation uses which, as Graphviz text")
    parser.add_argument("--propnet", action="store_true", help="print the ground rules as a network, as Graphviz text")
    parser.add_argument("--json", action="store_true", help="print an object")
    shared.add_machine(parser)


def run(options: Namespace) -> int:
    """Show one game."""
    stages: dict[str, float] = {}
    start = time.perf_counter()
    source = Source.read(game_file(options.file))
    description = parse(source)
    stages["parse"] = time.perf_counter() - start
    start = time.perf_counter()
    ruleset = check(description)
    stages["check"] = time.perf_counter() - start
    if any(p.is_error for p in ruleset.problems):
        raise DescriptionError(ruleset.problems)
    if options.dependencies:
        print(ruleset.dependencies.dot())
        return 0
    if options.propnet:
        from ggp.circuits.propnet import dot  # numba takes a second: only where it is used

        print(dot(ground(ruleset, ground_limits(shared.limits(options)))))
        return 0
    start = time.perf_counter()
    with shared.machine(options, ruleset) as machine:
        stages[f"load into {options.machine}"] = time.perf_counter() - start
        start = time.perf_counter()
        position = machine.initial()
        situation = machine.situation(position)
        stages["first position"] = time.perf_counter() - start
        facts = _facts(ruleset)
        facts["fluents of the first position"] = len(machine.fluents(position))
        facts["legal moves of the first position"] = {
            role: len(moves) for role, moves in zip(ruleset.roles, situation.legal, strict=True)
        }
        if options.machine == "circuit":
            facts |= _circuit_facts(machine)
    facts["seconds"] = {stage: round(seconds, 4) for stage, seconds in stages.items()}
    if options.json:
        print(json.dumps({"file": options.file, **facts}, indent=1))
    else:
        _print(options.file, facts)
    return 0


def _facts(ruleset: Ruleset) -> dict[str, Any]:
    dependencies = ruleset.dependencies
    return {
        "language": ruleset.language,
        "roles": list(ruleset.roles),
        "characters": len(ruleset.source.text),
        "rules": sum(bool(rule.body) for rule in ruleset.rules),
        "facts": sum(not rule.body for rule in ruleset.rules),
        "relations": len(ruleset.by_relation),
        "relations over the state": len(dependencies.on_state),
        "relations over moves": len(dependencies.on_moves),
        "recursive relations": sorted(name for name, _ in dependencies.recursive),
        "strata": 1 + max(dependencies.strata.values(), default=0),
        "base given": ("base", 1) in ruleset.by_relation,
        "input given": ("input", 2) in ruleset.by_relation,
        "warnings": len(ruleset.problems),
    }


def _circuit_facts(machine: Any) -> dict[str, Any]:
    circuit, program = machine.circuit, machine.program
    return {
        "atoms": len(program.names) - 1,
        "ground rules": len(program.rules),
        "bases": circuit.bases,
        "inputs": circuit.inputs,
        "gates": circuit.size,
        "gates of the position": circuit.cut - circuit.first,
        "gates of the move": circuit.gates - circuit.cut,
        "positive cycles": len(circuit.loops),
        "stages": {stage: f"{seconds:.3f} s" for stage, seconds in machine.stages.items()},
    }


def _print(file: str, facts: dict[str, Any]) -> None:
    print(file)
    width = max(map(len, facts))
    for name, value in facts.items():
        if isinstance(value, dict):
            shown = ", ".join(f"{key} {item}" for key, item in value.items())
        elif isinstance(value, list):
            shown = ", ".join(map(str, value)) or "none"
        elif isinstance(value, bool):
            shown = "yes" if value else "no"
        else:
            shown = f"{value:,}" if isinstance(value, int) else str(value)
        print(f"  {name:{width}}  {shown}")

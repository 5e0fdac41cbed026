"""The shape of the project: what is public, what imports what, what is tested, what the library of games lists."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

import gdl
from tests.helpers import GAMES, ROOT, game_files

TESTED_ELSEWHERE = {
    "gdl.automaton": "test_reader.py",
    "gdl.errors": "test_source.py, test_cli.py",
    "gdl.grounding": "test_grounding.py",
    "gdl.laws": "test_check.py",
    "gdl.loader": "test_play.py, as all tests that load games",
    "gdl.problems": "test_check.py",
    "gdl.program": "test_grounding.py",
    "gdl.rules": "test_parser.py",
    "gdl.ruleset": "test_prolog.py, test_dependencies.py",
    "ggp.banks": "test_bank.py, test_bank_program.py",
    "ggp.boards.layers": "test_plans.py, test_schema.py",
    "ggp.boards.model": "test_boards.py, test_schema.py",
    "ggp.circuits": "test_circuits.py",
    "ggp.commands": "test_cli.py",
    "ggp.errors": "test_bridge.py, test_cli.py",
    "ggp.lab": (
        "test_lab_command.py, test_lab_elo.py, test_lab_matches.py, test_lab_p_game.py, "
        "test_lab_pgame_search.py, test_lab_report.py, test_lab_runner.py, test_lab_sequential.py, test_lab_store.py, "
        "test_lab_tree_reuse.py, test_tournament.py"
    ),
    "ggp.generators": "test_pgame.py",
    "ggp.human": "test_human.py, test_keyboard.py, test_takeback.py",
    "ggp.machines.machine": "test_prolog.py",
    "ggp.machines.prolog_program": "test_prolog.py, test_naive.py",
    "ggp.machines.worker": "test_bridge.py",
    "ggp.match.asker": "test_probe.py",
    "ggp.match.chronicle": "test_master.py",
    "ggp.match.desk": "test_hall.py",
    "ggp.match.exchange": "test_probe.py",
    "ggp.match.child": "test_mind.py, test_protocol.py",
    "ggp.match.crew": "test_session.py",
    "ggp.match.faults": "test_master.py",
    "ggp.match.ownplayers": "test_match.py",
    "ggp.match.probe_match": "test_probe.py",
    "ggp.match.probe_wire": "test_probe.py",
    "ggp.match.roster": "test_hall.py",
    "ggp.match.nursery": "test_player_process.py",
    "ggp.match.packets": "test_player_process.py",
    "ggp.match.player": "test_protocol.py",
    "ggp.match.request": "test_protocol.py",
    "ggp.match.seats": "test_master.py",
    "ggp.match.settings": "test_protocol.py",
    "ggp.match.steps": "test_protocol.py",
    "ggp.match.table": "test_master.py",
    "ggp.match.telling": "test_master.py",
    "ggp.match.transport": "test_client.py",
    "ggp.measure": "test_cli.py, as ggp bench",
    "ggp.search": "test_search_exactness.py, test_search_golden.py, test_search_kernels.py",
    "ggp.transcript": "test_play.py, by the golden records",
    "ggp.warm": "test_kernels.py",
}
"""Modules without a test file of their name, or packages as a whole, and where they are tested instead."""


def modules(package: str) -> set[str]:
    """The modules of a package, those of packages inside it too."""
    found = set()
    for path in (ROOT / package).rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


def has_tests(module: str) -> bool:
    name = module.rsplit(".", 1)[-1]
    if (ROOT / "tests" / f"test_{name}.py").exists():
        return True
    return any(module == known or module.startswith(f"{known}.") for known in TESTED_ELSEWHERE)


def test_what_is_public_is_listed() -> None:
    assert sorted(gdl.__all__) == gdl.__all__
    public = {name for name, value in vars(gdl).items() if not name.startswith("_") and not isinstance(value, type(gdl))}
    shadowed = {"check"}  # the function hides the module of its name
    assert public | shadowed >= set(gdl.__all__)
    assert public == set(gdl.__all__)


@pytest.mark.parametrize("package", ["gdl", "ggp"])
def test_every_module_is_tested_somewhere(package: str) -> None:
    found = modules(package) - {"gdl", "ggp", "ggp.machines"}  # packages
    assert {module for module in found if not has_tests(module)} == set()


def test_what_is_tested_elsewhere_is_there_and_so_are_its_tests() -> None:
    assert set(TESTED_ELSEWHERE) <= modules("gdl") | modules("ggp")
    for where in TESTED_ELSEWHERE.values():
        for name in re.findall(r"test_\w+\.py", where):
            assert (ROOT / "tests" / name).exists(), name


def test_the_language_needs_no_player_no_numbers_and_no_prolog() -> None:
    """A module of gdl never imports ggp, numpy, numba or pyswip, not even through others."""
    code = f"""
import importlib, sys
for name in {sorted(modules("gdl"))}:
    importlib.import_module(name)
print(sorted({{name.split(".")[0] for name in sys.modules}} & {{"ggp", "numpy", "numba", "pyswip", "rich"}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.skipif(not (GAMES / "index.toml").exists(), reason="the library has no index yet")
def test_every_game_is_in_the_index_and_the_other_way_round() -> None:
    with (GAMES / "index.toml").open("rb") as stream:
        index = tomllib.load(stream)
    assert sorted(index) == sorted(path.stem for path in game_files())
    for name, entry in index.items():
        assert entry["roles"] == list(gdl.load(GAMES / f"{name}.kif").roles), name
        assert {"title", "kind", "source"} <= entry.keys(), name

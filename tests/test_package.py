"""The shape of the project: what is public, what imports what, what is tested, what the library of games lists."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
from functools import cache

import pytest

import gdl
import ggp
from tests.documents import DOCUMENTS, commands
from tests.helpers import GAMES, ROOT, game_files

TESTED_IN = {
    "ggp.lab.readings_graph": "test_lab_readings.py",
    "ggp.lab.readings_search": "test_lab_readings.py",
    "gdl.asked": "test_asserted.py",
    "gdl.errors": "test_source.py",
    "gdl.grounding.codes": "test_engine.py",
    "gdl.grounding.counting": "test_estimates.py",
    "gdl.grounding.grounder": "test_split.py",
    "gdl.grounding.guard": "test_engine.py",
    "gdl.grounding.noblas": "test_kernels.py",
    "gdl.grounding.process": "test_grounding.py",
    "gdl.grounding.rules": "test_split.py",
    "gdl.grounding.spelling": "test_engine.py",
    "gdl.grounding.strata": "test_grounding.py",
    "gdl.groundrules": "test_program.py",
    "gdl.laws.dependence": "test_laws.py",
    "gdl.laws.ground": "test_laws.py",
    "gdl.laws.keywords": "test_laws.py",
    "gdl.laws.names": "test_laws.py",
    "gdl.laws.safety": "test_laws.py",
    "gdl.loader": "test_play.py",
    "gdl.problems": "test_source.py",
    "gdl.program": "test_invariants.py",
    "gdl.rules": "test_parser.py",
    "gdl.ruleset": "test_naive.py",
    "ggp.analysis.known": "test_study.py",
    "ggp.api.found": "test_api.py",
    "ggp.api.game": "test_api.py",
    "ggp.api.match": "test_api.py",
    "ggp.api.position": "test_api.py",
    "ggp.boards.layers": "test_plans.py",
    "ggp.boards.model": "test_boards.py",
    "ggp.boards.places": "test_board_places.py",
    "ggp.boards.shapes": "test_board_shapes.py",
    "ggp.circuits.circuit": "test_emit.py",
    "ggp.circuits.compile": "test_circuits.py",
    "ggp.circuits.evaluate": "test_circuits.py",
    "ggp.circuits.packing": "test_adoption.py",
    "ggp.circuits.propagation": "test_sat.py",
    "ggp.circuits.propnet": "test_circuits.py",
    "ggp.circuits.simulate": "test_emit.py",
    "ggp.circuits.solver": "test_sat.py",
    "ggp.circuits.verify": "test_circuits.py",
    "ggp.commands.completing": "test_completion.py",
    "ggp.commands.line": "test_cli.py",
    "ggp.commands.manual": "test_completion.py",
    "ggp.commands.writing": "test_new.py",
    "ggp.core.children": "test_pipe.py",
    "ggp.core.dask": "test_cluster.py",
    "ggp.core.errors": "test_bridge.py",
    "ggp.core.seeds": "test_play.py",
    "ggp.generators.pgame_text": "test_pgame.py",
    "ggp.knowledge.base": "test_knowledge.py",
    "ggp.knowledge.names": "test_advice.py",
    "ggp.knowledge.records": "test_knowledge.py",
    "ggp.knowledge.shelf": "test_study.py",
    "ggp.knowledge.table": "test_knowledge.py",
    "ggp.envs.aec": "test_envs.py",
    "ggp.envs.episode": "test_envs.py",
    "ggp.envs.parallel": "test_envs.py",
    "ggp.envs.single": "test_envs.py",
    "ggp.envs.vector": "test_envs.py",
    "ggp.lab.catalogue": "test_lab_matches.py",
    "ggp.lab.conduct": "test_lab_runner.py",
    "ggp.lab.engine": "test_lab_matches.py",
    "ggp.lab.figures": "test_lab_p_game.py",
    "ggp.lab.match_report": "test_lab_matches.py",
    "ggp.lab.plan": "test_lab_runner.py",
    "ggp.lab.plots": "test_lab_report.py",
    "ggp.lab.pool": "test_lab_runner.py",
    "ggp.lab.published": "test_lab_matches.py",
    "ggp.lab.restored": "test_web_experiments.py",
    "ggp.lab.recorded": "test_study.py",
    "ggp.lab.training": "test_study.py",
    "ggp.lab.tournament_match": "test_tournament.py",
    "ggp.lab.tournament_report": "test_tournament.py",
    "ggp.lanes.encoding": "test_assembler.py",
    "ggp.lanes.engine": "test_bank.py",
    "ggp.lanes.evex": "test_assembler.py",
    "ggp.lanes.interpreter": "test_choice.py",
    "ggp.lanes.memory": "test_choice.py",
    "ggp.lanes.native": "test_bank_program.py",
    "ggp.lanes.network": "test_bank_program.py",
    "ggp.lanes.program": "test_bank_program.py",
    "ggp.lanes.searchlaps": "test_replies.py",
    "ggp.lanes.tables": "test_bank_program.py",
    "ggp.lanes.vex": "test_assembler.py",
    "ggp.machines.machine": "test_prolog.py",
    "ggp.machines.plays": "test_play.py",
    "ggp.machines.prolog": "test_conformance.py",
    "ggp.machines.prolog_program": "test_plan.py",
    "ggp.importing.collection": "test_importing.py",
    "ggp.importing.dump": "test_importing.py",
    "ggp.importing.files": "test_importing.py",
    "ggp.importing.intake": "test_importing.py",
    "ggp.importing.matches": "test_imported_matches.py",
    "ggp.importing.server": "test_importing.py",
    "ggp.importing.sheets": "test_importing.py",
    "ggp.importing.source": "test_importing.py",
    "ggp.lsp.answers": "test_lsp.py",
    "ggp.lsp.documents": "test_lsp.py",
    "ggp.lsp.findings": "test_lsp.py",
    "ggp.lsp.knowledge": "test_lsp.py",
    "ggp.lsp.laboratory": "test_lsp.py",
    "ggp.lsp.positions": "test_lsp.py",
    "ggp.lsp.server": "test_lsp.py",
    "ggp.lsp.words": "test_lsp.py",
    "ggp.mcp.answers": "test_mcp.py",
    "ggp.mcp.apart": "test_mcp.py",
    "ggp.mcp.server": "test_mcp.py",
    "ggp.mcp.sources": "test_mcp.py",
    "ggp.match.asker": "test_probe.py",
    "ggp.match.builtin": "test_players.py",
    "ggp.match.chronicle": "test_master.py",
    "ggp.match.desk": "test_hall.py",
    "ggp.match.exchange": "test_probe.py",
    "ggp.match.ownplayers": "test_match.py",
    "ggp.match.packets": "test_mind.py",
    "ggp.match.reply": "test_client.py",
    "ggp.match.roster": "test_hall.py",
    "ggp.match.seats": "test_master.py",
    "ggp.match.settings": "test_protocol.py",
    "ggp.match.table": "test_master.py",
    "ggp.players.match": "test_play.py",
    "ggp.players.player": "test_players.py",
    "ggp.players.simple": "test_players.py",
    "ggp.players.specs": "test_players.py",
    "ggp.search.arrays": "test_search_playouts.py",
    "ggp.search.choice": "test_search_playing.py",
    "ggp.search.duels": "test_judging.py",
    "ggp.search.elsewhere": "test_cluster.py",
    "ggp.search.findings": "test_advice.py",
    "ggp.search.graph": "test_search_kernels.py",
    "ggp.search.helper": "test_cluster.py",
    "ggp.search.kernels.basics": "test_kernels.py",
    "ggp.search.kernels.knowing": "test_advice.py",
    "ggp.search.kernels.layout": "test_search_kernels.py",
    "ggp.search.kernels.foresting": "test_forest.py",
    "ggp.search.kernels.grouping": "test_search_groups.py",
    "ggp.search.kernels.nodes": "test_search_kernels.py",
    "ggp.search.kernels.preferring": "test_mast.py",
    "ggp.search.kernels.replying": "test_replies.py",
    "ggp.search.kernels.sequences": "test_forest.py",
    "ggp.search.kernels.table": "test_search_kernels.py",
    "ggp.search.kernels.transfer": "test_search_kernels.py",
    "ggp.search.kernels.waves": "test_search_kernels.py",
    "ggp.search.kernels.values": "test_minimax.py",
    "ggp.search.kernels.weighing": "test_records.py",
    "ggp.search.learning": "test_mast.py",
    "ggp.search.inside": "test_web_graph.py",
    "ggp.search.player": "test_search_clocks.py",
    "ggp.search.recycling": "test_search_kernels.py",
    "ggp.search.search": "test_search_playing.py",
    "ggp.search.settings": "test_reference.py",
    "ggp.search.tree": "test_live.py",
    "ggp.search.verdict": "test_judging.py",
    "ggp.search.weights": "test_valuing.py",
    "ggp.specialists.client": "test_gtp.py",
    "ggp.web.analyst": "test_web.py",
    "ggp.web.app": "test_web.py",
    "ggp.web.archive": "test_web.py",
    "ggp.web.drawing": "test_web.py",
    "ggp.web.bell": "test_hearing.py",
    "ggp.web.reading": "test_web.py",
    "ggp.web.relations": "test_studio.py",
    "ggp.web.standings": "test_web.py",
    "ggp.web.entry": "test_web.py",
    "ggp.web.fields": "test_web.py",
    "ggp.web.frames": "test_web.py",
    "ggp.web.live": "test_web.py",
    "ggp.web.measuring": "test_studio.py",
    "ggp.web.places": "test_web.py",
    "ggp.web.playing": "test_web.py",
    "ggp.web.room": "test_web.py",
    "ggp.web.rooms": "test_web.py",
    "ggp.web.seat": "test_web.py",
    "ggp.web.serving": "test_web.py",
    "ggp.web.setup": "test_web.py",
    "ggp.web.shelf": "test_web.py",
    "ggp.web.studio": "test_web.py",
}
"""Modules without a test file of their name, and the file that imports and tests them."""

COMMANDS = {
    "ggp.commands.bench": "test_cli.py",
    "ggp.commands.cache": "test_cli.py",
    "ggp.commands.check": "test_cli.py",
    "ggp.commands.doctor": "test_cli.py",
    "ggp.commands.experiment": "test_lab_command.py",
    "ggp.commands.format_": "test_cli.py",
    "ggp.commands.games": "test_library.py",
    "ggp.commands.generate": "test_pgame.py",
    "ggp.commands.import_": "test_importing.py",
    "ggp.commands.knowledge": "test_study.py",
    "ggp.commands.lsp": "test_lsp.py",
    "ggp.commands.master": "test_hall.py",
    "ggp.commands.match": "test_match.py",
    "ggp.commands.mcp": "test_mcp.py",
    "ggp.commands.perft": "test_cli.py",
    "ggp.commands.play": "test_player_process.py",
    "ggp.commands.play_through": "test_cli.py",
    "ggp.commands.position": "test_cli.py",
    "ggp.commands.records": "test_replay.py",
    "ggp.commands.register": "test_registration.py",
    "ggp.commands.replay": "test_replay.py",
    "ggp.commands.scramble": "test_cli.py",
    "ggp.commands.search": "test_search_command.py",
    "ggp.commands.show": "test_cli.py",
    "ggp.commands.strength": "test_strength.py",
    "ggp.commands.study": "test_study.py",
    "ggp.commands.tournament": "test_tournament.py",
    "ggp.commands.web": "test_web.py",
    "ggp.commands.why": "test_documents.py",
}
"""Subcommands, and the test file that runs them by their name."""

THROUGH = {
    "gdl.automaton": "test_reader.py",
    "gdl.grounding.noblas": "test_kernels.py",
    "ggp.analysis.outcomes": "test_search_command.py",
    "ggp.analysis.reasons": "test_documents.py",
    "ggp.analysis.rows": "test_search_command.py",
    "ggp.analysis.searched": "test_search_command.py",
    "ggp.analysis.texts": "test_search_command.py",
    "ggp.boards.groups": "test_groups.py",
    "ggp.boards.moves": "test_moves.py",
    "ggp.circuits.assertions": "test_asserted.py",
    "ggp.circuits.counterexamples": "test_asserted.py",
    "ggp.circuits.multivalued.bodies": "test_synthesis.py",
    "ggp.circuits.multivalued.counting": "test_synthesis.py",
    "ggp.circuits.multivalued.literals": "test_synthesis.py",
    "ggp.circuits.sat": "test_sat.py",
    "ggp.commands.human": "test_human.py",
    "ggp.commands.page": "test_web.py",
    "ggp.core.interrupts": "test_interrupts.py",
    "ggp.core.tiny": "test_compiler.py",
    "ggp.envs.kernels": "test_envs.py",
    "ggp.human.host": "test_human.py",
    "ggp.human.keyboard": "test_keyboard.py",
    "ggp.human.picture": "test_human.py",
    "ggp.human.playing": "test_human.py",
    "ggp.human.seat": "test_human.py",
    "ggp.human.turn": "test_human.py",
    "ggp.lanes.unrolling": "test_lap.py",
    "ggp.match.transport": "test_client.py",
    "ggp.mcp.limited": "test_mcp.py",
    "ggp.search.grouped": "test_search_groups.py",
    "ggp.search.kernels.adapting": "test_adapting.py",
    "ggp.search.kernels.best": "test_trace.py",
    "ggp.search.kernels.grams": "test_ngrams.py",
    "ggp.search.kernels.plays": "test_lastgood.py",
    "ggp.search.kernels.valuing": "test_valuing.py",
}
"""Modules with few callers, and the test file that tests them through those: a terminal, a signal, a kernel's kernel."""

NOT_YET = {
    "ggp.commands.moves",
    "ggp.commands.options",
    "ggp.lab.runner",
    "ggp.machines.worker",
    "ggp.match.child",
    "ggp.match.crew",
    "ggp.match.listener",
    "ggp.match.nursery",
    "ggp.match.player",
    "ggp.match.probe_match",
    "ggp.match.probe_wire",
    "ggp.lab.measure",
    "ggp.search.crew",
    "ggp.search.kernels.choosing",
    "ggp.search.kernels.compacting",
    "ggp.search.kernels.descent",
    "ggp.search.kernels.edges",
    "ggp.search.kernels.growth",
    "ggp.search.kernels.lanes",
    "ggp.search.kernels.launching",
    "ggp.search.kernels.marking",
    "ggp.search.kernels.moves",
    "ggp.search.kernels.playout",
    "ggp.search.kernels.proofs",
    "ggp.search.kernels.sums",
    "ggp.search.kernels.updating",
    "ggp.commands.warm",
}
"""Modules that no test imports: they are tested through others. This list may only shrink."""


TYPES = {"ggp.core.arraytypes"}
"""Modules of types alone, which mypy tests."""


@cache
def modules(package: str) -> frozenset[str]:
    """The modules of a package, those of packages inside it too."""
    found = set()
    for path in (ROOT / package).rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return frozenset(found)


@cache
def imported(test: str) -> frozenset[str]:
    """The modules that a test file imports, those too that define a name which it imports from a package."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / "tests" / test).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("gdl", "ggp"):
            assert node.module is not None
            found.add(node.module)
            for alias in node.names:
                found.add(f"{node.module}.{alias.name}")
                found.add(getattr(getattr(importlib.import_module(node.module), alias.name, None), "__module__", ""))
    return frozenset(found)


def own_test(module: str) -> str:
    """The test file of a module by its name: that of the module, or of its package and the module."""
    *_, package, name = ["", *module.split(".")]
    names = (f"test_{name}.py", f"test_{package}_{name}.py")
    return next((file for file in names if (ROOT / "tests" / file).exists() and module in imported(file)), "")


def is_tested(module: str) -> bool:
    """By a file of its name, by the file that is stated, or as a command."""
    stated = TESTED_IN.get(module)
    return (
        bool(own_test(module))
        or (stated is not None and module in imported(stated))
        or module in COMMANDS
        or module in THROUGH
    )


def test_what_is_public_is_listed() -> None:
    assert sorted(gdl.__all__) == gdl.__all__
    public = {name for name, value in vars(gdl).items() if not name.startswith("_") and not isinstance(value, type(gdl))}
    shadowed = {"check"}  # the function hides the module of its name
    assert public | shadowed >= set(gdl.__all__)
    assert public == set(gdl.__all__)


def test_what_ggp_offers_is_what_the_page_of_the_api_shows() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert sorted(ggp.__all__) == ggp.__all__
    for name in ggp.__all__:
        assert getattr(ggp, name) is not None
        assert f"`ggp.{name}" in page, name
    assert set(ggp.__all__) <= set(dir(ggp))
    with pytest.raises(AttributeError, match="no attribute 'lane'"):
        _ = ggp.lane


LAYERS = (
    ("gdl",),
    ("ggp.core",),
    ("ggp.circuits", "ggp.generators"),
    ("ggp.lanes",),
    ("ggp.machines", "ggp.boards"),
    ("ggp.players", "ggp.batch", "ggp.knowledge"),
    ("ggp.search", "ggp.specialists"),
    ("ggp.match", "ggp.analysis"),
    ("ggp.human", "ggp.importing", "ggp.lab", "ggp.api", "ggp.lsp", "ggp.mcp"),
    ("ggp.envs", "ggp.web"),
    ("ggp.commands",),
    ("ggp.cli",),
    ("ggp",),
)
"""The packages, each above those that it may import; packages of one layer do not import each other."""


def layer(module: str) -> tuple[int, str]:
    """The number of the layer that a module is in, and the name of its package there."""
    found = [(n, p) for n, packages in enumerate(LAYERS) for p in packages if module == p or module.startswith(f"{p}.")]
    return max(found, key=lambda item: len(item[1]))


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of this project that a module imports, at once or later, but those it needs for types alone."""
    path = ROOT / module.replace(".", "/")
    tree = ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    known, found = modules("gdl") | modules("ggp"), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name if name in known else node.module for name in names)
    return frozenset(found - {module})


def test_imports_lead_downwards_only() -> None:
    wrong = []
    for module in modules("gdl") | modules("ggp"):
        own, package = layer(module)
        for other in imports(module) - {"ggp"}:  # anybody may ask for the version
            below, its_package = layer(other)
            if not (below < own or package == its_package):
                wrong.append(f"{module} imports {other}")
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    left = {module: set(imports(module)) for module in modules("gdl") | modules("ggp")}
    while ends := {module for module, others in left.items() if not others & left.keys()}:
        left = {module: others for module, others in left.items() if module not in ends}
    assert sorted(left) == []


LONGEST = 45
"""Lines of a function, its decorators not counted."""
LONG = {
    "gdl.grounding.native.relevant": "one search, whose state is a dozen arrays",
    "ggp.circuits.emit._place": "one walk depth first, for gates and for loops",
    "ggp.circuits.gates.land": "the rules of `Graph.land`, case by case, in one loop that may begin again",
    "ggp.circuits.manyinput.rows_of": "two stacks, one inside the other, over the same arrays",
    "ggp.circuits.pairs.share_pairs": "each round counts, replaces and counts again in the same arrays",
    "ggp.circuits.sat.solve": "the loop of the search, whose turns all steer the same numbers",
    "ggp.circuits.translate._group": "one probe of a table for each body",
    "ggp.circuits.translate.strata": "Tarjan's algorithm without recursion",
    "ggp.circuits.translate.translate": "one component after the other, into the same lists",
    "ggp.lanes.foresight._look_ahead": "sets, changes, reads and undoes three cones for each input",
    "ggp.lanes.interpreter._place": "a case for each kind of operation, with the state of a register allocator",
    "ggp.lanes.phases._prove_all": "a fixpoint over arrays that all of it shares",
    "ggp.search.kernels.descent.descend": "one step down for each turn of a loop with many ends",
    "ggp.search.kernels.moves.list_moves": "roles, and then joint moves, counted in one array",
}
"""Kernels that are longer, and why. This list may only shrink."""


def long_functions(module: str) -> set[str]:
    """The functions of a module that have more lines than others may."""
    path = ROOT / module.replace(".", "/")
    tree = ast.parse(path.with_suffix(".py").read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {f"{module}.{node.name}" for node in functions if (node.end_lineno or 0) - node.lineno >= LONGEST}


def test_functions_are_short_but_for_some_kernels() -> None:
    assert set().union(*(long_functions(module) for module in sources())) == set(LONG)


def sources() -> set[str]:
    """All modules that are no packages."""
    return {module for module in modules("gdl") | modules("ggp") if not (ROOT / module.replace(".", "/")).is_dir()}


def test_every_module_is_tested_somewhere() -> None:
    assert {module for module in sources() if not is_tested(module)} == NOT_YET | TYPES


def test_the_tables_of_tests_say_what_is_so() -> None:
    assert set(TESTED_IN) | set(COMMANDS) | set(THROUGH) | NOT_YET <= sources()
    assert [test for test in THROUGH.values() if not (ROOT / "tests" / test).exists()] == []
    assert [module for module, test in TESTED_IN.items() if module not in imported(test)] == []
    assert [module for module in TESTED_IN if own_test(module)] == []  # the name says it
    everything = set().union(*(imported(path.name) for path in (ROOT / "tests").glob("test_*.py")))
    assert everything & NOT_YET == set()  # tested meanwhile: to be stated, or to be seen by its name
    for module, test in COMMANDS.items():
        text = (ROOT / "tests" / test).read_text(encoding="utf-8")
        assert "ggp.cli" in imported(test), test
        name = module.rpartition(".")[2].rstrip("_").replace("_", "-")
        documented = test == "test_documents.py" and any(
            command.text.startswith(f"ggp {name} ") for document in DOCUMENTS for command in commands(document)
        )
        assert documented or f'"{name}"' in text, module


GROUNDING = {
    f"gdl.grounding.{name}"
    for name in ("bounds", "counting", "engine", "grounder", "native", "noblas", "spelling", "split")
}
"""What goes through millions of ground rules; imported only where something is ground."""


def test_the_language_needs_no_player_no_numbers_and_no_prolog() -> None:
    """A module of gdl never imports ggp, numpy, numba or pyswip, not even through others, but those that run clingo."""
    code = f"""
import importlib, sys
for name in {sorted(modules("gdl") - GROUNDING)}:
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

"""Kernels are cached where there is a place for them, and work where there is none."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from gdl.grounding import noblas
from ggp.core.kernels import _source, bound, sources
from ggp.search.kernels.basics import copy
from tests.helpers import ROOT

SCRIPT = """
import warnings
warnings.simplefilter("error")
from ggp.commands.warm import warm
import numba
warm()
"""


@pytest.mark.slow  # all kernels are compiled in an empty folder: half a minute
def test_a_second_process_finds_the_kernels(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, check=True, timeout=300)
    assert list(tmp_path.rglob("*.nbi"))


def test_without_a_place_for_them_there_is_a_warning() -> None:
    script = """
import warnings, numba
real = numba.njit
def njit(*args, **options):
    if options.get("cache"):
        raise RuntimeError("cannot cache: no locator available")
    return real(*args, **options)
numba.njit = njit
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from ggp.core.kernels import kernel
    @kernel
    def double(x):
        return 2 * x
    @kernel
    def triple(x):
        return 3 * x
assert double(4) == 8 and triple(4) == 12
print([str(w.message) for w in caught if "compiled anew" in str(w.message)])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.count("compiled anew") == 1


LEAF = """
from ggp.core.kernels import borrowing
from leaves.numbers import MORE

@borrowing
def add(x):
    return x + MORE
"""
TREE = """
from ggp.core.kernels import kernel
from leaves.leaf import add

@kernel
def lazy(x):
    return add(x)

@kernel("i8(i8)")
def eager(x):
    return 2 * add(x)
"""


def test_an_edit_of_what_a_kernel_uses_compiles_it_anew_and_a_new_date_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> tuple[list[int], list[int]]:
        """What both kernels say of 10 in a process of its own, as it were, and how often each was found on disk."""
        for name in [name for name in sys.modules if name.split(".")[0] == "leaves"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        _source.cache_clear()
        sources.cache_clear()
        tree: Any = importlib.import_module("leaves.tree")
        kernels = tree.lazy, tree.eager
        return [kernel(10) for kernel in kernels], [sum(kernel.stats.cache_hits.values()) for kernel in kernels]

    folder = tmp_path / "leaves"
    folder.mkdir()
    for name, text in {"__init__": "", "numbers": "MORE = 1\n", "leaf": LEAF, "tree": TREE}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python's own cache looks at dates
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    assert run() == ([11, 22], [0, 0])
    assert run() == ([11, 22], [1, 1])
    for path in folder.glob("*.py"):
        os.utime(path, (1, 1))
    assert run() == ([11, 22], [1, 1])
    (folder / "leaf.py").write_text(LEAF.replace("x + MORE", "x - MORE"))
    assert run() == ([9, 18], [0, 0])
    (folder / "numbers.py").write_text("MORE = 2\n")
    assert run() == ([8, 16], [0, 0])
    assert run() == ([8, 16], [1, 1])
    (folder / "beside.py").write_text("from leaves.tree import lazy\n")
    assert run() == ([8, 16], [1, 1])


@pytest.mark.parametrize(
    ("line", "both"),
    [
        ("from some.folder.other import x", True),
        ("    from folder.other import (", True),
        ("import some.folder.other as o", True),
        ("from some.folder import more, other as o", True),
        ("from some.folder import (", True),
        ("from some.folder import more", False),
        ("from . import other", True),
        ("from .other import x", True),
        ("from elsewhere.other import x", False),
        ("# other", False),
    ],
)
def test_what_a_source_imports_from_its_folder(tmp_path: Path, line: str, both: bool) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one.py").write_text(f"import os\nfrom pathlib import Path\n{line}\n")
    (folder / "more.py").touch()
    digests = []
    for text in ("x = 1\n", "x = 2\n"):
        (folder / "other.py").write_text(text)
        _source.cache_clear()
        sources.cache_clear()
        digests.append(sources(folder / "one.py"))
    assert (digests[0] != digests[1]) is both


def test_a_bound_kernel_is_called_without_a_look_at_its_arguments() -> None:
    words = np.arange(6, dtype=np.uint64).reshape(2, 3)
    copied = np.zeros(3, np.uint64)
    bound(copy, copied, words[1])(copied, words[1])
    assert copied.tolist() == [3, 4, 5]


_TYPES = "ggp.core.arraytypes"
"""Numba never looks at these."""


def test_kernels_use_nothing_of_ours_from_other_folders() -> None:
    """Numba would not see it change."""
    seen = 0
    for path in (ROOT / "ggp").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        package = ".".join(path.relative_to(ROOT).parts[:-1])
        origin: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                origin |= {alias.asname or alias.name: str(node.module) for alias in node.names}
        for function in tree.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            marks = {node.id for mark in function.decorator_list for node in ast.walk(mark) if isinstance(node, ast.Name)}
            if marks & {"kernel", "borrowing", "inlined"}:
                seen += 1
                used = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
                for name in used & origin.keys():
                    ours = origin[name].split(".")[0] in ("gdl", "ggp") and origin[name] != _TYPES
                    places = (origin[name], origin[name].rpartition(".")[0])  # a module of the folder, or a name of one
                    assert not ours or package in places, f"{path}: {function.name} uses {name}"
    assert seen > 50


def test_numba_is_not_let_look_for_products_of_matrices() -> None:
    script = "import sys, gdl.grounding.grounder; print(*[name for name in sys.modules if name.startswith('scipy.l')])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, timeout=300)
    assert done.stdout.strip() == b""
    assert sys.modules.get(noblas._BLAS, noblas) is not None, "whoever wants it can have it"

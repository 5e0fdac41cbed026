"""The wheel, in an empty environment and from another folder: `tests/installed.py` is run there.

It is installed from the package index, so without a network these are skipped. GGP_WHEEL_PYTHON names another Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.helpers import GAMES, ROOT


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment.update(GGP_CACHE=str(cwd / "cache"), GGP_KNOWLEDGE=str(cwd / "knowledge"))
    return subprocess.run(list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, as building leaves files beside the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if name.startswith(("gdl/", "ggp/", "games/")) or name in ("pyproject.toml", "README.md", "LICENSE"):
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "source" / name).write_bytes((ROOT / name).read_bytes())
    build = (sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation")
    made = run(*build, "-w", folder, "./source", cwd=folder)
    assert made.returncode == 0, made.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_has_all_that_the_folder_has(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        str(path.relative_to(ROOT))
        for folder in ("gdl", "ggp")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - inside == set()
    assert {f"ggp/games/{path.name}" for path in GAMES.glob("*") if path.is_file()} - inside == set()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_wheel_works_in_an_empty_environment_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    python = os.environ.get("GGP_WHEEL_PYTHON", sys.executable)
    assert run(python, "-m", "venv", tmp_path / "venv", cwd=tmp_path).returncode == 0
    own, away = tmp_path / "venv" / "bin" / "python", tmp_path / "away"
    away.mkdir()
    installed = run(own, "-m", "pip", "install", "-q", f"{wheel}[web,lsp]", cwd=away)
    if "Could not find a version" in installed.stderr or "connection" in installed.stderr.lower():
        pytest.skip(f"no package index: {installed.stderr[-300:]}")
    assert installed.returncode == 0, installed.stderr
    done = run(own, ROOT / "tests" / "installed.py", cwd=away)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": ok") == 6

"""setup.sh: a line a stage, what the steps print stays out of sight unless one of them fails, and twice is quick.

The steps themselves take minutes, so a stand-in for Python is asked to do them here.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.helpers import ROOT

STAND_IN = """#!/bin/sh
echo "$*" >>calls
case "$*" in
    -c*print*) echo version ;;
    -c*) ;;
    "-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python
        echo "command = python -m venv $PWD/.venv" >.venv/pyvenv.cfg ;;
    "-m ggp.commands.warm") echo "setup: compiling kernels … done" ;;
    *"$FAILS"*) echo "a thing that matters" >&2; exit 7 ;;
    *) echo "WARNING: a thing of no importance"; echo "another one" >&2 ;;
esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("setup.sh", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    stand_in = tmp_path / "python"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    swipl = tmp_path / "bin" / "swipl"
    swipl.parent.mkdir()
    swipl.write_text("#!/bin/sh\n")
    swipl.chmod(0o755)
    return tmp_path


def set_up(project: Path, *arguments: str, fails: str = "nothing does") -> subprocess.CompletedProcess[str]:
    path = f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHON": str(project / "python"), "FAILS": fails}
    return subprocess.run(
        ["sh", "setup.sh", *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )


def test_a_line_a_stage_and_nothing_the_second_time(project: Path) -> None:
    first, second = set_up(project), set_up(project)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.splitlines() == [
        "setup: making .venv/",
        "setup: installing the locked dependencies of requirements.lock",
        "setup: installing ggp",
        "setup: compiling kernels … done",
        "setup: done: .venv/bin/ggp is the command",
    ]
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def test_tests_need_more_than_playing_and_then_playing_needs_nothing(project: Path) -> None:
    set_up(project)
    mine = project / ".venv" / "mine"
    mine.touch()
    more = set_up(project, "--dev")
    assert more.stdout.splitlines()[:2] == [
        "setup: changing .venv/",
        "setup: installing the locked dependencies of requirements-dev.lock",
    ]
    assert mine.exists()  # it is not taken away from whoever uses it
    assert [set_up(project, *arguments).stdout for arguments in ((), ("--dev",))] == ["", ""]
    calls = (project / "calls").read_text()
    assert [calls.count(f"--requirement {lock}\n") for lock in ("requirements.lock", "requirements-dev.lock")] == [1, 1]


def test_a_lock_that_changes_is_installed_in_place(project: Path) -> None:
    set_up(project, "--dev")
    mine = project / ".venv" / "mine"
    mine.touch()
    with (project / "requirements.lock").open("a") as lock:
        lock.write("# another version\n")
    assert set_up(project).stdout.startswith("setup: changing .venv/\n")
    assert mine.exists()
    assert set_up(project, "--dev").stdout.startswith("setup: changing .venv/\n")  # what it added may be too old now


def test_what_a_lock_no_longer_names_is_removed_and_nothing_else(project: Path) -> None:
    set_up(project)
    named = (project / ".venv" / "locked").read_text().split()
    assert set(named) == locked("requirements-dev.lock").keys() | locked("requirements.lock").keys()
    lines = {name: (project / name).read_text() for name in ("requirements.lock", "requirements-dev.lock")}
    assert set_up(project, "--dev").stdout.count("removing") == 0
    for name, text in lines.items():
        shorter = re.sub(r"^(rich|pytest)==.*\n(    .*\n)*", "", text, flags=re.MULTILINE)
        (project / name).write_text(shorter)
    assert "setup: removing what no lock names any more: pytest rich" in set_up(project).stdout.splitlines()
    assert (project / "calls").read_text().count(
        "pip uninstall --quiet --disable-pip-version-check --yes pytest rich\n"
    ) == 1
    (project / "requirements.lock").write_text(lines["requirements.lock"])
    assert "removing" not in set_up(project).stdout


def test_a_folder_that_was_moved_gets_an_environment_of_its_own(project: Path, tmp_path: Path) -> None:
    set_up(project)
    (project / ".venv" / "mine").touch()
    moved = tmp_path.with_name(f"{tmp_path.name}-moved")
    shutil.copytree(project, moved)
    assert set_up(moved).stdout.startswith("setup: making .venv/\n")
    assert not (moved / ".venv" / "mine").exists()


def locked(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE))


def test_playing_needs_few_packages_and_the_same_as_tests() -> None:
    few, many = locked("requirements.lock"), locked("requirements-dev.lock")
    assert {"numba", "clingo", "uvicorn", "setuptools"} <= few.keys()
    assert len(few) <= 30
    assert not {"pytest", "distributed", "matplotlib", "open-spiel", "mcp", "mypy"} & few.keys()
    assert few.items() <= many.items()


def test_what_is_locked_runs_on_the_python_of_debian() -> None:
    """Tools lock what is newest for the Python that they run on, which may be a newer one."""
    refused = {}
    for name in locked("requirements-dev.lock"):
        with contextlib.suppress(PackageNotFoundError):
            for wanted in metadata(name).get_all("Requires-Python", []):
                if not SpecifierSet(wanted).contains("3.11.2"):
                    refused[name] = wanted
    assert refused == {}


def test_specialists_are_asked_for_apart(project: Path) -> None:
    """Two are there; the third cannot be installed, as apt-get fails."""
    for name, code in (("gnugo", 0), ("stockfish", 0), ("apt-get", 7), ("sudo", 1)):
        (project / "bin" / name).write_text(f"#!/bin/sh\necho asked for $*\nexit {code}\n")
        (project / "bin" / name).chmod(0o755)
    script = (project / "setup.sh").read_text().replace(":/usr/games", "")
    (project / "setup.sh").write_text(script)
    path = f"{project / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    command = ["sh", "setup.sh", "--specialists"]
    done = subprocess.run(
        command, cwd=project, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr.endswith("cannot be installed without root. Ask for: apt install fairy-stockfish\n")
    assert "gnugo" not in done.stdout + done.stderr
    assert not (project / ".venv").exists()


@pytest.mark.parametrize("step", ["--require-hashes", "--editable"])
def test_a_step_that_fails_shows_what_it_printed(step: str, project: Path) -> None:
    done = set_up(project, fails=step)
    assert done.returncode == 1
    assert done.stderr.startswith("a thing that matters\nsetup: this failed: .venv/bin/python -m pip install ")
    assert "importance" not in done.stdout + done.stderr
    assert set_up(project).stdout.endswith("setup: done: .venv/bin/ggp is the command\n")

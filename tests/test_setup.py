"""setup.sh: a line a stage, what the steps print stays out of sight unless one of them fails, and twice is quick.

The steps themselves take minutes, so a stand-in for Python is asked to do them here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers import ROOT

STAND_IN = """#!/bin/sh
echo "$*" >>calls
case "$*" in
    -c*print*) echo version ;;
    -c*) ;;
    "-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    "-m ggp.commands.warm") echo "setup: compiling kernels … done" ;;
    *"$FAILS"*) echo "a thing that matters" >&2; exit 7 ;;
    *) echo "WARNING: a thing of no importance"; echo "another one" >&2 ;;
esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("setup.sh", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    stand_in = tmp_path / "python"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    swipl = tmp_path / "bin" / "swipl"
    swipl.parent.mkdir()
    swipl.write_text("#!/bin/sh\n")
    swipl.chmod(0o755)
    return tmp_path


def set_up(project: Path, fails: str = "nothing does") -> subprocess.CompletedProcess[str]:
    path = f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHON": str(project / "python"), "FAILS": fails}
    return subprocess.run(["sh", "setup.sh"], cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_a_line_a_stage_and_nothing_the_second_time(project: Path) -> None:
    first, second = set_up(project), set_up(project)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.splitlines() == [
        "setup: making .venv/",
        "setup: installing the locked dependencies",
        "setup: installing ggp",
        "setup: compiling kernels … done",
        "setup: done: .venv/bin/ggp is the command",
    ]
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


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
    done = set_up(project, step)
    assert done.returncode == 1
    assert done.stderr.startswith("a thing that matters\nsetup: this failed: .venv/bin/python -m pip install ")
    assert "importance" not in done.stdout + done.stderr
    assert set_up(project).stdout.endswith("setup: done: .venv/bin/ggp is the command\n")

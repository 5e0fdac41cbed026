"""What all tests rest on: processes with default signals, that nobody waits for, and a time limit for every test."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SLOW
from tests.helpers import ROOT, started

STOPPING = [  # tests that stop processes by signals, which have to come through
    "tests/test_helpers.py::test_what_is_started_from_here_ignores_no_signal",
    *(
        pytest.param(test, marks=pytest.mark.slow)  # they run by themselves as well
        for test in (
            "tests/test_cli.py::test_ctrl_c_ends_quietly_and_takes_the_worker_along",
            "tests/test_hall.py::test_the_command_serves_until_a_signal_comes",
            "tests/test_match.py::test_a_signal_aborts_the_match_for_everybody",
            "tests/test_player_process.py::test_signals_end_a_match_with_an_answer",
        )
    ),
]


def pytest_process(*arguments: str, ignoring: str = "") -> subprocess.CompletedProcess[str]:
    """Pytest in a process of its own, started to ignore some signals."""
    shell = f"trap '' {ignoring}; exec \"$@\"" if ignoring else 'exec "$@"'
    command = ["sh", "-c", shell, "sh", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=600)


def ignored(status: str) -> int:
    """The signals that a process ignores, as the kernel writes them: a bit for each. Those above 31 nobody can set."""
    found = re.search(r"^SigIgn:\s*([0-9a-f]+)$", status, re.MULTILINE)
    assert found is not None
    return int(found[1], 16) & 2**31 - 1


def test_what_is_started_from_here_ignores_no_signal() -> None:
    with started(["cat", "/proc/self/status"], stdout=subprocess.PIPE) as process:
        assert ignored(process.communicate()[0]) == 0


@pytest.mark.parametrize("test", STOPPING)
def test_a_suite_that_was_started_to_ignore_signals_passes_and_ends(test: str) -> None:
    """As by `nohup make test &`, and in the background of a script."""
    done = pytest_process(test, ignoring="HUP INT QUIT TERM")
    assert done.returncode == 0, done.stdout


def test_a_test_that_waits_without_end_fails_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_waiting.py").write_text(
        "from tests.helpers import started\n"
        "def test_waits():\n    with started(['sleep', '600']) as process:\n        process.wait()\n"
        "def test_is_next(): pass\n"
    )
    done = pytest_process("-c", str(ROOT / "pyproject.toml"), "--timeout", "1", str(tmp_path))
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "Timeout" in done.stdout


def test_every_test_has_a_time_limit(request: pytest.FixtureRequest) -> None:
    limit = float(request.config.getini("timeout"))
    last_resort = request.config.getini("faulthandler_timeout")
    assert 0 < limit < SLOW < float(last_resort)
    for item in request.session.items:
        mark = item.get_closest_marker("timeout")
        own = limit if mark is None else mark.args[0]
        assert (limit if item.get_closest_marker("slow") is None else SLOW) <= own < float(last_resort), item.nodeid


def test_only_the_helper_leaves_processes_running() -> None:
    """`subprocess.run` ends what it started; whatever else starts a process is killed by the helper.

    `installed.py` is run by the Python of a wheel, which knows no helper.
    """
    files = {path.name for path in (ROOT / "tests").rglob("*.py") if "Popen(" in path.read_text(encoding="utf-8")}
    assert files - {"test_helpers.py"} == {"helpers.py", "installed.py", "terminal.py", "test_interrupts.py"}

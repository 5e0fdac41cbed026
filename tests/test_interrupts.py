"""Ctrl-C: 130 within a second, without a traceback, in every command, early and late, once and twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from ggp.core import interrupts
from tests.helpers import GAMES, ROOT

FOUR, CHESS = str(GAMES / "connect_four.kif"), str(GAMES / "chess.kif")
ENDLESS = "(role me) (legal me go) (goal me 50) (<= terminal (true (on 3)))"
TOURNAMENT = ["connect_four", "--player", "ucd:seconds=1", "--player", "uct:seconds=1", "--workers", "1"]
LONG: dict[str, Sequence[str]] = {
    "check": ["endless.kif", "--plays", "1000000"],
    "show": [CHESS, "--machine", "circuit"],
    "bench": [CHESS, "--seconds", "60"],
    "perft": [FOUR, "--depth", "12"],
    "play-through": ["endless.kif", "--steps", "100000000"],
    "search": [FOUR, "--seconds", "60", "--threads", "2"],
    "match": [FOUR, "--player", "ucd:seconds=60", "--player", "random"],
    "tournament": TOURNAMENT,
    "experiment": ["hex"],
    "play": ["--port", "0"],
    "master": [FOUR, "--port", "0"],
    "register": ["--check", "127.0.0.1:9"],
    "why": [CHESS, "terminal"],
    "generate": ["p-game", "--depth", "14"],
    "doctor": [],
}
"""Commands that would take long, or at least a while."""


def started(folder: Path, *arguments: str, ignoring: bool = False, out: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """`ggp` in a process of its own, as a terminal starts it, or in the background as a shell does."""
    (folder / "endless.kif").write_text(ENDLESS)
    number = "SIG_IGN" if ignoring else "default_int_handler"
    code = "import os, signal, sys; signal.signal(signal.SIGINT, signal.{}); os.execv(sys.executable, sys.argv[1:])"
    ours = [sys.executable, "-m", "ggp.cli", *arguments]
    return subprocess.Popen(
        [sys.executable, "-S", "-c", code.format(number), *ours],
        stdout=out, stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=True,
    )  # fmt: skip


def wait_for_guard(process: subprocess.Popen[str]) -> None:
    """Until the process looks after Ctrl-C: before that, Python itself has hardly begun."""
    until = time.monotonic() + 30
    threads = Path(f"/proc/{process.pid}/task")
    while b"ggp.cli" not in Path(f"/proc/{process.pid}/cmdline").read_bytes() or len(list(threads.iterdir())) < 2:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.002)


def interrupted(process: subprocess.Popen[str], *delays: float) -> None:
    """Press Ctrl-C after each delay; the process must end as promised."""
    wait_for_guard(process)
    for delay in delays:
        time.sleep(delay)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    try:
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert time.monotonic() - pressed < 3, "a second, with some room for a busy machine"
    assert (process.returncode, errors.splitlines()[-1]) == (130, "ggp: interrupted")
    assert "Traceback" not in errors and errors.count("interrupted") == 1


@pytest.mark.parametrize("command", ["search", "match", "play"])
def test_while_everything_is_loaded(command: str, tmp_path: Path) -> None:
    for delay in (0.0, 0.05, 0.2):
        interrupted(started(tmp_path, command, *LONG[command]), delay)


@pytest.mark.slow
@pytest.mark.parametrize("command", LONG)
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.1, 0.2, 0.4, 0.7])
def test_every_command_early(command: str, delay: float, tmp_path: Path) -> None:
    if command in ("register", "doctor", "generate", "why", "show") and delay > 0.3:
        pytest.skip("it may be over by then")
    interrupted(started(tmp_path, command, *LONG[command]), delay)


@pytest.mark.slow
@pytest.mark.parametrize("command", set(LONG) - {"register", "doctor", "generate", "why", "show"})
@pytest.mark.parametrize("delay", [1.5, 4.0, 8.0])
def test_every_long_command_late(command: str, delay: float, tmp_path: Path) -> None:
    interrupted(started(tmp_path, command, *LONG[command]), delay)


def test_a_search_on_two_threads(tmp_path: Path) -> None:
    interrupted(started(tmp_path, "search", *LONG["search"]), 3.0)


@pytest.mark.slow
def test_a_match_over_http_and_a_second_time(tmp_path: Path) -> None:
    interrupted(started(tmp_path, "match", FOUR), 8.0)
    interrupted(started(tmp_path, "match", FOUR), 6.0, 0.1)


SLEEPER = """
import signal, sys, time
from ggp import cli
from ggp.core import interrupts
from ggp.commands import line

interrupts._GRACE = {grace}

def run(arguments):
    interrupts.running()
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        {last}

line.run = run
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(cli.main())
"""


def sleeper(last: str, grace: float = interrupts._GRACE) -> subprocess.Popen[str]:
    """A command that does something at its end, for which it has so many seconds."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPER.format(last=last, grace=grace)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    return process


def test_what_is_put_away_too_slowly_is_left() -> None:
    process = sleeper("time.sleep(60)")
    pressed = time.monotonic()
    _, errors = process.communicate(timeout=20)
    assert 0.5 < time.monotonic() - pressed < 3
    assert (process.returncode, errors) == (130, "\nggp: interrupted\n")


def test_what_is_put_away_quickly_is_waited_for() -> None:
    out, errors = sleeper("print('put away')", grace=50).communicate(timeout=20)
    assert (out, errors) == ("put away\n", "\nggp: interrupted\n")


BROKEN = """
import signal, sys, time
from ggp import cli
from ggp.commands import doctor

def run(options):
    print("ready", flush=True)
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        raise ImportError("half of it") from None

doctor.run = run
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["ggp", "doctor"]
sys.exit(cli.main())
"""


def test_an_error_that_it_has_caused_is_no_fault(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", BROKEN],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "\nggp: interrupted\n")


def test_a_second_time_ends_it_at_once() -> None:
    process = sleeper("print('at work', flush=True); time.sleep(60)", grace=50)
    assert process.stdout is not None and process.stdout.readline() == "at work\n"
    process.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - pressed < 15, "far below what it would have had"
    assert (process.returncode, errors) == (130, "\nggp: interrupted\n")


@pytest.mark.parametrize("command", ["play", "master"])
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_servers_end_however_they_were_started(command: str, sent: signal.Signals, code: int, tmp_path: Path) -> None:
    process = started(tmp_path, command, *LONG[command], ignoring=True)
    said = process.stdout if command == "master" else process.stderr
    assert said is not None
    try:
        while "Ctrl-C ends it" not in (line := said.readline()):
            assert line, "it ended by itself"
        process.send_signal(sent)
        assert process.wait(10) == code
    finally:
        process.kill()
        process.communicate()


def test_the_player_beside_the_package(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "player.py"), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True)
    assert process.stderr is not None
    try:
        assert "Ctrl-C ends it" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
    finally:
        process.kill()
        process.communicate()


def test_a_command_in_the_background_goes_on_ignoring_it(tmp_path: Path) -> None:
    process = started(tmp_path, "play-through", *LONG["play-through"], "--machine", "prolog", ignoring=True)
    try:
        wait_for_guard(process)
        assert process.stdout is not None and process.stdout.readline() == "step 0\n"
        process.send_signal(signal.SIGINT)
        for _ in range(20):
            assert process.stdout.readline()
        assert process.poll() is None
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

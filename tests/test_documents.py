"""Every command of README.md and docs/*.md does what the document says, run in the order in which a reader meets them.

A command without an entry in the tables below is run as it stands, in a folder that holds the games as a checkout
does. It has to end with 0, without a traceback, and to print what the document shows. The tables say, with the reason,
what is run instead: `quick` in every suite, `whole` in the slow one.
"""

from __future__ import annotations

import contextlib
import doctest
import fcntl
import io
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.commands.web import PORT as WEB_PORT
from ggp.match.hall import HALL_PORT
from ggp.match.settings import DEFAULT_PORT
from tests.documents import DOCUMENTS, Command, Piece, commands, steps
from tests.helpers import ROOT, started

pytestmark = pytest.mark.usefixtures("compiled_once", "judged_briefly")

PORTS = (DEFAULT_PORT, HALL_PORT, WEB_PORT)
"""Where `ggp play`, `ggp master` and `ggp web` of the documents listen."""


@dataclass(frozen=True)
class Instead:
    """What is run instead of the commands that a pattern is found in; None: nothing."""

    pattern: str
    reason: str
    quick: str | None
    whole: str | None


ALWAYS = [
    Instead(r"^make (\w+)$", "sets the project up again; continuous integration does", *2 * [r"make --dry-run \1"]),
    Instead(r"/tmp/", "tests write in folders of their own", *2 * ["./"]),
    Instead(r"\bFILE\b", "stands for any game", *2 * ["nim"]),
    Instead(r"\bGAMES\b", "stands for any games", "nim", "nim crisscross"),
    Instead(r"^ggp (bench|search) (?=--(?!all))", "the text speaks of any game", *2 * [r"ggp \1 games/nim.kif "]),
    Instead(r"\b10\.0\.0\.5\b", "the address of the reader's machine", *2 * ["127.0.0.1"]),
    Instead(
        r"^ggp experiment (hex|my-question.toml)(?! plan)(.*)", "eleven minutes",
        r"ggp experiment \1\2 --set matches=2 --set simulations=20 --set d1=0 --set d3=0 --workers 1",
        r"ggp experiment \1\2 --set matches=20 --set simulations=20",
    ),
    Instead(
        r"^ggp experiment ggp-tables (.*)$", "hours",
        r"ggp experiment ggp-tables \1 --set games=nim --set matches=2 --set simulations=20 --set d1=0 --set d3=0",
        r"ggp experiment ggp-tables \1 --set games=nim,quarto --set matches=8 --set simulations=20",
    ),
    Instead(
        r"^ggp experiment leftright", "two minutes",
        r"\g<0> --set matches=2 --set simulations=5 --set d1=0 --set d3=0 --set others=", r"\g<0>",
    ),
]  # fmt: skip
"""What stands for something else in a document, or takes too long for any suite."""

SHORTER = [
    Instead(
        r"^ggp strength.*",
        "minutes; tests/test_strength.py has a short one",
        None,
        "ggp strength connect_four --positions 1 --rounds 1 --match-seconds 0.02 --workers 1",
    ),
    Instead(
        r"^ggp (match|tournament) .*(gtp:gnugo|uci:stockfish|uci:fairy).*",
        "minutes, with programs of Debian",
        None,
        r"\g<0> --steps 4" if shutil.which("fairy-stockfish", path="/usr/games:/usr/bin") else None,
    ),
    Instead(r"\bbench --all\b", "five minutes", "bench games/nim.kif", r"\g<0>"),
    Instead(r"^ggp bench games/\*\.kif", "five minutes", "ggp bench games/ni*.kif", r"\g<0>"),
    Instead(r"(?<=^ggp bench )(?!.*--seconds)", "a second for each game", "--seconds 0.2 ", ""),
    Instead(r"\bothello --player greedy", "five seconds", "nim --player greedy", r"\g<0>"),
    Instead(r"^ggp search connect_four --seconds", "judging takes ten seconds", "ggp search nim --seconds", r"\g<0>"),
    Instead(r"^ggp tournament connect_four breakthrough", "many minutes", "ggp tournament nim", r"\g<0> --rounds 1"),
    Instead(r"^ggp tournament (othello|quarto) ", "a minute", "ggp tournament nim ", r"\g<0>"),
    Instead(r"\bstudy connect_four --minutes \d+", "ten minutes", "study nim --minutes 0.01", "study nim --minutes 0.1"),
    Instead(r"--minutes 1\b", "a minute", "--minutes 0.01", "--minutes 0.1"),
    Instead(r"--seconds [\d.]+", "only longer", "--seconds 0.2", r"\g<0>"),
    Instead(r"\bseconds=[\d.]+", "only longer", "seconds=0.05", r"\g<0>"),
    Instead(r"\bsimulations=\d+", "only longer", "simulations=20", r"\g<0>"),
    Instead(r"--rounds \d+", "only longer", "--rounds 1", r"\g<0>"),
    Instead(r"\bconnect_four --playclock 2", "a minute", "nim --startclock 1 --playclock 0.5", r"\g<0>"),
    Instead(
        r"\bhex_5x5 --player ucd:d1",
        "a minute",
        "nim --startclock 1 --playclock 0.3 --player ucd:policy=uniform,d1",
        r"\g<0>",
    ),
    Instead(
        r"\bmatch hex_5x5 --player ucd:seconds",
        "half a minute, judging too",
        "match nim --player ucd:policy=uniform,seconds",
        r"\g<0>",
    ),
    Instead(r"\bmatch connect_four --player human", "four seconds", "match nim --player human", r"\g<0>"),
    Instead(r"\bkalah hex_9x9 (.*)--startclock 15", "minutes", None, r"nim \1--rounds 1 --startclock 3"),
    Instead(r"--playclock 5", "only longer", "--startclock 3 --playclock 1 --rounds 1", r"\g<0>"),
    Instead(r"^ggp register --check", "half a minute", None, r"\g<0>"),
    Instead(r"^dask |--cluster", "half a minute", None, r"\g<0>"),
]
"""What takes more than a few seconds."""

SERVERS = {
    r"^ggp play(?!\S)": (r"listens on http", 130),
    r"^ggp master\b": (r"players announce themselves at http", 130),
    r"^ggp web\b": (r"open http", 130),
    r"^dask scheduler\b": (r"Scheduler at", 0),
    r"^dask worker\b": (r"Registered to", 0),
}
"""What runs until Ctrl-C: what it prints when it is up, and how it ends."""

CODES = {
    r"^ggp match .*(gtp:gnugo|uci:stockfish)": {1},  # not to its end
    r"--player human": {1},  # nobody types anything: the match is left
    r"^ggp check bad\.kif": {1},  # shown with its error
    r"^ggp check .*(wrong\.kif|goal o 100)": {1},  # an assertion that is refuted
    r"^ggp why .* terminal$": {1},  # does not hold in the first position
    r"--form sequential": {0, 1},  # the verdict of a test
}
"""Exit codes of commands that do not end with 0; those that print that something does not hold end with 1."""


SLOW = {"experiments.md"}
"""Documents whose commands take long in any form."""
WAYS = [
    pytest.param(document, whole, marks=[pytest.mark.slow] * (whole or document.name in SLOW),
                 id=f"{document.name}-{'whole' if whole else 'quick'}")
    for document in DOCUMENTS
    for whole in (False, True)
]  # fmt: skip


@dataclass
class Reader:
    """Does what a document says, in a folder of its own."""

    capsys: pytest.CaptureFixture[str]
    whole: bool
    servers: contextlib.ExitStack
    written: dict[str, str] = field(default_factory=dict)

    def do(self, step: Command | Piece) -> str:
        """Do a step; what is wrong with it, or nothing."""
        if isinstance(step, Piece):
            self.written[step.name] = self.written.get(step.name, "") + step.text
            Path(step.name).write_text(self.written[step.name], encoding="utf-8")
            return ""
        text = substituted(step.text, self.whole)
        if text is None:
            return ""
        for pattern, (ready, code) in SERVERS.items():
            if re.search(pattern, text):
                self.servers.enter_context(serving(text, ready, code))
                return ""
        code, out, err = self.run(text)
        return "; ".join(f"{wrong} ({text})\n{out}{err}" for wrong in faults(step, code, out, err))

    def run(self, text: str) -> tuple[int, str, str]:
        """Run a command: in this process if it needs nothing of the shell but file names."""
        if not text.startswith("ggp ") or re.search(r"[|<>;&$`]", text):
            done = subprocess.run(
                text, shell=True, capture_output=True, text=True, check=False, env=environment(), timeout=600
            )
            return done.returncode, done.stdout, done.stderr
        try:
            code = main(words(text)[1:])
        except SystemExit as exit_:
            code = int(str(exit_.code or 0))
        return code, *self.capsys.readouterr()


def environment() -> dict[str, str]:
    """With the commands of this installation."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def words(text: str) -> list[str]:
    """The words of a command, as the shell gives them."""
    found = []
    for word in shlex.split(text):
        names = sorted(map(str, Path().glob(word))) if "*" in word else []
        found += names or [word]
    return found


def substituted(text: str, whole: bool) -> str | None:
    """What is run for a command."""
    for entry in (*ALWAYS, *SHORTER):
        if re.search(entry.pattern, text):
            template = entry.whole if whole else entry.quick
            if template is None:
                return None
            text = re.sub(entry.pattern, template, text)
    return text


def faults(command: Command, code: int, out: str, err: str) -> Iterator[str]:
    """What is wrong with how a command ended and what it printed."""
    expected = next((codes for pattern, codes in CODES.items() if re.search(pattern, command.text)), {0})
    if re.search("does not hold, because| never holds: ", (command.printed or "").partition("\n")[0]):
        expected = {1}
    if code not in expected:
        yield f"exit code {code} instead of {expected}"
    if "Traceback" in err:
        yield "a traceback"
    if command.printed is not None:
        if not doctest.OutputChecker().check_output(command.printed, out, doctest.ELLIPSIS):
            yield "prints something else than what is shown"
        if err and not expected - {0}:
            yield "an error message where none is shown"
    for item in listed(command.comment):
        if item not in out and not (ROOT / item).exists():
            yield f"{item} is not in the output"


def listed(comment: str) -> list[str]:
    """The words of a list in a comment, three or more after a colon: they are said to be in the output."""
    found = re.search(r": ((?:[\w,-]+, )+[\w,…-]+)$", comment)
    items = found[1].split(", ") if found else []
    return [item for item in items if item != "…"] if len(items) > 2 else []


@contextlib.contextmanager
def serving(text: str, ready: str, code: int) -> Iterator[None]:
    """A server that is up while the block lasts, and ends on Ctrl-C with a code."""
    lines: list[str] = []
    up = threading.Event()
    with started(shlex.split(text), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()) as process:
        output = process.stdout
        assert output is not None

        def read() -> None:
            for line in output:
                lines.append(line)
                if re.search(ready, line):
                    up.set()
            up.set()  # or it has ended

        reading = threading.Thread(target=read)
        reading.start()
        assert up.wait(60) and process.poll() is None, f"{text} does not come up: {lines}"
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            ended = process.wait(20)
            reading.join(20)
        ours = [line for line in lines if text.startswith("ggp ")]  # what Dask logs at its end is its own affair
        assert (ended, "Traceback" in "".join(ours)) == (code, False), f"{text}: {lines}"


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder as a newcomer has it, and nothing known of any game."""
    for name in ("games", "Makefile"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # nobody types anything
    monkeypatch.setenv("GGP_KNOWLEDGE", str(tmp_path / "knowledge"))


@contextlib.contextmanager
def ports() -> Iterator[None]:
    """The ports of the documents, which only one test at a time can have; skip where something else has them."""
    with (Path(tempfile.gettempdir()) / "ggp-documents.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not are_free(PORTS):
            pytest.skip(f"something else listens on the ports of the documents, {PORTS}")
        yield


def are_free(ports: tuple[int, ...]) -> bool:
    try:
        for port in ports:
            socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("document", "whole"), WAYS)
def test_a_document_does_what_it_says(
    document: Path, whole: bool, scratch: None, capsys: pytest.CaptureFixture[str]
) -> None:
    serves = any(re.search(pattern, command.text) for pattern in SERVERS for command in commands(document))
    wrong: list[str] = []
    with ports() if serves else contextlib.nullcontext(), contextlib.ExitStack() as servers:
        reader = Reader(capsys, whole, servers)
        for step in steps(document):
            complaint = reader.do(step)
            if complaint and isinstance(step, Command):
                wrong.append(f"{step.place}: {complaint}")
    assert wrong == []


def test_the_options_that_are_named_beside_a_command_are_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    named = 0
    for command in (command for document in DOCUMENTS for command in commands(document)):
        for option in re.findall(r"--[a-z][\w-]*", command.comment):
            with pytest.raises(SystemExit):
                main([command.text.split()[1], "--help"])
            assert option in capsys.readouterr().out, f"{command.place}: {option}"
            named += 1
    assert named > 5


def test_the_tables_speak_of_commands_that_are_there() -> None:
    texts = [command.text for document in DOCUMENTS for command in commands(document)]
    for pattern in (*(entry.pattern for entry in (*ALWAYS, *SHORTER)), *SERVERS, *CODES):
        assert any(re.search(pattern, text) for text in texts), pattern


def test_the_places_that_the_architecture_names_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    places = re.findall(r"`((?:gdl|ggp|games|tests|docs)/[\w/.]*)`", text)
    assert len(places) > 60
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_every_document_has_its_commands_found() -> None:
    """Nothing that looks like a command is overlooked: lines of the blocks, and their continuations."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        lines = [
            line for block in blocks for line in block.splitlines() if line.strip() and not line.startswith((" ", "#"))
        ]
        shown = re.findall(r"^\$ .+$", text, re.MULTILINE)
        found = [command.text for command in commands(document)]
        assert all(any(line.removeprefix("$ ").startswith(text) for text in found) for line in [*lines, *shown])
        assert len(found) >= len(lines) + len(shown)

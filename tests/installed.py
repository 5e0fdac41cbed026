"""What somebody does who has installed the wheel: play, check, lanes, the page and the language server, from any folder.

Run by the Python of the installation itself, from an empty folder: `PYTHON tests/installed.py`. Only that Python's own
library is needed here. It prints a line for each thing that works, and ends with the first that does not.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

GGP = str(Path(sys.executable).with_name("ggp"))
PATIENCE = 3000
"""Seconds for the first command, which compiles the kernels, on a machine that is busy."""


def ggp(*arguments: str) -> str:
    """What a command prints; both streams."""
    done = subprocess.run(
        [GGP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False
    )
    if done.returncode:
        raise SystemExit(f"ggp {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def check() -> None:
    """A game of the library, one of one's own, and one that is wrong."""
    assert "no errors" in ggp("check", "connect_four"), ggp("check", "connect_four")
    ggp("new", "mine")
    ggp("check", "mine.kif")


def first_search() -> None:
    """The first search says that it compiles, once; afterwards there is a circuit in time."""
    if os.environ.get("GGP_FIRST", "yes") == "yes":
        assert "compiling for this machine" in ggp("search", "tic_tac_toe", "--seconds", "1")
    second = ggp("search", "tic_tac_toe", "--seconds", "1", "--compile-seconds", "60")
    assert "compiling for this machine" not in second
    assert "no circuit" not in second, second


def play() -> None:
    """A match to its end."""
    told = ggp("match", "nim", "--playclock", "1", "--startclock", "5", "--player", "ucd", "--player", "random")
    assert "100" in told, told


def lanes() -> None:
    """Hundreds of positions at once, in Python."""
    code = """
import ggp
lanes = ggp.lanes("connect_four", 512)
print(type(lanes).__name__, ggp.game("tic_tac_toe").position.legal)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


def page() -> None:
    """The page answers, with its modules and a board."""
    with subprocess.Popen([GGP, "web", "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert b"<title>" in answer.read()
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)


def language_server() -> None:
    """It introduces itself over standard input and output."""
    asked: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}).encode()
    with subprocess.Popen([GGP, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.stdin.flush()
        length = int(server.stdout.readline().split(b":")[1])
        while server.stdout.readline().strip():
            pass
        answer = json.loads(server.stdout.read(length))
        assert answer["result"]["capabilities"]["renameProvider"], answer
        server.kill()


THINGS: tuple[Callable[[], None], ...] = (check, first_search, play, lanes, page, language_server)


def main() -> None:
    """Do all of them."""
    import ggp as package

    assert Path(package.__file__).is_relative_to(sys.prefix), f"{package.__file__} is not the installed package"
    print(f"Python {sys.version.split()[0]}, {ggp('--version').strip()}, in {Path.cwd()}")
    for thing in THINGS:
        start = time.monotonic()
        thing()
        print(f"{thing.__name__.replace('_', ' ')}: ok, {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()

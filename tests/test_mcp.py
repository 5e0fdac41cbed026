"""Tools for language models: an SDK client lists and calls every one; a hostile caller gets errors and harms nothing."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from tests.helpers import GAMES, TINY

pytest.importorskip("mcp", reason="the SDK is not installed: pip install ggp[mcp]")

import anyio
from mcp import Client, StdioServerParameters

from ggp.mcp import answers
from ggp.mcp.apart import CallError, CallLimits, run
from ggp.mcp.server import make_server
from ggp.mcp.sources import LONGEST, source

CALLS: dict[str, dict[str, Any]] = {
    "check": {"game": "nim", "assertions": ["(not terminal)"], "plays": 1},
    "format": {"game": "(role  me) ; who\n"},
    "board": {"game": "tic_tac_toe", "moves": "(mark 1 1) noop"},
    "legal_moves": {"game": "tic_tac_toe", "moves": "(mark 1 1) noop"},
    "play_through": {"game": "own.kif", "steps": 3},
    "perft": {"game": "own", "depth": 1},
    "why": {"game": TINY, "atom": "terminal"},
    "search": {"game": "nim", "seconds": 0.2},
    "match": {"game": "nim", "players": ["greedy"], "playclock": 0.5},
}
LOOPS = TINY + "(<= (count z) (true (on 1)))\n(<= (count (s ?n)) (count ?n))\n(<= (legal me ?n) (count ?n))"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder to serve, beside a secret that is none of its callers' business."""
    served = tmp_path / "served"
    served.mkdir()
    (served / "own.kif").write_text(TINY, encoding="utf-8")
    (tmp_path / "secret.kif").write_text("(secret)", encoding="utf-8")
    (served / "link.kif").symlink_to(tmp_path / "secret.kif")
    os.mkfifo(served / "pipe.kif")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.kif")}
    yield served
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.kif")} == before


async def _call(client: Client, name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
    result = await client.call_tool(name, arguments)
    return result.is_error, result.content[0].text if result.is_error else result.structured_content  # type: ignore[union-attr]


def calls(server: Any, wanted: list[tuple[str, dict[str, Any]]]) -> list[tuple[bool, Any]]:
    """What comes of some calls: whether it is an error, and the answer."""

    async def ask() -> list[tuple[bool, Any]]:
        async with Client(server) as client:
            listed = await client.list_tools()
            assert {tool.name for tool in listed.tools} == set(CALLS)
            assert all(tool.description and tool.input_schema["required"][0] == "game" for tool in listed.tools)
            return [await _call(client, name, arguments) for name, arguments in wanted]

    return anyio.run(ask)


@pytest.mark.slow
def test_a_client_lists_and_calls_every_tool_over_standard_input(folder: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "ggp.cli", "mcp", "--folder", str(folder)])
    found = dict(zip(CALLS, calls(server, list(CALLS.items())), strict=True))
    assert not any(is_error for is_error, _ in found.values()), found
    answer = {name: data for name, (_, data) in found.items()}
    assert (answer["check"]["errors"], answer["check"]["assertions"][0]["verdict"]) == (0, "refuted")
    assert answer["format"] == {"text": "(role me)  ; who\n", "complete": True}
    assert answer["board"]["holds"] == {"count": 2, "first": ["(control o)", "(marked 1 1 x)"]}
    assert answer["board"]["board"].splitlines()[-2] == "1  x · ·"
    assert answer["legal_moves"]["legal"]["o"]["count"] == 8
    assert "end: the game is over" in answer["play_through"]["text"]
    assert answer["perft"]["levels"][1] == {"depth": 1, "nodes": 1, "terminals": 1}
    assert answer["why"]["because"][0]["atom"] == "(true (on 2))"
    assert answer["search"]["roles"][0]["moves"]["count"] == 16
    assert answer["match"]["ending"] == "terminal"


def test_a_hostile_caller_gets_an_error(folder: Path) -> None:
    server = make_server(folder, CallLimits(seconds=20))
    wanted: list[tuple[str, dict[str, Any], str]] = [
        ("format", {"game": "../secret.kif"}, "no file"),
        ("format", {"game": str(folder.parent / "secret.kif")}, "no file"),
        ("format", {"game": "link.kif"}, "no file"),
        ("format", {"game": "pipe.kif"}, "no file"),
        ("format", {"game": "."}, "no file"),
        ("format", {"game": "own.kif\0"}, "zero character"),
        ("format", {"game": "(" + "x" * LONGEST}, "at most 2000000"),
        ("perft", {"game": "own", "depth": 10**6}, "less than or equal to 12"),
        ("board", {"game": "own", "moves": "(" * 30_000}, "at most 20000"),
        ("board", {"game": "own", "moves": "a\0"}, "part of no text"),
        ("search", {"game": "own", "player": "http://127.0.0.1:1"}, "there is no player"),
        ("match", {"game": "own", "players": ["human"]}, "there is no player"),
        ("match", {"game": "own", "players": ["gtp:/bin/sh"]}, "there is no player"),
        ("format", {"game": "(role me"}, "not closed"),
        ("format", {"game": "--help"}, "no file"),
    ]
    found = calls(server, [(name, arguments) for name, arguments, _ in wanted])
    for (is_error, text), (name, _, message) in zip(found, wanted, strict=True):
        assert is_error and message in text, (name, text)


@pytest.mark.slow
def test_rules_without_an_end_are_ended(folder: Path) -> None:
    limits = CallLimits(seconds=4)
    wanted: list[tuple[str, dict[str, Any]]] = [
        ("board", {"game": LOOPS}),
        ("perft", {"game": "chess", "depth": 12}),
        ("format", {"game": "(role  a)"}),
    ]
    begun = time.monotonic()
    endless, large, after = calls(make_server(folder, limits), wanted)
    assert time.monotonic() - begun < 20
    assert endless[0] and large[0] and "more than 4 s" in large[1]
    assert after == (False, {"text": "(role a)\n", "complete": True})


def test_too_little_memory_and_too_long_answers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CallError, match=r"[Mm]emory|allocat"):
        anyio.run(
            run, ["perft", "--depth=1", "--machine=circuit", "--", "a.kif"], ("a.kif", TINY), CallLimits(bytes=200 << 20)
        )
    monkeypatch.setattr("ggp.mcp.apart.ANSWER", 100)
    with pytest.raises(CallError, match="too long"):
        anyio.run(run, ["check", "--laws"], ("a.kif", TINY), CallLimits())


def test_a_game_is_a_text_a_file_below_the_folder_or_one_of_the_library(folder: Path) -> None:
    assert source(TINY, folder)[1] == TINY
    assert source("own", folder)[1] == source("own.kif", folder)[1] == TINY
    assert source("nim", folder)[1] == (GAMES / "nim.kif").read_text(encoding="utf-8")
    (folder / "large.kif").write_bytes(b"x" * (LONGEST + 1))
    with pytest.raises(CallError, match="larger than"):
        source("large", folder)
    (folder / "large.kif").unlink()


def test_long_answers_are_cut() -> None:
    text = "line\n" * 10_000
    assert answers.cut(text)["complete"] is False and answers.cut(text)["text"].endswith("line\n")
    assert answers.listed(list(range(1000)))["count"] == 1000


def test_what_is_wrong_with_the_command_line_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--folder", "/nowhere"]) == 2
    assert capsys.readouterr().err == "ggp: --folder: /nowhere is no folder\n"

"""`ggp replay` and `ggp records`, on records that `ggp match` wrote, was killed while writing, or never wrote."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.match.record import parse_record
from tests.helpers import GAMES, TINY, started

PROLOG = ("--machine", "prolog")
NIM = str(GAMES / "nim.kif")


def out(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    """What a command prints, both streams."""
    assert main([*map(str, arguments)]) == code
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.fixture
def record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The record of a match, written by the command."""
    place = tmp_path / "records" / "m.json"
    text = out(capsys, "match", NIM, "--player", "random", "--player", "random", "--record", place, *PROLOG)
    assert text.endswith(f"record: {place}\n")
    return place


def test_a_record_is_shown_step_by_step_and_verified(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "replay", record, *PROLOG)
    moves = len(parse_record(record.read_text()).moves)
    assert text.startswith("nim  (")
    assert text.count("\nstep ") == moves + 1
    assert f"{record}: verified, {moves} joint moves, goals " in text
    brief = out(capsys, "replay", "--brief", record.parent, *PROLOG)
    assert brief == text.splitlines()[-1] + "\n"


def test_a_record_as_json(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(out(capsys, "replay", "--json", record, *PROLOG))
    assert (found["verified"], found["complaints"], found["game"]) == (True, [], "nim")


def test_thoughts_are_a_line_for_each_player_that_told_any(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moves = len(parse_record(record.read_text()).moves)
    assert len(out(capsys, "replay", "--thoughts", record, *PROLOG).splitlines()) == 2  # random players tell nothing
    value = json.loads(record.read_text())
    told = {"expected": 62.5, "simulations": 1234, "options": "policy=mast\x1b[2J", "proven": True}
    value["x-reports"] = [[told, {"expected": "much", "simulations": 1}]] * moves
    value["x-replyTimes"] = [[250, 0]] * moves
    record.write_text(json.dumps(value))
    headline, *lines, verified = out(capsys, "replay", "--thoughts", record, *PROLOG).splitlines()
    assert headline.startswith("nim  (") and verified.endswith("goals 0 100") | verified.endswith("goals 100 0")
    assert len(lines) == moves and all("62.5 sure" in line and "1,234 simulations    0.25 s" in line for line in lines)
    assert "policy=mast" in lines[0] and "\x1b" not in lines[0]


def test_a_corrupted_record_is_refused_with_its_place(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = json.loads(record.read_text())
    value["moves"][1] = ["noop", "noop"]
    record.write_text(json.dumps(value))
    text = out(capsys, "replay", "--brief", record, *PROLOG, code=1)
    assert f"{record}: moves[1]: noop is not legal for " in text
    assert text.endswith(f"{record}: not verified\n")
    assert json.loads(out(capsys, "replay", "--json", record, *PROLOG, code=1))["verified"] is False


@pytest.mark.parametrize("cut", [0, 1, 100, 1000, -3])
def test_a_torn_file_is_no_record(cut: int, record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record.write_text(record.read_text()[:cut])
    assert f"{record}:" in out(capsys, "replay", record, *PROLOG, code=1)
    assert "this is no JSON" in out(capsys, "records", record.parent, code=1)


def test_rules_that_were_tampered_with(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = json.loads(record.read_text())
    value["x-rules"] += "\n(legal ?p win)"
    record.write_text(json.dumps(value))
    assert "these are not the rules of the match" in out(capsys, "replay", record, *PROLOG, code=1)
    assert "verified" in out(capsys, "replay", "--brief", record, "--game", NIM, *PROLOG)
    del value["x-rules"]
    record.write_text(json.dumps(value))
    assert "carries no rules; name the game's file with --game" in out(capsys, "replay", record, code=1)


def test_the_wrong_game(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "replay", "--brief", record, "--game", GAMES / "tic_tac_toe.kif", *PROLOG, code=1)
    assert "states[0]: not what the rules say: it lacks (control x), and should not hold (" in text


def test_a_binary_file_and_missing_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary = tmp_path / "b.json"
    binary.write_bytes(b"\xff\x00")
    assert "this is no text in UTF-8 (at byte 0)" in out(capsys, "replay", binary, code=1)
    missing = tmp_path / "none.json"
    assert out(capsys, "replay", missing, code=2) == f"ggp: {missing}: No such file or directory\n"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert out(capsys, "replay", empty, code=2) == f"ggp: {empty}: there are no records here\n"
    assert out(capsys, "records", empty) == "no records\n"
    assert "there is no such directory" in out(capsys, "records", missing, code=2)


def test_the_list_of_records(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out(capsys, "match", NIM, "--player", "legal", "--record", record.parent, "--steps", 1, *PROLOG, code=1)
    lines = out(capsys, "records", record.parent).splitlines()
    assert lines[0].split() == ["date", "game", "players", "goals", "moves", "ending", "faults", "file"]
    assert len(lines) == 3
    assert "random, random" in lines[1] and "completed" in lines[1] and "m.json" in lines[1]
    assert "legal, random" in lines[2] and "aborted" in lines[2]
    listed = json.loads(out(capsys, "records", record.parent, "--json"))
    assert [item["ending"] for item in listed] == ["completed", "aborted"]
    assert "goals" not in listed[1]


KILLED = """
import os, signal, sys
from pathlib import Path
from ggp.cli import main
left = int(sys.argv[1])
def dying(real):
    def call(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    return call
os.fsync, os.link, Path.rename, Path.unlink = map(dying, (os.fsync, os.link, Path.rename, Path.unlink))
sys.exit(main(["match", sys.argv[2], "--player", "legal", "--record", sys.argv[3], "--machine", "prolog"]))
"""


def killed_at(call: int, game: str, directory: Path) -> int:
    """Play a match that is killed before its n-th step towards the disk; how it ended."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(call), game, str(directory)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode


@pytest.mark.parametrize("call", [3, 4, 7, 8])
def test_a_match_killed_at_any_step_leaves_a_valid_record(
    call: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert killed_at(call, NIM, tmp_path) == -signal.SIGKILL
    assert "verified, " in out(capsys, "replay", "--brief", tmp_path, *PROLOG)
    assert "partial" in out(capsys, "records", tmp_path)


@pytest.mark.slow
def test_a_match_killed_at_every_single_step_leaves_a_valid_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for call in range(1, 200):
        directory = tmp_path / str(call)
        ended = killed_at(call, NIM, directory)
        found = list(directory.glob("*.json"))
        assert len(found) == (call > 2)  # before the link there is no record yet, afterwards always
        if found:
            assert "verified, " in out(capsys, "replay", "--brief", directory, *PROLOG)
        if ended == 0:
            break
    assert call > 10


def test_a_match_killed_from_outside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.kif"
    game.write_text(TINY.replace("(<= (next (on 2)) (does me wait))", "(<= (next (on 1)) (does me wait))"))
    command = ["match", str(game), "--player", "legal", "--record", str(tmp_path), "--steps", "100000", *PROLOG]
    with started([sys.executable, "-m", "ggp.cli", *command], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("step 30"):
                break
        process.kill()
    text = out(capsys, "replay", "--brief", tmp_path, *PROLOG)
    assert "partial, not finished" in text
    assert int(text.split("verified, ")[1].split()[0]) >= 29

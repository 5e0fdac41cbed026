"""`ggp match`: players in this process, processes of ours, players of others by their address, mixed; what goes wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.commands import match
from ggp.core.errors import UsageError
from ggp.machines import auto, compiler
from ggp.match.ownplayers import own_players
from ggp.match.record import Record, read_record
from tests.fakes import answering, http, serve
from tests.helpers import GAMES, TINY, started
from tests.test_master import player

NIM = str(GAMES / "nim.kif")
PROLOG = ("--machine", "prolog")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records go to a directory of the test."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def record(place: Path = Path("records")) -> Record:
    (path,) = place.glob("*.json")
    return read_record(path)


def tiny() -> str:
    Path("tiny.kif").write_text(TINY)
    return "tiny.kif"


def test_two_processes_of_ours_play_and_the_record_is_verified(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["match", NIM, "--http", "--player", "random", "--player", "random", "--playclock", "0.8", *PROLOG]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "first: random-1, second: random-2" in text
    assert "the game is over after" in text
    played = record()
    assert (played.is_completed, played.faults, played.players) == (True, 0, ["random-1", "random-2"])
    assert played.more["x-players"] == ["random", "random"] and played.play_clock == 0.8
    assert main(["replay", "--brief", "records", *PROLOG]) == 0


@pytest.mark.parametrize("game", ["nim", pytest.param("roshambo", marks=pytest.mark.slow)])
def test_nobody_named_means_players_of_this_process_on_one_circuit(
    game: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(match, "_PATIENCE", 60.0)
    monkeypatch.setattr(match, "own_players", lambda _: pytest.fail("nobody was asked to speak HTTP"))
    monkeypatch.setattr(auto, "PrologMachine", lambda *_: pytest.fail("Prolog is not needed"))
    take, taken = compiler.take, list[compiler.Compiler]()

    def counted() -> compiler.Compiler:
        taken.append(take())
        return taken[-1]

    monkeypatch.setattr(compiler, "take", counted)
    clocks = ["--startclock", "2", "--playclock", "0.5", "--steps", "4"]
    assert main(["match", str(GAMES / f"{game}.kif"), *clocks]) in (0, 1)
    assert len(taken) == 1
    played = record()
    assert (played.players, played.faults) == (["ucd", "ucd"], 0)
    engines = [report.get("engine") for step in played.more["x-reports"] for report in step if "forced" not in report]
    assert engines and set(engines) == {"circuit"}
    assert main(["replay", "--brief", "records", *PROLOG]) == 0


def test_where_information_is_hidden_nobody_named_means_processes_of_ours() -> None:
    Path("tiny.kif").write_text(f"{TINY} (<= (sees me ended) (does me wait))")
    assert main(["match", "tiny.kif", "--startclock", "5", "--playclock", "2", *PROLOG]) == 0
    assert record().goals == [100]
    assert record().players[0].endswith("-1")


def test_players_of_others_are_named_by_their_address(stack: ExitStack, capsys: pytest.CaptureFixture[str]) -> None:
    fake = stack.enter_context(serve(player("busy")))
    assert main(["match", NIM, "--player", fake.url, "--player", "legal", "--json", *PROLOG]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["players"] == {"first": "Ann", "second": "legal"}
    assert result["faults"][0]["fault"] == "IL busy"
    assert Path(result["record"]).exists()


def test_faults_are_shown(stack: ExitStack, capsys: pytest.CaptureFixture[str]) -> None:
    fake = stack.enter_context(serve(player("nonsense")))
    assert main(["match", tiny(), "--player", fake.url, "--no-record", *PROLOG]) == 0
    assert "Ann (me): nonsense is not legal for me" in capsys.readouterr().out
    assert not Path("records").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--player", "http://127.0.0.1:1"], "the player http://127.0.0.1:1 cannot be reached: connection refused"),
        (["--player", "http://nowhere.invalid:1"], "cannot be reached: there is no host of this name"),
        (["--player", "ftp://here:1"], "'ftp://here:1' is no address of a player"),
        (["--player", "http://here:1/path"], "is no address of a player"),
        (["--player", "legal", "--record", "/proc/no/m.json"], "the record cannot be written"),
        (["--player", "legal", "--record", "tiny.kif/m.json"], "is no directory"),
        (["--player", "legal", "--match-id", "a b"], "'a b' is no id of a match"),
        (["--player", "legal", "--match-id", "../m"], "'../m' is no id of a match"),
        (["--player", "nobody", "--http"], "ggp: there is no player 'nobody'"),
        (["--scramble"], "--scramble is for players over HTTP, and there is none"),
    ],
)
def test_what_cannot_be_played_is_told_before_the_match(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", tiny(), *arguments, *PROLOG]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert not Path("records").exists()


def test_a_record_that_is_there_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["match", tiny(), "--player", "legal", "--record", "m.json", *PROLOG]
    assert main(command) == 0
    before = Path("m.json").read_bytes()
    assert main(command) == 2
    error = capsys.readouterr().err
    assert "m.json: is there already, and records are not overwritten" in error and "its record" not in error
    assert Path("m.json").read_bytes() == before


def test_the_same_id_and_seed_give_the_same_bytes_but_for_times() -> None:
    made = []
    for name in ("a.json", "b.json"):
        command = ["match", NIM, "--player", "greedy", "--player", "random", "--match-id", "m", "--record", name, *PROLOG]
        assert main(command) == 0
        value = json.loads(Path(name).read_text())
        for key in ("startTime", "stateTimes", "randomToken", "x-replyTimes"):
            del value[key]
        made.append(json.dumps(value))
    assert made[0] == made[1]


def test_two_matches_at_once_share_a_directory() -> None:
    command = [sys.executable, "-m", "ggp.cli", "match", NIM, "--player", "legal", "--record", "r", *PROLOG]
    with started(command, stdout=subprocess.DEVNULL) as one, started(command, stdout=subprocess.DEVNULL) as other:
        assert (one.wait(60), other.wait(60)) == (0, 0)
    assert len(list(Path("r").glob("*.json"))) == 2
    assert main(["replay", "--brief", *map(str, Path("r").glob("*.json")), *PROLOG]) == 0


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_aborts_the_match_for_everybody(sent: signal.Signals, code: int, stack: ExitStack) -> None:
    good = player("wait")

    def slow(connection: object, body: str) -> None:
        if body.startswith("( PLAY"):
            time.sleep(3)
        good(connection, body)  # type: ignore[arg-type]

    fake = stack.enter_context(serve(slow))
    command = ["match", tiny(), "--player", fake.url, "--playclock", "30", *PROLOG]
    with started([sys.executable, "-m", "ggp.cli", *command], stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 30
        while "PLAY" not in fake.commands():
            assert time.monotonic() < until
            time.sleep(0.02)
        sent_at = time.monotonic()
        os.kill(process.pid, sent)
        assert process.wait(10) == code
        assert time.monotonic() - sent_at < 3
        assert process.stderr is not None
        errors = process.stderr.read()
    assert "Traceback" not in errors
    assert "the match was not finished; its record: records/" in errors
    assert fake.commands()[-1] == "ABORT"
    assert record().is_aborted
    assert main(["replay", "--brief", "records", *PROLOG]) == 0


def test_a_file_of_any_name_gets_an_id_that_messages_can_hold(stack: ExitStack) -> None:
    fake = stack.enter_context(serve(player("wait")))
    Path("my (first) game.kif").write_text(TINY)
    assert main(["match", "my (first) game.kif", "--player", fake.url, *PROLOG]) == 0
    assert record().match_id.startswith("my_first_game.1.")
    assert record().game == "my (first) game"


def test_a_player_that_is_busy_is_played_with_a_warning(stack: ExitStack, capsys: pytest.CaptureFixture[str]) -> None:
    fake = stack.enter_context(serve(answering(lambda body: "( ( name Ann ) ( status busy ) )")))
    assert main(["match", tiny(), "--player", fake.url, *PROLOG]) == 0
    assert capsys.readouterr().err == "ggp: Ann says that it is busy\n"


def test_a_player_that_does_not_know_info_is_played(stack: ExitStack) -> None:
    good = player("wait")

    def old(connection: socket.socket, body: str) -> None:
        if body == "( INFO )":
            connection.sendall(http("what?", "501 Not Implemented"))
        else:
            good(connection, body)

    fake = stack.enter_context(serve(old))
    assert main(["match", tiny(), "--player", fake.url, *PROLOG]) == 0
    assert (record().players, record().faults) == ([fake.url], 0)


def test_players_of_ours_end_with_whoever_started_them() -> None:
    with own_players([["--player", "random"]]) as (ours,):
        ours.url()
        os.kill(ours.pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(ours.pid, 0)


def test_a_killed_master_leaves_no_player_behind() -> None:
    code = (
        "import time\nfrom ggp.match.ownplayers import own_players\n"
        "with own_players([['--player', 'random']]) as (ours,):\n"
        "    ours.url()\n    print(ours.pid, flush=True)\n    time.sleep(60)\n"
    )
    with started([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
    until = time.monotonic() + 10
    while Path(f"/proc/{pid}/status").exists() and "Z (zombie)" not in Path(f"/proc/{pid}/status").read_text():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_player_that_does_not_come_up_is_told() -> None:
    with (
        own_players([["--port", "nonsense"]]) as (ours,),
        pytest.raises(UsageError, match="a player ended with code 2: "),
    ):
        ours.url()

"""The command `ggp`: every subcommand, its exit codes, and what goes wrong outside."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ggp
from gdl import parse
from ggp.cli import main
from ggp.commands import COMMANDS
from ggp.commands.line import parser
from ggp.core.cache import cache
from tests.helpers import GAMES, TINY, started

TIC_TAC_TOE = str(GAMES / "tic_tac_toe.kif")
ENDLESS = "(role me) (legal me go) (goal me 50) (<= terminal (true (on 3)))"
LOOPS = TINY + "(<= (count z) (true (on 1)))\n(<= (count (s ?n)) (count ?n))\n(<= (legal me ?n) (count ?n))"
IS_ROOT = os.geteuid() == 0
PROLOG = ("--machine", "prolog")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.kif"
    path.write_text(TINY, encoding="utf-8")
    return path


def file(folder: Path, text: str, name: str = "game.kif") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """`ggp` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ggp.cli", *arguments], capture_output=True, text=True, check=False, **options
    )


def out(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What a command prints; nothing may go to the error stream if it succeeds."""
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert code != 0 or captured.err == ""
    assert "Traceback" not in captured.err
    return captured.out if code in (0, 1) and captured.out else captured.err


# ---- check ------------------------------------------------------------------------------------------------------


def test_check_of_a_good_game(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert out(capsys, "check", str(tiny)) == f"{tiny}: no errors, no warnings\n"


def test_check_prints_problems_with_carets_and_counts_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, TINY + "(<= (next (on ?x)) (true (on 1)))\n(odd)\n")
    assert out(capsys, "check", path, code=1).splitlines() == [
        f"{path}:7:15: error: nothing in the body binds ?x [law 5]",
        "    (<= (next (on ?x)) (true (on 1)))",
        "                  ^",
        f"{path}:8:1: warning: odd with no arguments is defined but never used [law 16]",
        "    (odd)",
        "    ^",
        f"{path}:8:1: warning: (odd) has no arguments; it is read as odd without parentheses [law 24]",
        "    (odd)",
        "    ^",
        f"{path}: 1 error, 2 warnings",
    ]


def test_warnings_count_only_when_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, TINY + "(odd 1)")
    assert "no errors, 1 warning" in out(capsys, "check", "--plays", "0", path)
    assert "no errors, 1 warning" in out(capsys, "check", "--plays", "0", "--strict", path, code=1)


def test_check_plays_unless_told_not_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(
        tmp_path,
        ENDLESS.replace("(true (on 3))", "(not (true (on 3)))").replace("(goal me 50)", "(<= (goal me 50) (true x))"),
    )
    assert "[law 20]" in out(capsys, "check", path)
    assert "[law 20]" not in out(capsys, "check", "--plays", "0", path)


def test_check_tells_what_its_budget_left_out(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert out(capsys, "check", "--budget", "0.000001", str(tiny)).endswith(
        "no errors, no warnings; 0 of 3 plays within 1e-06 million steps of Prolog\n"
    )
    (report,) = json.loads(out(capsys, "check", "--json", "--plays", "2", str(tiny)))
    assert report["plays"] == 2


def test_check_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, "(role me)\n(<= (next (on ?x)) (true (on 1)))\n")
    (report,) = json.loads(out(capsys, "check", "--json", path, code=1))
    assert (report["file"], report["errors"]) == (path, 4)
    assert {"law": 5, "severity": "error", "message": "nothing in the body binds ?x", "line": 2, "column": 15} in report[
        "problems"
    ]
    assert [p["law"] for p in report["problems"] if p["line"] is None] == [2, 2, 2]


def test_check_goes_on_after_a_file_that_cannot_be_read(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--plays", "0", "/nowhere.kif", str(tiny)]) == 2
    captured = capsys.readouterr()
    assert captured.err == "ggp: /nowhere.kif: No such file or directory\n"
    assert captured.out.endswith("no errors, no warnings\n")


def test_check_decides_assertions(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held, refuted = "(not (and (true (on 1)) (true (on 2))))", "(not terminal)"
    assert out(capsys, "check", str(tiny), "--assert", held).splitlines() == [
        f"{tiny}: {held}: proved: it holds in every position that play can reach",
        f"{tiny}: no errors, no warnings",
    ]
    assert out(capsys, "check", str(tiny), "--assert", held, "--assert", refuted, code=1).splitlines()[1:3] == [
        f"{tiny}: (not terminal): refuted after 1 step",
        "  me wait",
    ]
    (report,) = json.loads(out(capsys, "check", "--json", str(tiny), "--assert", refuted, code=1))
    assert report["assertions"] == [
        {"assertion": refuted, "verdict": "refuted", "positions": 2_048_000, "values": {}, "line": [["wait"]]}
    ]
    assert out(capsys, "check", str(tiny), "--assert", "(not (true (off 1)))", code=2).splitlines()[1:] == [
        "--assert:1:12: error: no init, next or base gives off with 1 argument, so it never holds;"
        " what stands there: on [law 25]",
        "    (not (true (off 1)))",
        "               ^",
    ]


def test_the_laws_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = out(capsys, "check", "--laws").splitlines()
    assert len(lines) == 25
    assert lines[0].split()[0] == "1"


def test_check_without_files_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no file given" in out(capsys, "check", code=2)


def test_check_of_a_game_that_loops_ends_with_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot go on" in out(capsys, "check", "--plays", "1", "--time-limit", "1", file(tmp_path, LOOPS))


def test_a_position_is_shown_as_a_board_with_moves_and_goals(capsys: pytest.CaptureFixture[str]) -> None:
    moved = ("--moves", "(mark 1 1) noop")
    assert out(capsys, "position", "tic_tac_toe", *moved).splitlines() == [
        "o to move",
        "3  · · ·",
        "2  · · ·",
        "1  x · ·",
        "   1 2 3",
        "x: goal 50, 1 legal: noop",
        "o: goal 50, 8 legal: (mark 1 2) (mark 1 3) (mark 2 1) (mark 2 2) (mark 2 3) (mark 3 1) (mark 3 2) (mark 3 3)",
    ]
    found = json.loads(out(capsys, "position", "tic_tac_toe", "--json", *moved))
    assert (found["terminal"], found["holds"]) == (False, ["(control o)", "(marked 1 1 x)"])
    assert found["legal"]["x"] == ["noop"] and found["goals"]["x"] == [50]


# ---- format -----------------------------------------------------------------------------------------------------


def test_format_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, "(<= (p ?x)(q ?x)) ; why\n")
    assert out(capsys, "format", path) == "(<= (p ?x)\n    (q ?x))  ; why\n"
    assert Path(path).read_text() == "(<= (p ?x)(q ?x)) ; why\n"


def test_format_in_place_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, "(p   a)(q b)\n")
    Path(path).chmod(0o640)
    assert out(capsys, "format", "--check", path, code=1) == f"{path}: not formatted\n"
    assert out(capsys, "format", "--in-place", path) == f"{path}: formatted\n"
    assert Path(path).read_text() == "(p a)\n(q b)\n"
    assert Path(path).stat().st_mode & 0o777 == 0o640
    assert out(capsys, "format", "--check", path) == ""
    assert out(capsys, "format", "--in-place", path) == ""
    assert os.listdir(tmp_path) == ["game.kif"]


def test_format_keeps_the_encoding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "latin.kif"
    path.write_bytes("(p   a) ; caf\xe9\n".encode("latin-1"))
    out(capsys, "format", "--in-place", str(path))
    assert path.read_bytes() == "(p a)  ; caf\xe9\n".encode("latin-1")


def test_format_of_a_text_that_does_not_balance_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file(tmp_path, "(p   a\n")
    assert "game.kif:1:1: error" in out(capsys, "format", "--in-place", path, code=1)
    assert Path(path).read_text() == "(p   a\n"


def test_format_in_place_leaves_the_file_whole_where_it_cannot_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(tmp_path, "(p   a)\n")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    assert out(capsys, "format", "--in-place", path, code=2) == "ggp: No space left on device\n"
    assert Path(path).read_text() == "(p   a)\n"
    assert os.listdir(tmp_path) == ["game.kif"]


@pytest.mark.skipif(IS_ROOT, reason="root may write everywhere")
def test_format_in_place_in_a_read_only_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, "(p   a)\n")
    tmp_path.chmod(0o500)
    try:
        assert "Permission denied" in out(capsys, "format", "--in-place", path, code=2)
    finally:
        tmp_path.chmod(0o700)
    assert Path(path).read_text() == "(p   a)\n"


# ---- the commands that play -------------------------------------------------------------------------------------


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "show", TIC_TAC_TOE, *PROLOG)
    assert text.startswith(TIC_TAC_TOE)
    assert " GDL\n" in text
    facts = json.loads(out(capsys, "show", "--json", TIC_TAC_TOE, *PROLOG))
    assert facts["roles"] == ["x", "o"]
    assert sum(facts["legal moves of the first position"].values()) == 10
    assert facts["warnings"] == 0
    assert set(facts["seconds"]) >= {"parse", "check", "first position"}


def test_show_dependencies_as_graphviz(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "show", "--dependencies", str(tiny))
    assert text.startswith("digraph dependencies {")
    assert '"terminal/0" -> "true/1";' in text


def test_play_through_is_the_same_for_the_same_seed(capsys: pytest.CaptureFixture[str]) -> None:
    first, again, other = (out(capsys, "play-through", TIC_TAC_TOE, "--seed", seed, *PROLOG) for seed in "776")
    assert first == again != other
    assert first.startswith("step 0\n  holds: ")
    assert first.endswith("  end: the game is over\n")


def test_play_through_and_match_of_a_game_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, ENDLESS)
    assert "the limit of steps is reached" in out(capsys, "play-through", path, "--steps", "5", *PROLOG, code=1)
    match = ["match", path, "--player", "random", "--steps", "5"]
    assert "the limit of steps is reached after 5 steps" in out(capsys, *match, *PROLOG, code=1)


@pytest.mark.parametrize(
    ("text", "message"), [("0.05", "0.1 seconds are the least"), ("nan", "no clock"), ("inf", "no clock")]
)
def test_clocks_that_nobody_can_keep(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["match", TIC_TAC_TOE, "--playclock", text])
    assert message in capsys.readouterr().err


def test_perft(capsys: pytest.CaptureFixture[str]) -> None:
    assert out(capsys, "perft", TIC_TAC_TOE, "--depth", "2", *PROLOG).splitlines()[:4] == [
        "depth          nodes      terminals",
        "    0              1              0",
        "    1              9              0",
        "    2             72              0",
    ]
    levels = json.loads(out(capsys, "perft", "--json", TIC_TAC_TOE, "--depth", "1", *PROLOG))
    assert [(level["depth"], level["nodes"], level["terminals"]) for level in levels] == [(0, 1, 0), (1, 9, 0)]


def test_bench(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "tiny" in out(capsys, "bench", str(tiny), *PROLOG, "--seconds", "0.2")
    (row,) = json.loads(out(capsys, "bench", "--json", str(tiny), *PROLOG, "--seconds", "0.2"))
    assert row["game"] == "tiny"
    assert row["playouts"] > 10
    assert row["playouts_per_second"] > 10
    assert (row["mean_length"], row["mean_goals"], row["unfinished"]) == (1.0, [100.0], 0)


@pytest.mark.parametrize("machine", ["circuit", "prolog"])
def test_bench_of_a_game_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str], machine: str) -> None:
    """There are no goals to tell, and that is said."""
    path = file(tmp_path, ENDLESS)
    options = [path, "--machine", machine, "--seconds", "0.01", "--steps", "5"]
    assert main(["bench", *options]) == 0
    captured = capsys.readouterr()
    assert captured.out.rstrip().endswith(" -")
    assert captured.err == (
        f"ggp: {path}: no playout came to an end within 5 steps, so there are no goals; --steps allows longer ones\n"
    )
    assert main(["bench", "--json", *options]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["mean_goals"], row["mean_length"]) == ([None], 5.0) and row["unfinished"] == row["playouts"] > 0


def test_bench_with_too_little_time_plays_each_lane_once(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--json", "--machine", "circuit", "--seconds", "0.000001", "--seed", "7"]
    (row,) = json.loads(out(capsys, "bench", str(GAMES / "connect_four.kif"), *options))
    assert row["playouts"] >= 1024 and row["unfinished"] == 0
    assert sum(row["mean_goals"]) == pytest.approx(100)
    assert row["mean_length"] == pytest.approx(21.6, abs=1)


def test_bench_goes_on_after_a_broken_game(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = file(tmp_path, "(role me)")
    looping = file(tmp_path, LOOPS, "loops.kif")
    code = main(["bench", "--json", broken, looping, str(tiny), *PROLOG, "--seconds", "0.2", "--time-limit", "1"])
    captured = capsys.readouterr()
    assert code == 3
    assert [row["game"] for row in json.loads(captured.out)] == ["tiny"]
    assert f"{broken}: " in captured.err
    assert f"{looping}: " in captured.err


def test_bench_of_a_game_that_is_not_there(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "nosuch"]) == 2
    assert capsys.readouterr().err.count("nosuch") == 1
    assert main(["bench", "/no/such.kif", str(tiny), *PROLOG, "--seconds", "0.1"]) == 2
    captured = capsys.readouterr()
    assert captured.err == "ggp: /no/such.kif: No such file or directory\n"
    assert "tiny" in captured.out


def test_bench_goes_on_after_a_fault_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def deep(*_: object, **__: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    (tmp_path / "faults").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "faults"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "faults"))
    monkeypatch.setenv("GGP_CACHE", "off")
    monkeypatch.setattr("ggp.machines.circuit.Compilation", deep)
    monkeypatch.setattr(
        "ggp.machines.compiler.PROGRAM",
        """if True:
        import ggp.machines.circuit, ggp.machines.compiler
        ggp.machines.circuit.Compilation = None
        ggp.machines.compiler.serve(ahead=False)
    """,
    )
    options = ["--seconds", "0.1", "--json", TIC_TAC_TOE]
    assert main(["bench", "--machine", "circuit", *options]) == 3
    refused = capsys.readouterr()
    assert refused.err.startswith(f"{TIC_TAC_TOE}: ggp: a fault in ggp while ")
    assert refused.err.count("\n") == 1 and "RecursionError" in refused.err
    assert main(["bench", *options]) == 0
    played = capsys.readouterr()
    assert json.loads(played.out)[0]["machine"] == "prolog"
    assert "there is no circuit: a fault in ggp while " in played.err and "Traceback" not in played.err
    assert len(list((tmp_path / "faults").iterdir())) == 2


def test_bench_of_the_whole_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file(tmp_path, TINY, "one.kif")
    file(tmp_path, TINY, "two.kif")
    entry = 'title = "x"\nroles = ["me"]\nkind = "one player"\nsource = "ours"\n'
    file(tmp_path, f"[two]\n{entry}[one]\n{entry}", "index.toml")
    monkeypatch.setattr("ggp.core.library.folder", lambda: tmp_path)
    head, rule, *rows = out(capsys, "bench", "--all", "--markdown", "--seconds", "0.1", *PROLOG).splitlines()
    assert head.startswith("| game | playouts/s |")
    assert rule.count("|") == head.count("|")
    assert [row.split(" | ")[0] for row in rows] == ["| one", "| two"]
    assert all(row.endswith(" | prolog | 100.0 |") for row in rows)
    assert out(capsys, "bench", code=2) == "ggp: bench takes files or --all\n"
    assert out(capsys, "bench", "--all", "x.kif", code=2) == "ggp: bench takes files or --all, not both\n"


def test_match(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "match", TIC_TAC_TOE, "--player", "greedy", "--player", "legal", "--seed", "3", *PROLOG)
    assert "x: greedy, o: legal, seed 3" in text
    assert "the game is over after" in text


def test_match_as_json_is_the_same_for_the_same_seed(capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(out(capsys, "match", TIC_TAC_TOE, "--player", "greedy", "--json", *PROLOG))
    assert result == json.loads(out(capsys, "match", TIC_TAC_TOE, "--player", "greedy", "--json", *PROLOG))
    assert result["players"] == {"x": "greedy", "o": "random"}
    assert result["ending"] == "terminal"
    assert sum(result["goals"].values()) == 100
    assert 5 <= len(result["moves"]) <= 9


def test_match_with_players_that_make_no_sense(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no player 'clever'; known are: " in out(capsys, "match", str(tiny), "--player", "clever", code=2)
    text = out(capsys, "match", str(tiny), "--player", "legal", "--player", "random", code=2)
    assert text == "ggp: 2 players for 1 roles (me)\n"


def test_scramble(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "scramble", TIC_TAC_TOE, "--seed", "4")
    assert text == out(capsys, "scramble", TIC_TAC_TOE, "--seed", "4")
    assert text != out(capsys, "scramble", TIC_TAC_TOE, "--seed", "4", "--permute")
    assert "(role " in text
    assert "cell" not in text
    assert parse(text).problems == ()


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "doctor")
    assert text.startswith(f"ggp {ggp.__version__}\n")
    assert "MISSING" not in text
    assert all(finding["good"] for finding in json.loads(out(capsys, "doctor", "--json")))


def test_lanes_run_as_the_environment_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_LANES", "interpreter")
    assert "its lanes run on the numba interpreter" in out(capsys, "doctor")
    monkeypatch.setenv("GGP_LANES", "none")
    ask = "bench", TIC_TAC_TOE, "--machine", "circuit"
    assert "GGP_LANES=none: not one of avx512, avx2, interpreter" in out(capsys, *ask, code=2)
    for words in ("bench nim", "search nim", "match nim --player random", "play --port 0"):
        assert "GGP_LANES=none: not one of" in out(capsys, *words.split(), code=2), "Prolog does not play on in silence"
    assert "GGP_LANES=none: not one of" in out(capsys, "doctor", code=1)


def test_cache(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    assert out(capsys, "cache") == f"{tmp_path}: 0 entries, 0.0 MB of 1,074\n"
    cache().put("a", [bytes(999_888)])
    assert json.loads(out(capsys, "cache", "--json")) == {
        "folder": str(tmp_path), "entries": 1, "bytes": 1_000_000, "limit": 1 << 30, "problem": ""
    }  # fmt: skip
    assert "1 entry, 1.0 MB" in out(capsys, "doctor")
    assert out(capsys, "cache", "--clear").endswith("\nremoved: 1 entry, 1.0 MB\n")
    monkeypatch.setenv("GGP_CACHE", "off")
    assert out(capsys, "cache").startswith("nothing is kept")
    assert "off; $GGP_CACHE may name a folder" in out(capsys, "doctor")


def test_a_cache_of_somebody_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("GGP_CACHE", str(tmp_path / "open"))
    assert "nothing more is kept there: it belongs to somebody else" in out(capsys, "cache")
    assert main(["doctor"]) == 1
    assert "MISSING  the cache of compiled games" in capsys.readouterr().out


def test_doctor_and_check_where_swi_prolog_is_missing(tiny: Path, tmp_path: Path) -> None:
    package = tmp_path / "broken" / "pyswip"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("class SwiPrologNotFoundError(Exception): ...\nraise SwiPrologNotFoundError\n")
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "PATH": "/nowhere"}
    doctor = run("doctor", env=environment)
    assert doctor.returncode == 1
    assert "MISSING  SWI-Prolog: not found" in doctor.stdout
    assert doctor.stdout.count("sudo apt install swi-prolog-nox") == 2
    check = run("check", str(tiny), env=environment)
    assert (check.returncode, check.stdout) == (0, f"{tiny}: no errors, no warnings\n")
    assert "laws 20 to 23 are not checked. SWI-Prolog is missing. Install it" in check.stderr
    perft = run("perft", str(tiny), "--depth", "1", *PROLOG, env=environment)
    assert perft.returncode == 3
    assert perft.stderr.startswith("ggp: SWI-Prolog is missing. Install it")


# ---- what goes wrong outside ------------------------------------------------------------------------------------

READS = [["check"], ["format"], ["show"], ["play-through"], ["perft", "--depth", "1"], ["match"], ["scramble"]]


@pytest.mark.parametrize("command", READS, ids=lambda command: command[0])
def test_files_that_cannot_be_read(command: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary = tmp_path / "binary.kif"
    binary.write_bytes(b"(role me)\0\xff")
    for path, message in [
        (tmp_path / "missing.kif", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (binary, "this is no text (it holds a zero byte at offset 9)"),
    ]:
        assert out(capsys, *command, str(path), code=2) == f"ggp: {path}: {message}\n"


@pytest.mark.parametrize("command", READS[2:], ids=lambda command: command[0])
def test_a_game_with_errors_is_not_played(
    command: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = out(capsys, *command, file(tmp_path, "(role me)"), code=1)
    assert text.count("error: no rule defines") == 3


@pytest.mark.parametrize("text", ["", "\ufeff", "(", ")", "(" * 100_000, "\x01\x02", "?x", "()"])
def test_check_of_texts_that_are_no_games(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "error" in out(capsys, "check", file(tmp_path, text), code=1)


@pytest.mark.parametrize("command", ["play-through", "match"])
def test_a_machine_that_cannot_answer_in_time(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, command, file(tmp_path, LOOPS), *PROLOG, "--time-limit", "1", code=3)
    assert text == "ggp: the Prolog reasoner took longer than its limit of 1 s\n"


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["perft", TIC_TAC_TOE], ["perft", TIC_TAC_TOE, "--depth", "-1"],
                  ["bench", TIC_TAC_TOE, "--seconds", "0"], ["match", TIC_TAC_TOE, "--machine", "quantum"],
                  ["play-through", TIC_TAC_TOE, "--steps", "x"], ["check", "--plays", "-1", TIC_TAC_TOE]],
)  # fmt: skip
def test_command_lines_that_make_no_sense(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: ggp" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert f"usage: ggp {name}" in text
    assert f"ggp {name} " in text.split("\n\n", 1)[1] or name == "doctor"
    assert re.search(rf"^ +{name}\b", parser().format_help(), re.MULTILINE)


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for option, expected in [("--help", "exit codes:"), ("--version", f"ggp {ggp.__version__}")]:
        with pytest.raises(SystemExit) as caught:
            main([option])
        assert caught.value.code == 0
        assert expected in capsys.readouterr().out


def test_the_installed_command_runs(tiny: Path) -> None:
    command = Path(sys.executable).with_name("ggp")
    done = subprocess.run([command, "check", tiny], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{tiny}: no errors, no warnings\n", "")


def test_exit_codes_of_processes(tiny: Path, tmp_path: Path) -> None:
    assert run("check", str(tiny)).returncode == 0
    assert run("check", file(tmp_path, "(role")).returncode == 1
    assert run("check", "/nowhere").returncode == 2
    done = run("play-through", file(tmp_path, LOOPS), "--time-limit", "1", *PROLOG)
    assert done.returncode == 3
    assert done.stderr.startswith("ggp: ")


@pytest.mark.parametrize(
    "arguments", [["play-through", TIC_TAC_TOE, *PROLOG], ["format", TIC_TAC_TOE], ["check", "--laws"]]
)
def test_a_reader_that_goes_away_is_no_error(arguments: list[str]) -> None:
    command = " ".join([sys.executable, "-m", "ggp.cli", *arguments])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1 >/dev/null"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_output_that_is_closed_from_the_start_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "ggp.cli", "check", "--laws"],
        stdout=write, stderr=subprocess.PIPE, text=True, check=False, timeout=120,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_standard_output_that_is_not_there_is_no_error(tiny: Path) -> None:
    command = f"{sys.executable} -m ggp.cli check --plays 0 {tiny} >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_ends_quietly_and_takes_the_worker_along(tmp_path: Path) -> None:
    path = file(tmp_path, LOOPS)
    command = [sys.executable, "-m", "ggp.cli", "play-through", path, "--time-limit", "300", *PROLOG]
    workers: list[str] = []
    deadline = time.monotonic() + 60
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        while not workers and time.monotonic() < deadline:
            time.sleep(0.1)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            workers = children.read_text().split() if children.exists() else []
        assert workers
        time.sleep(1.0)  # so that it is asked something
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "\nggp: interrupted\n"
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_check_decides_law_6_on_ground_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cycle through a negation is a warning where it vanishes once ground, an error where it stays."""
    cycle = "\n(<= (odd ?x) (true (on ?x)) (not (even ?x))) (<= (even ?x) (true (on ?x)) (not (odd ?x)))"
    cycle += "(<= (legal me jump) (odd 1))"
    none = TINY.replace(
        "(goal me 100)", "(<= (goal me 100) (true (on 2))) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))"
    )
    for text, code, said in (
        (TINY + cycle, 1, "error: ground atoms depend on their own negation"),
        (none, 0, "no errors"),
    ):
        file = tmp_path / "game.kif"
        file.write_text(text)
        assert main(["check", str(file), "--plays", "1"]) == code
        assert said in capsys.readouterr().out

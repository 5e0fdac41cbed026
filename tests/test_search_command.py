"""`ggp search`: what it prints is what the search knows, it says so when it cannot, and the same seed prints the same."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ggp.analysis import judged
from ggp.cli import main
from ggp.commands import search
from ggp.commands.line import parser
from ggp.machines import auto
from ggp.search.verdict import DECISIVE, Verdict
from tests.helpers import GAMES, ROOT, started

pytestmark = pytest.mark.usefixtures("compiled_once", "judged_briefly")

TIC_TAC_TOE = str(GAMES / "tic_tac_toe.kif")
FORK = "(mark 1 1) noop  noop (mark 1 2)"
ENDLESS_COUNT = """
(role me) (role you) (init (number z)) (init (turn me)) (legal me go) (legal you go) (legal me stop)
(<= (next (number (s ?n))) (true (number ?n)) (does me go)) (<= (next (over)) (does me stop))
(<= terminal (true (over))) (<= terminal (true (number (s (s (s (s z)))))))
(<= (goal me 100) (true (over))) (<= (goal me 20) (not (true (over)))) (goal you 30)
"""
"""Its terms grow without end as far as a grounder can see, so it has no circuit."""


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(("search", *arguments)) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(("search", *arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(out(capsys, *arguments, "--json"))
    return data


def test_a_fork_is_proven_and_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, TIC_TAC_TOE, "--moves", FORK, "--simulations", "20000")
    assert [table["role"] for table in data["roles"]] == ["x"]
    moves = data["roles"][0]["moves"]
    chosen = [m for m in moves if m["chosen"]]
    assert len(chosen) == 1 and chosen[0]["proven"] == 100 and chosen[0]["length"] == 5
    assert data["solved"] and data["engine"] == "circuit" and data["line"][0] == [chosen[0]["move"], "noop"]
    assert len(data["line"]) == 5


def test_numbers_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, TIC_TAC_TOE, "--simulations", "3000", "--slots", "1")
    moves = data["roles"][0]["moves"]
    assert len(moves) == 9
    assert data["simulations"] == 3000 == sum(m["visits"] for m in moves)
    assert all(m["interval"][0] <= m["mean"] <= m["interval"][1] for m in moves)
    assert 0 < data["nodes"] <= 3001 and data["transpositions"] > 0 and data["deepest"] <= 9 and data["recycled"] == 0
    assert [m["visits"] for m in moves] == sorted((m["visits"] for m in moves), reverse=True)


@pytest.mark.parametrize("slots", ["1", "512"])
def test_the_same_seed_prints_the_same(slots: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (str(GAMES / "connect_four.kif"), "--simulations", "2000", "--slots", slots)
    first, second = (re.sub(r"time: .*", "", out(capsys, *arguments, "--seed", "7")) for _ in range(2))
    assert first == second
    assert first != re.sub(r"time: .*", "", out(capsys, *arguments, "--seed", "8"))


def test_the_table_shows_the_top_and_says_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, TIC_TAC_TOE, "--simulations", "500", "--top", "3")
    rows = [line for line in text.splitlines() if "(mark" in line and not line.startswith("line:")]
    assert len(rows) == 3 and "… and 6 more" in text
    assert sum(row.startswith("* ") for row in rows) == 1
    assert re.search(r"^time: 500 simulations in [\d.]+ s, [\d,]+ a second$", text, re.MULTILINE)
    assert re.search(
        r"^graph: [\d,]+ nodes, [\d,]+ transpositions met, deepest \d+, [\d.]+ MB, recycled 0", text, re.MULTILINE
    )


def test_seconds_bound_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, str(GAMES / "connect_four.kif"), "--seconds", "0.2")
    assert 0.1 < data["seconds"] < 5 and data["simulations"] > 100


def test_all_roles_that_choose_are_shown_or_the_one_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    roshambo = str(GAMES / "roshambo.kif")
    both = found(capsys, roshambo, "--simulations", "300")
    assert [t["role"] for t in both["roles"]] == ["left", "right"]
    one = found(capsys, roshambo, "--simulations", "300", "--role", "right")
    assert [t["role"] for t in one["roles"]] == ["right"] and one["roles"][0] == both["roles"][1]


def test_settings_come_from_a_player(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, TIC_TAC_TOE, "--player", "uct:c=30,simulations=200")
    assert data["settings"] == "UCT" and data["simulations"] == 200 and data["transpositions"] == 0
    assert found(capsys, TIC_TAC_TOE, "--params", "ucd:d1=inf", "--simulations", "50")["settings"] == "(inf,0,1)"


def test_memory_bounds_the_graph(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, str(GAMES / "connect_four.kif"), "--simulations", "6000", "--memory", "1")
    assert data["recycled"] > 0 and data["memory_bytes"] <= 2**20


def test_two_threads_share_the_simulations(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, str(GAMES / "connect_four.kif"), "--simulations", "2001", "--threads", "2")
    assert data["simulations"] == 2001 == sum(m["visits"] for m in data["roles"][0]["moves"])


def test_a_drawing_has_the_most_visited_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, TIC_TAC_TOE, "--simulations", "2000", "--dot", "--top", "8")
    assert text.startswith("digraph search {\n") and text.endswith("}\n")
    nodes = re.findall(r"^  n(\d+) \[label=", text, re.MULTILINE)
    edges = re.findall(r'^  n(\d+) -> n(\d+) \[label="[^"]*" penwidth=[\d.]+\]$', text, re.MULTILINE)
    assert nodes == [str(i) for i in range(8)]
    assert {end for _, end in edges} == set(nodes) - {"0"} and len(edges) >= 7
    path = tmp_path / "graph.gv"
    table = out(capsys, TIC_TAC_TOE, "--simulations", "2000", "--dot", str(path), "--top", "8")
    assert table.startswith("x\n") and path.read_text(encoding="utf-8") == text
    message = refused(capsys, TIC_TAC_TOE, "--simulations", "2000", "--dot", str(path))
    assert "is there already" in message and path.read_text(encoding="utf-8") == text


def test_a_transposition_is_drawn_as_one_node_with_two_ways(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, str(GAMES / "left_right.kif"), "--simulations", "3000", "--dot", "--top", "30")
    ends = re.findall(r"-> n(\d+)", text)
    assert len(ends) > len(set(ends))


def test_what_prolog_searches_is_said_to_be_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "count.kif"
    path.write_text(ENDLESS_COUNT, encoding="utf-8")
    assert main(("search", str(path), "--simulations", "60", "--memory-limit", "0.2")) == 0
    captured = capsys.readouterr()
    assert "there is no circuit" in captured.err
    assert captured.out.startswith("no circuit: searched by the plain reference on Prolog")
    assert re.search(r"^\* stop +\d+ +100\.00", captured.out, re.MULTILINE)
    assert "time: 60 simulations" in captured.out
    assert out(capsys, TIC_TAC_TOE, "--machine", "prolog", "--simulations", "30", "--dot").startswith("digraph")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--role", "z"], "--role: there is no role 'z'; known are: x o"),
        (["--moves", "(mark 1 1)"], "1 moves do not fill joint moves of 2 roles"),
        (["--moves", "(mark 1 1) (mark 2 2)"], "(mark 2 2) is not legal for o; legal are: noop"),
        (["--player", "greedy"], "no searching player 'greedy'; known are: ucd, uct, mc"),
        (["--player", "ucd:d1"], "'d1' should be an option of its own"),
        (["--player", "ucd:speed=1"], "there is no option 'speed'"),
        (["--memory", "1e12"], "there is no room for a graph of 1,000,000,000,000 MB"),
        (["--moves", " ".join(f"(mark 1 {y}) noop noop (mark 2 {y})" for y in (1, 2)) + " (mark 1 3) noop"],
         "the game is over in this position: x 100  o 0"),
    ],
)  # fmt: skip
def test_bad_wishes_are_refused_with_a_reason(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, TIC_TAC_TOE, "--simulations", "10", *arguments)


@pytest.mark.parametrize(
    "arguments", [["--simulations", "0"], ["--seconds", "-1"], ["--seconds", "1", "--simulations", "3"], ["--top", "x"]]
)
def test_impossible_numbers_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(("search", TIC_TAC_TOE, *arguments))
    assert stopped.value.code == 2
    assert "usage: ggp search" in capsys.readouterr().err


def test_a_position_where_nobody_can_move_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stuck.kif"
    path.write_text(
        "(role me) (init (at 1)) (<= (legal me go) (true (at 1))) (goal me 0) (<= terminal (true (at 3)))"
        "(<= (next (at 2)) (does me go))", encoding="utf-8",
    )  # fmt: skip
    assert "me has no legal move in this position, though it is not terminal: the game cannot go on (me 0)" in refused(
        capsys, str(path), "--moves", "go", "--simulations", "5"
    )
    assert "--moves: after 1 steps me has no legal move, though the position is not terminal" in refused(
        capsys, str(path), "--moves", "go go", "--simulations", "5"
    )
    text = out(capsys, str(path), "--simulations", "5")
    assert "line: go\nafter the line me has no legal move, though that is not terminal: me 0\n" in text


def test_all_roles_without_a_move_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stuck.kif"
    path.write_text(
        "(role a) (role b) (role c) (init (at 1)) (legal b go) (goal a 0) (goal b 50) (goal c 0)"
        "(<= (legal ?r go) (role ?r) (true (at 2))) (<= (next (at 2)) (does a go)) (<= terminal (true (at 2)))",
        encoding="utf-8",
    )
    message = refused(capsys, str(path))
    assert "a and c have no legal move in this position" in message and "(a 0  b 50  c 0)" in message


def test_a_line_that_ends_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, TIC_TAC_TOE, "--moves", FORK, "--simulations", "20000")
    assert "\nafter the line the game is over: x 100  o 0\n" in text and "\nexpected: x 100  o 0\n" in text


def test_it_searches_as_the_player_does_and_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judged, "judge", lambda *_, **__: Verdict((DECISIVE,), ((DECISIVE, 61.0),)))
    data = found(capsys, TIC_TAC_TOE, "--seconds", "0.1")
    assert (data["policy"], data["c"], data["playouts"]) == ("decisive", 80, 8) and "won 61 %" in data["policy_why"]
    text = out(capsys, TIC_TAC_TOE, "--seconds", "0.1")
    assert re.search(r"^playouts: decisive; 8 a simulation; c = 80; decisive playouts won 61 %", text, re.MULTILINE)
    data = found(capsys, TIC_TAC_TOE, "--seconds", "0.1", "--player", "ucd:policy=uniform")
    assert (data["policy"], data["c"], data["policy_why"]) == ("uniform", 40, "as the settings say")
    data = found(capsys, TIC_TAC_TOE, "--simulations", "100")
    assert (data["policy"], data["playouts"]) == ("uniform", 1) and "simulations are counted" in data["policy_why"]


def test_chance_is_shown_as_chance_and_what_players_do_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    poker = str(GAMES / "poker_small.kif")
    data = found(capsys, poker)
    assert data["roles"] == [] and data["solved"] and data["hidden_information"]
    assert len(data["chance"]) == 6 and sum(o["probability"] for o in data["chance"]) == pytest.approx(1)
    for outcome in data["chance"]:
        higher = outcome["move"] in ("(deal king jack)", "(deal king queen)", "(deal queen jack)")
        assert outcome["proven"] and outcome["goals"] == {"first": 75 if higher else 25, "second": 25 if higher else 75,
                                                          "random": 0}  # fmt: skip
        (then,) = outcome["then"]
        assert then["role"] == "first" and {m["move"] for m in then["moves"]} == {"bet", "check"}
        assert [m["proven"] for m in then["moves"] if m["chosen"]] == [outcome["goals"]["first"]]
    assert data["expected"]["first"] == 50
    text = out(capsys, poker)
    assert text.startswith("chance: no player chooses here\n  outcome            probability")
    assert re.search(r"^  \(deal jack king\) +16\.7 % +\d+ +25\.00 +75\.00  yes$", text, re.MULTILINE)
    assert re.search(r"^first, who decides next$", text, re.MULTILINE)
    assert re.search(r"^  \(deal king jack\) +(\* bet|check .*\n +\* bet) +\d+ .* 75$", text, re.MULTILINE)
    assert "the search knows the whole position" in text and "random" not in text


def test_chance_is_shown_where_prolog_searches(capsys: pytest.CaptureFixture[str]) -> None:
    data = found(capsys, str(GAMES / "monty_hall.kif"), "--machine", "prolog", "--simulations", "60")
    assert {o["move"] for o in data["chance"]} == {"(hide 1)", "(hide 2)", "(hide 3)"}
    assert sum(o["visits"] for o in data["chance"]) == 60
    assert all(0 <= o["goals"]["candidate"] <= 100 and o["then"][0]["role"] == "candidate" for o in data["chance"])


def test_a_role_may_be_asked_for_where_chance_moves(capsys: pytest.CaptureFixture[str]) -> None:
    hall = str(GAMES / "monty_hall.kif")
    one = found(capsys, hall, "--role", "candidate")
    assert [m["move"] for m in one["roles"][0]["moves"]] == ["noop"] and one["chance"]
    assert found(capsys, hall, "--role", "random")["roles"] == []
    after = found(capsys, hall, "--moves", "noop (hide 1)")
    assert [t["role"] for t in after["roles"]] == ["candidate"] and after["chance"] == []


def test_what_it_does_and_knows_is_told_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.kif"  # of words that no other test compiles
    text = Path(TIC_TAC_TOE).read_text(encoding="utf-8")
    game.write_text(text.replace("noop", "wait"), encoding="utf-8")
    assert main(("search", str(game), "--seconds", "1", "--player", "ucd:solver=false", "--progress")) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["starting the compiler", "grounding"]
    assert re.fullmatch(r"grounded [\d,]+ atoms, [\d,]+ rules", lines[2])
    assert any(re.fullmatch(r"merge, [\d,]+ gates", line) for line in lines)
    assert re.fullmatch(
        r" +[\d.]+ s +[\d,]+ simulations +[\d,]+/s +[\d,]+ nodes  x \(mark \d \d\) [\d.]+  line \(mark.*", lines[-1]
    )


def test_json_lines_stream_what_the_search_knows_and_end_with_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    words = (TIC_TAC_TOE, "--seconds", "1", "--player", "ucd:solver=false", "--json-lines")
    *infos, result = map(json.loads, out(capsys, *words).splitlines())
    assert infos and {info["kind"] for info in infos} == {"info"} and result["kind"] == "result"
    assert [info["simulations"] for info in infos] == sorted(info["simulations"] for info in infos)
    assert infos[-1]["best"][0]["role"] == "x" and result["simulations"] >= infos[-1]["simulations"] > 1000


def test_prolog_answers_where_the_circuit_is_not_ready_in_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "count.kif"
    path.write_text(ENDLESS_COUNT, encoding="utf-8")
    begun = time.monotonic()
    text = out(capsys, str(path), "--seconds", "0.3", "--compile-seconds", "0.2")
    assert time.monotonic() - begun < 40
    assert re.match(
        r"no circuit after 0\.2 s \((starting the compiler|grounding)\): searched by the plain reference on Prolog", text
    )
    assert "; --compile-seconds waits longer" in text and "playouts: uniform; 1 a simulation" in text


@pytest.mark.parametrize(
    ("words", "patience"),
    [
        (["--seconds", "2"], 3), (["--seconds", "9"], 9), ([], math.inf), (["--simulations", "7"], math.inf),
        (["--player", "ucd:seconds=9"], 9), (["--seconds", "2", "--compile-seconds", "0.5"], 0.5),
    ],
)  # fmt: skip
def test_how_long_the_circuit_is_waited_for(words: list[str], patience: float) -> None:
    options = parser("search").parse_args(["search", TIC_TAC_TOE, *words])
    _, budget = search._wishes(options)
    assert search._patience(options, budget) == patience


@pytest.mark.parametrize("words", [["--simulations", "50"], ["--seconds", "0.2", "--compile-seconds", "60"]])
def test_no_prolog_is_started_where_the_circuit_answers(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    monkeypatch.setattr(auto, "PrologMachine", lambda *_: pytest.fail("Prolog is not needed"))
    assert found(capsys, TIC_TAC_TOE, *words)["engine"] == "circuit"


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        (["connect_four.kif", "--threads", "2", "--seconds", "60", "--player", "ucd:policy=uniform"], "simulations"),
        (["chess.kif", "--seconds", "60"], "invariants"),
        (["connect_four.kif", "--machine", "prolog", "--seconds", "60"], "simulations"),
    ],
)
def test_ctrl_c_ends_it_at_once(words: list[str], sign: str) -> None:
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from ggp.cli import main"
    command = [sys.executable, "-c", f"{code}; sys.exit(main())", "search", str(GAMES / words[0]), *words[1:]]
    with started([*command, "--progress"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stderr is not None
        next(line for line in process.stderr if sign in line)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "") and "ggp: interrupted" in err and "Traceback" not in err
    assert time.monotonic() - begun < 10  # a second, on a machine that has nothing else to do

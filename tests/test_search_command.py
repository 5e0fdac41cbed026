"""`ggp search`: what it prints is what the search knows, it says so when it cannot, and the same seed prints the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from tests.helpers import GAMES

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
    assert 0.1 < data["seconds"] < 0.5 and data["simulations"] > 100


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
    assert "me has no legal move" in refused(capsys, str(path), "--moves", "go", "--simulations", "5")

"""Tournaments: forms, seats, standings, the sequential test, and going on after a stop."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.lab.conduct import make_report, run_experiment
from ggp.lab.plan import Experiment
from ggp.lab.pool import LocalPool
from ggp.lab.report import markdown
from ggp.lab.sequential import Sprt, Verdict
from ggp.lab.store import FILE
from ggp.lab.tournament import Counter, TournamentSettings, decided, pairs, plan, points_table
from ggp.lab.tournament_match import lockstep_settings, perform
from ggp.lab.tournament_report import score, standing, tournament_report
from ggp.match.ownplayers import own_players
from ggp.match.telling import Telling
from tests.helpers import GAMES

TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in GAMES.glob("*.kif")}


def settings(*players: str, **more: Any) -> TournamentSettings:
    return TournamentSettings(**{"players": players, "games": ("tic_tac_toe",), "rounds": 3, **more})


def tournament(chosen: TournamentSettings) -> Experiment[Any]:
    return Experiment("tournament", "Tournament", 1, chosen, plan, perform, tournament_report)


def value(*points: float, goals: tuple[float, float] = (50, 50)) -> list[dict[str, Any]]:
    return [{"points": list(points), "goals": list(goals), "unfinished": 0, "faults": [0, 0]}]


def test_who_meets_whom() -> None:
    four = ("a", "b", "c", "d")
    assert len(settings(*four).pairings()) == 6
    assert settings(*four, form="gauntlet").pairings() == [(0, 1), (0, 2), (0, 3)]
    keys = [job.key for job in plan(settings(*four, form="gauntlet", games=("nim", "chomp"), rounds=2))]
    assert keys == sorted(keys)
    assert len(set(keys)) == 2 * 2 * 3
    assert settings("a", "a", "b").labels() == ["a #1", "a #2", "b"]


@pytest.mark.parametrize(
    ("players", "more", "message"),
    [
        (["a"], {}, "at least two players"),
        (["a", "b", "c"], {"form": "sequential"}, "between two players, not 3"),
        (["a", "b"], {"form": "knock-out"}, "no form 'knock-out'"),
        (["a", "b"], {"rounds": 0}, "rounds must be above 0"),
        (["a", "b"], {"games": ()}, "needs a game"),
    ],
)
def test_nonsense_is_refused(players: list[str], more: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        settings(*players, **more)


@pytest.mark.parametrize(
    ("game", "points"),
    [
        ("tic_tac_toe", 2),
        ("tic_tac_toe_three_players", 2),
        ("lights_out", 1),
        ("monty_hall", 1),
        ("prisoners_dilemma", 2),
    ],
)
def test_all_kinds_of_games_are_played_and_played_again_alike(game: str, points: int) -> None:
    """Two roles, three, one, one and chance, both at once."""
    jobs = plan(settings("greedy", "random", games=(game,), rounds=2))
    found = [pair for job in jobs for pair in perform(job.work, TEXTS)]
    assert [len(one["points"]) for one in found] == [points, points]
    assert all(0 <= goal <= 100 for one in found for goal in one["goals"])
    assert found == [pair for job in jobs for pair in perform(job.work, TEXTS)]


def test_roles_are_swapped() -> None:
    """In a game that the first role wins always, everybody wins once."""
    text = """
        (role a) (role b) (init start) (legal a go) (legal b go)
        (<= (next over) (does a go)) (<= terminal (true over)) (goal a 100) (goal b 0)
    """
    jobs = plan(settings("legal", "random", games=("fixed.kif",), rounds=1))
    assert perform(jobs[0].work, {"fixed.kif": text})[0]["points"] == [1.0, 0.0]


def test_unfinished_matches_are_draws_and_counted() -> None:
    jobs = plan(settings("legal", "random", rounds=1, steps=2))
    found = perform(jobs[0].work, TEXTS)
    assert (found[0]["points"], found[0]["unfinished"]) == ([0.5, 0.5], 2)
    report = tournament_report(settings("legal", "random", rounds=1, steps=2), {jobs[0].key: found})
    assert "2 matches did not come to an end" in markdown(report, "t", plots=False)


def test_standings_of_known_results() -> None:
    chosen = settings("a", "b", "c", rounds=4)
    results = {(0, 1): value(1, 1), (0, 2): value(1, 0.5), (1, 2): value(0, 0, goals=(20, 80))}
    values = {job.key: results[tuple(job.work["numbers"])] for job in plan(chosen)}
    played = pairs(chosen, values)
    assert points_table(3, played).tolist() == [[0, 8, 6], [0, 0, 0], [2, 8, 0]]
    report = tournament_report(chosen, values)
    standings: Any = report.data["standings"]
    assert [row["player"] for row in standings] == ["a", "c", "b"]
    best = standings[0]
    assert (best["won"], best["drawn"], best["lost"]) == (12, 4, 0)
    assert best["score %"] == pytest.approx(100 * 14 / 16)
    assert best["Elo"] > 0
    assert sum(row["Elo"] for row in standings) == pytest.approx(0)
    text = markdown(report, "t", plots=False)
    assert "| a | b | 4 | 100.0 |" in text
    assert "| tic_tac_toe | 12 |" in text


def test_scores_over_pairs() -> None:
    found = score([0, 0, 10, 0, 0])
    assert (found.value, found.count) == (50, 10)
    assert found.low < 50 < found.high
    independent, dependent = score([25, 0, 50, 0, 25]), score([50, 0, 0, 0, 50])
    assert independent.high - independent.low < dependent.high - dependent.low


def test_how_it_stands_meanwhile() -> None:
    chosen = settings("a", "b", "c")
    jobs = plan(chosen)
    assert standing(chosen, {}) == ""
    values = {jobs[0].key: value(1, 0.5), jobs[1].key: value(0, 0)}  # a has met b, and c
    text = standing(chosen, values)
    assert text.startswith("4 matches: c 100.0 % (") and ", a 37.5 % (" in text and ", b 25.0 % (" in text
    assert standing(chosen, {jobs[0].key: value(1, 1)}).startswith("2 matches: a 100.0 % (")


def test_how_a_sequential_test_stands_meanwhile() -> None:
    chosen = settings("a", "b", form="sequential", rounds=60, sprt=Sprt(0, 100))
    values = {job.key: value(1, 1) for job in plan(chosen)[:3]}
    assert re.fullmatch(
        r"6 matches: a 100\.0 % \([\d.]+ – 100\.0\), ratio 0\.\d\d, decided at -2\.94 or 2\.94", standing(chosen, values)
    )


def test_a_run_is_shown_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "tournament", "tic_tac_toe", "--player", "greedy", "--player", "random", "--rounds", "2", "--workers", "1",
        "--results", str(tmp_path),
    ]  # fmt: skip
    assert main([*words, "--progress"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("tournament: 0 of 2 jobs\n") and "standings" in captured.out.lower()
    assert main(words) == 0
    assert capsys.readouterr().err == ""


def test_greedy_beats_random() -> None:
    chosen = settings("greedy", "random", rounds=15)
    values = {job.key: perform(job.work, TEXTS) for job in plan(chosen)}
    standings: Any = tournament_report(chosen, values).data["standings"]
    assert standings[0]["player"] == "greedy"
    assert standings[0]["low"] > 50


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    chosen = tournament(settings("greedy", "random", "legal"))
    run_experiment(chosen, tmp_path / "whole", lambda: LocalPool(2))
    run_experiment(chosen, tmp_path / "parts", lambda: LocalPool(1), until=lambda values: len(values) >= 3)
    path = tmp_path / "parts" / FILE
    path.write_bytes(path.read_bytes()[:-10])
    run_experiment(chosen, tmp_path / "parts", lambda: LocalPool(1))
    whole, parts = (make_report(chosen, tmp_path / name)[0] for name in ("whole", "parts"))
    assert markdown(whole, "t", plots=False) == markdown(parts, "t", plots=False)


def test_a_sequential_test_stops_when_decided_and_counts_no_more(tmp_path: Path) -> None:
    chosen = settings("greedy", "random", form="sequential", rounds=400, sprt=Sprt(0, 100))
    state = run_experiment(tournament(chosen), tmp_path, lambda: LocalPool(2), decided(chosen))
    assert state.done < 100
    report, _ = make_report(tournament(chosen), tmp_path)
    verdict: Any = report.data["verdict"]
    assert verdict["verdict"] == "H1"
    assert sum(verdict["counts"]) <= state.done
    assert verdict["ratio"] >= verdict["bounds"][1]
    assert "**greedy is stronger**" in markdown(report, "t", plots=False)


def test_the_verdict_hangs_on_the_order_of_the_plan_alone() -> None:
    """Later pairs that came in first do not count while an earlier one is missing."""
    chosen = settings("a", "b", form="sequential", rounds=60, sprt=Sprt(0, 100))
    jobs = plan(chosen)
    values = {job.key: value(1, 1) for job in jobs}
    missing = jobs[0].key
    enough = decided(chosen)
    assert enough is not None
    late = {key: one for key, one in values.items() if key != missing}
    assert not enough(late)
    assert pairs(chosen, late) == []
    assert enough(values)
    counted = pairs(chosen, values)
    assert len(counted) < 60
    test = Counter(chosen.sprt)
    for pair in counted[:-1]:
        test.add(pair)
    assert test.verdict is Verdict.UNDECIDED
    assert decided(dataclasses.replace(chosen, form="gauntlet")) is None


def test_a_sequential_test_of_equal_players_errs_as_promised() -> None:
    """Twenty repeats with real players: at most a few end with a wrong verdict."""
    verdicts = []
    for seed in range(20):
        chosen = settings("random", "random", form="sequential", rounds=60, seed=seed, sprt=Sprt(0, 120))
        enough, values = decided(chosen), {}
        assert enough is not None
        for job in plan(chosen):
            values[job.key] = perform(job.work, TEXTS)
            if enough(values):
                break
        test = Counter(chosen.sprt)
        for pair in pairs(chosen, values):
            test.add(pair)
        verdicts.append(test.verdict)
    assert verdicts.count(Verdict.H1) <= 3
    assert verdicts.count(Verdict.H0) >= 10


def test_players_that_count_simulations_play_in_lockstep(tmp_path: Path) -> None:
    """Many simulations are stronger than few, soon."""
    chosen = settings(
        "uct:simulations=100", "uct:simulations=2", form="sequential", rounds=64, block=16, sprt=Sprt(0, 100)
    )
    state = run_experiment(tournament(chosen), tmp_path, lambda: LocalPool(1), decided(chosen))
    report, _ = make_report(tournament(chosen), tmp_path)
    verdict: Any = report.data["verdict"]
    assert verdict["verdict"] == "H1"
    assert sum(verdict["counts"]) < 64
    assert state.done <= state.jobs == 4


def test_who_can_play_in_lockstep() -> None:
    assert lockstep_settings("ucd:simulations=50,d1=inf").d1 == math.inf
    assert lockstep_settings("ucd:simulations=50,playouts=4,policy=decisive").playouts == 4
    assert lockstep_settings("mc:simulations=50,slots=1").depth == 1
    for option in ("policy=auto", "threads=2", "memory=1", "slots=16"):  # these mean nothing there
        assert lockstep_settings(f"ucd:simulations=50,{option}") is None
    for other in ("greedy", "ucd:seconds=1", "http://localhost:1"):
        assert lockstep_settings(other) is None


OPTIONS = [
    "policy=decisive", "solver=false", "playouts=8", "c=80", "d1=inf,d3=2", "d1=0,d2=2,d3=0", "depth=1", "step_limit=3",
    "d1=0,d3=0,update=all", "transpositions=false", "policy=decisive,playouts=8,d1=2,step_limit=40",
]  # fmt: skip


@pytest.mark.parametrize(
    "game",
    ["tic_tac_toe", *(pytest.param(name, marks=pytest.mark.slow) for name in ("roshambo", "dice_race", "lights_out"))],
)
def test_players_with_any_options_meet_in_lockstep(game: str) -> None:
    """Each kind of options against plain ones, and against the next kind; the same when played again."""
    players = ["ucd", *(f"ucd:{options}" for options in OPTIONS)]
    for number, player in enumerate(players[1:], 1):
        for other in (players[0], players[number - 1]):
            pair = [f"{p}{',' if ':' in p else ':'}simulations=12" for p in (player, other)]
            assert all(map(lockstep_settings, pair))
            (job,) = plan(settings(*pair, games=(game,), rounds=2, block=2, steps=12))
            assert job.work["lockstep"]
            found = perform(job.work, TEXTS)
            assert len(found) == 2
            assert all(pair["faults"] == [0, 0] for pair in found)


def test_decisive_and_flat_players_meet_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    players = ["ucd:simulations=20", "ucd:simulations=20,policy=decisive,playouts=8", "mc:simulations=20"]
    words = [word for player in players for word in ("--player", player)]
    assert ggp(tmp_path, "tic_tac_toe", *words, "--rounds", "2", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["standings"]) == 3


def test_chance_takes_part_in_lockstep() -> None:
    chosen = settings("ucd:simulations=10", "uct:simulations=10", games=("dice_race",), rounds=2, block=2)
    found = perform(plan(chosen)[0].work, TEXTS)
    assert len(found) == 2
    assert found == perform(plan(chosen)[0].work, TEXTS)


def ggp(tmp_path: Path, *words: str) -> int:
    return main(["tournament", *words, "--results", str(tmp_path / "results"), "--workers", "1"])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["nim", "--player", "greedy", "--player", "random", "--rounds", "2", "--to", str(tmp_path / "to")]
    assert ggp(tmp_path, *words) == 0
    assert "## Standings" in capsys.readouterr().out
    assert (tmp_path / "to" / "tournament.md").exists()
    assert ggp(tmp_path, *words, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["done"], told["pairs"], len(told["standings"])) == (2, 2, 2)
    assert ggp(tmp_path, "nim", "--player", "greedy", "--player", "legal") == 2
    assert "begun with other settings (players: ['greedy', 'random'] there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nim", "--player", "greedy"], "at least two players"),
        (["nim", "--player", "greedy", "--player", "kasparov"], "there is no player 'kasparov'"),
        (["nimm", "--player", "greedy", "--player", "random"], "there is no game 'nimm'; did you mean nim?"),
        (["nimm.kif", "--player", "greedy", "--player", "random"], "nimm.kif: No such file"),
        (["nim", "--player", "http://:1/x", "--player", "random"], "is no address of a player"),
        (["nim", "--player", "http://localhost:1", "--player", "ucd:second=1"], "no option 'second'"),
        (
            ["nim", "--player", "greedy", "--player", "random", "--form", "sequential", "--elo1", "-5"],
            "elo0 must be below",
        ),
    ],
)
def test_mistakes_are_told(tmp_path: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ggp(tmp_path, *words) == 2
    assert message in capsys.readouterr().err


UNGROUND = """\
(role me) (init (left (s (s z)))) (legal me go)
(<= (next (left ?n)) (true (left (s ?n))))
(<= terminal (true (left (s z))) (any ?x) (not (true (left ?x))))
(<= (any ?x) (role me))
(goal me 100)
"""
"""What `any` holds for has no list: no circuit."""


def test_a_game_without_a_circuit_is_played_on_prolog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "unground.kif"
    game.write_text(UNGROUND)
    words = [str(game), "--player", "ucd:simulations=20,d1=1", "--player", "legal", "--rounds", "1", "--steps", "5"]
    assert ggp(tmp_path / "a", *words, "--machine", "circuit") == 3
    assert "nothing binds" in capsys.readouterr().err
    assert ggp(tmp_path / "b", *words, "--time-limit", "20", "--memory-limit", "1") == 0
    assert "| unground | 1 |" in capsys.readouterr().out


def test_an_unreadable_game_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.kif"
    bad.write_text("(role a)\n(<= (legal a ?x)")
    assert ggp(tmp_path, str(bad), "--player", "greedy", "--player", "random") == 2
    assert "bad.kif:2" in capsys.readouterr().err


def test_players_over_http(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of ours as a process, asked by the game master, against one that has options."""
    with own_players([["--player", "legal", "--name", "elsewhere", "--seed", "1"]]) as started:
        words = [
            "nim",
            "--player",
            "ucd:seconds=0.05,policy=uniform",
            "--player",
            started[0].url().removeprefix("http://"),
        ]
        words += ["--rounds", "1", "--playclock", "5", "--json"]
        assert ggp(tmp_path, *words) == 0
    standings = json.loads(capsys.readouterr().out)["standings"]
    assert sum(row["won"] for row in standings) == 2
    assert [row["faults"] for row in standings] == [0, 0]


@pytest.mark.parametrize("scramble", [pytest.param(False, marks=pytest.mark.slow), True])
def test_names_are_changed_where_it_is_asked_for(scramble: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    start = Telling.start

    def noted(telling: Telling, start_clock: float, play_clock: float) -> str:
        sent.append(start(telling, start_clock, play_clock))
        return sent[-1]

    monkeypatch.setattr(Telling, "start", noted)
    with own_players([["--player", "legal"]]) as started:
        chosen = settings("random", started[0].url(), games=("nim",), rounds=1, playclock=5, scramble=scramble)
        (found,) = perform(plan(chosen)[0].work, TEXTS)
    assert found["faults"] == [0, 0] and found["unfinished"] == 0
    assert len(sent) == 2 and all(("leave" in message) is not scramble for message in sent)


def test_names_are_changed_for_players_over_http_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ggp(tmp_path, "nim", "--player", "legal", "--player", "random", "--scramble") == 2
    assert "for players over HTTP, and there is none" in capsys.readouterr().err


def test_players_over_http_play_one_match_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tournament", "nim", "--player", "http://localhost:1", "--player", "random", "--workers", "2"]
    assert main([*words, "--results", str(tmp_path)]) == 2
    assert "one match at a time" in capsys.readouterr().err

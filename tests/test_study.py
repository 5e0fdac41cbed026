"""Study: what walks and matches find is kept, whoever ends them, and shown, merged and dropped by commands."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gdl import load
from gdl.scramble import scramble
from ggp.analysis.known import known_moves
from ggp.cli import main
from ggp.core.errors import KnowledgeError, UsageError
from ggp.core.progress import silent
from ggp.knowledge.base import Base
from ggp.knowledge.names import Codes, Names
from ggp.knowledge.shelf import LOG, Shelf, shelf
from ggp.lab.recorded import recorded
from ggp.lab.study import Study
from ggp.lab.training import Training
from ggp.search.settings import SearchSettings, Thinking
from tests.compiled import compiled
from tests.helpers import GAMES, ROOT, started

pytestmark = pytest.mark.usefixtures("compiled_once")
SMALL = Thinking(memory=2**24)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shelf of this test."""
    monkeypatch.setenv("GGP_KNOWLEDGE", str(tmp_path / "shelf"))
    return tmp_path / "shelf"


def base_of(name: str, place: Path) -> tuple[Codes, Base]:
    machine = compiled(name)
    names = Names(load(GAMES / f"{name}.kif"))
    base = Shelf(place).base(names.game, names.roles, name)
    base.prepare()
    return Codes(names, machine), base


def log(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (place / LOG).read_text().splitlines()]


def result(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


# ---- guided -----------------------------------------------------------------------------------------------------------


def study_of(name: str, place: Path, seed: int = 1) -> Study:
    codes, base = base_of(name, place)
    return Study(compiled(name), codes, base, SearchSettings(), SMALL, seed)


def test_a_study_ends_when_all_is_proven(place: Path) -> None:
    study = study_of("nim", place)
    study.run(study.machine.initial(), 60, silent)
    assert study.learned.seconds < 30 and study.learned.kept == study.learned.new > 5
    again = study_of("nim", place)
    again.run(again.machine.initial(), 60, silent)
    assert again.learned.simulations == again.learned.new == 0


def test_a_study_learns_of_the_positions_that_are_met(place: Path) -> None:
    """All its walks begin with well-known positions: the first, and those after its likely moves."""
    study = study_of("connect_four", place)
    study.run(study.machine.initial(), 3, silent)
    machine, names = study.machine, study.codes.names
    rows = known_moves(machine, names, study.base, machine.initial())
    assert rows[0]["after"] == "" and rows[0]["visits"] >= 10_000 and len(rows) > 4
    assert study.learned.walks > 1 and study.learned.new == len(study.base) > 20


def test_where_nobody_chooses_alone_a_study_ends_at_once(place: Path) -> None:
    study = study_of("roshambo", place)
    study.run(study.machine.initial(), 60, silent)
    assert (study.learned.new, study.learned.simulations) == (0, 0) and study.learned.seconds < 30


def test_what_recorded_matches_came_to_is_searched_under_any_names(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "matches"
    games.mkdir()
    scrambled = scramble(load(GAMES / "nim.kif").rules, 5, permute=True).rules
    (tmp_path / "other.kif").write_text("\n".join(map(str, scrambled)))
    for number, game in enumerate(("nim", str(tmp_path / "other.kif"), "tic_tac_toe")):
        record = str(games / f"m{number}.json")
        assert main(["match", game, "--player", "random", "--player", "random", "--record", record]) == 0
    (games / "broken.json").write_text("{}")
    machine, ruleset = compiled("nim"), load(GAMES / "nim.kif")
    found = recorded(games, ruleset, machine)
    assert (found.matches, found.others, found.unreadable) == (2, 1, 1)
    assert found.positions[0] == machine.initial() and found.met[machine.initial()] == 2
    capsys.readouterr()
    told = result(capsys, "study", "nim", "--minutes", "0.5", "--records", str(games), "--player", "ucd:policy=uniform")
    assert told["recorded"] == 2 and told["known"] > 0
    with pytest.raises(UsageError, match="is no folder"):
        recorded(tmp_path / "nowhere", ruleset, machine)
    assert main(["study", "roshambo", "--records", str(games)]) == 2
    assert "has no match of this game" in capsys.readouterr().err


# ---- combat -----------------------------------------------------------------------------------------------------------


def test_what_players_find_in_matches_is_kept(place: Path) -> None:
    codes, base = base_of("tic_tac_toe", place)
    ruleset = load(GAMES / "tic_tac_toe.kif")
    players = "ucd:simulations=500,memory=16", "greedy"
    training = Training(ruleset, compiled("tic_tac_toe"), codes, base, players, 1, 100, 1)
    while training.learned.matches < 2:
        training.run(training.machine.initial(), 0.2, silent)
    assert training.learned.new == len(base) > 5
    assert known_moves(training.machine, codes.names, base, training.machine.initial())[0]["visits"] >= 500


# ---- commands ---------------------------------------------------------------------------------------------------------


def test_what_is_learned_is_shown_under_other_names_and_dropped(
    place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = result(capsys, "study", "nim", "--minutes", "0.5", "--player", "ucd:policy=uniform,memory=16")
    assert told["known"] == told["new"] > 5 and told["game"] == "nim"
    assert [(entry["what"], entry["game"]) for entry in log(place)] == [("study begins", "nim"), ("study ends", "nim")]
    assert log(place)[1]["new"] == told["new"] and str(os.getpid()) in log(place)[0]["who"]
    rules = scramble(load(GAMES / "nim.kif").rules, 3, permute=True).rules
    other = tmp_path / "other.kif"
    other.write_text("\n".join(map(str, rules)))
    plain, scrambled = (result(capsys, "knowledge", game)["positions"] for game in ("nim", str(other)))
    assert [row["visits"] for row in plain] == [row["visits"] for row in scrambled] and len(plain) > 1
    assert plain[0]["best"] != scrambled[0]["best"] and plain[0]["proven"]
    (row,) = result(capsys, "knowledge")["bases"]
    assert (row["game"], row["records"], row["torn"]) == ("nim", told["known"], 0)
    assert main(["knowledge", "nim"]) == main(["knowledge"]) == 0
    shown = capsys.readouterr().out
    assert plain[0]["best"] in shown and "1 base" in shown
    assert result(capsys, "knowledge", str(other), "--drop")["dropped"] == told["known"]
    assert result(capsys, "knowledge", "nim", code=1)["known"] == 0 and log(place)[-1]["what"] == "dropped"


def test_bases_of_several_machines_are_merged(place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    far = tmp_path / "far"
    study = study_of("tic_tac_toe", far)
    study.run(study.machine.initial(), 0.3, silent)
    for expected in (len(study.base), 0):
        (row,) = result(capsys, "knowledge", "--merge", str(far))["merged"]
        assert (row["new"], row["known"], row["game"]) == (expected, len(study.base), "tic_tac_toe")
    assert result(capsys, "knowledge", "--merge", str(study.base.path))["merged"][0]["new"] == 0
    assert [entry["what"] for entry in log(place)] == ["merged"] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["study", "nim", "--player", "greedy"], "greedy does not search"),
        (["study", "nim", "--player", "ucd:nonsense=1"], "there is no option 'nonsense'"),
        (["study", "nim", "--against", "ucd", "--moves", "(leave a 0) noop"], "--moves is for a study without --against"),
        (["study", "kuhn_poker"], "no player knows the position"),
        (["knowledge", "--drop"], "--drop needs a game"),
        (["knowledge", "--merge", "nowhere"], "nowhere: there is no such folder or base"),
        (["knowledge", "--merge", "nim.kif"], "nim.kif: this is no base, or its header is damaged"),
        (["match", "nim", "--player", "ucd:knowledge=nowhere"], "knowledge=nowhere makes no sense"),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("nim.kif").write_text((GAMES / "nim.kif").read_text())
    if arguments[1] == "kuhn_poker":
        arguments = ["study", next(name for name in map(str, GAMES.glob("*.kif")) if load(name).has_hidden_information)]
    assert main(arguments) == 2
    assert message in capsys.readouterr().err and not place.exists()


def test_a_folder_that_nobody_may_write_to_is_told_before_anything_takes_time(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place.write_text("a file")
    assert main(["study", "nim"]) == 2
    assert "nothing can be kept" in capsys.readouterr().err
    with pytest.raises(KnowledgeError, match="nothing can be noted"):
        shelf().log("study", Base(place / "some.knowledge", "ab", 2))


def test_ctrl_c_keeps_what_was_learned_and_so_does_a_kill(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two studies at once, one of them interrupted and one killed: the base has what both have told."""
    command = [sys.executable, "-m", "ggp.cli", "study", "connect_four", "--minutes", "5", "--json", "--progress",
               "--player", "ucd:policy=uniform,memory=64"]  # fmt: skip
    out = ""
    for attempt in range(3):  # on a busy machine the second that Ctrl-C leaves may be over before the end is told
        monkeypatch.setenv("GGP_KNOWLEDGE", str(place / str(attempt)))
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": ROOT}
        with started([*command, "--seed", "1"], **pipes) as one, started([*command, "--seed", "2"], **pipes) as two:
            told = [_learning(process) for process in (one, two)]
            two.kill()
            one.send_signal(signal.SIGINT)
            out, err = one.communicate(timeout=60)
            assert one.returncode == 130 and "Traceback" not in err
        (base,) = shelf().bases()
        content = base.content()
        assert content.torn <= 1 and content.records >= max(told) > 0 and min(told) > 0
        if out:
            break
    summary = json.loads(out)
    assert content.records >= summary["new"] >= told[0]
    assert [entry["what"] for entry in log(place / str(attempt))] == ["study begins", "study begins", "study ends"]


def _learning(process: subprocess.Popen[str]) -> int:
    """How many new positions a study says that it has learned, the first time that there are some."""
    assert process.stderr is not None
    for line in process.stderr:
        if " new positions, " in line and not line.startswith("0 "):
            return int(line.partition(" ")[0].replace(",", ""))
    raise AssertionError("it learned nothing")


@pytest.mark.slow
def test_a_study_makes_the_player_stronger_under_other_names(place: Path) -> None:
    """Half a minute of processor time is enough for connect four on few simulations; docs/knowledge.md has more."""
    from ggp.match.builtin import make_player
    from ggp.players.match import play_match
    from tests.compiled import machine_of
    from tests.helpers import ruleset

    study = study_of("connect_four", place)
    study.run(study.machine.initial(), 40, silent, clock=time.process_time)
    rules = scramble(load(GAMES / "connect_four.kif").rules, 3, permute=True).rules
    machine = machine_of(ruleset("\n".join(map(str, rules))))
    points, dice = 0.0, random.Random(1)
    for number in range(200):
        specs = ["ucd:simulations=300,memory=16"] * 2
        specs[number % 2] += f",knowledge={place}"
        players = [make_player(spec, dice.getrandbits(32)) for spec in specs]
        *_, last = play_match(machine, players, 100)
        points += last.goals[number % 2] / 100
        for player in players:
            player.close()
    assert points > 115  # 100 and two standard deviations

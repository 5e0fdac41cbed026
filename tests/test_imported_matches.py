"""Matches of others: archives of every form, each match verified, and records of ours made of them."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.importing import matches
from ggp.importing.matches import Entry, entries
from ggp.match.record import read_record
from tests.helpers import TINY
from tests.test_verify import GAME

WALK = {
    "matchId": "base.walk.1", "randomToken": "abcdefghijklmnop", "startTime": 1000, "startClock": 5, "playClock": 2,
    "previewClock": -1, "gameMetaURL": "http://games.example/base/games/walk/v0/", "isCompleted": True,
    "states": ["((at 1))", "( ( AT 2 ) )", "((at 3))"], "moves": [["stay", "( go 1 )"], ["stay", "stay"]],
    "stateTimes": [1000, 1000, 1002], "goalValues": [30, 70], "playerNamesFromHost": [None, "b"], "matchHostPK": None,
    "isPlayerHuman": [True, False],
}  # fmt: skip
"""A match as public servers keep it, with the nulls that some of them write."""


def wrong(**changes: Any) -> dict[str, Any]:
    return WALK | changes


def rules(place: Path) -> Path:
    (place / "walk").mkdir()
    (place / "walk" / "METADATA").write_text('{"rulesheet": "it.kif"}')
    (place / "walk" / "it.kif").write_text(GAME)
    return place / "walk"


def archived(place: Path, name: str) -> Path:
    """Two matches in an archive of some form."""
    second = wrong(matchId="2")
    if name == "folder":
        (place / name / "a").mkdir(parents=True)
        (place / name / "a" / "1.json").write_text(json.dumps(WALK, indent=1))
        (place / name / "b.json").write_text(json.dumps(second))
    elif name == "all.zip":
        with zipfile.ZipFile(place / name, "w") as archive:
            archive.writestr("1.json", json.dumps(WALK))
            archive.writestr("b.jsonl", json.dumps(second) + "\n")
    elif name == "list.json":
        (place / name).write_text(json.dumps([WALK, second], indent=1))
    else:
        lines = "".join(json.dumps({"url": f"http://matches.example/{n}/", "data": match}) + "\n"
                        for n, match in enumerate((WALK, second)))  # fmt: skip
        (place / name).write_bytes(gzip.compress(lines.encode()))
    return place / name


@pytest.mark.parametrize("name", ["folder", "all.zip", "list.json", "lines.jsonl.gz"])
def test_archives_of_every_form_have_the_same_matches(name: str, tmp_path: Path) -> None:
    found = list(entries(archived(tmp_path, name)))
    assert [entry.value for entry in found] == [WALK, wrong(matchId="2")]
    assert len({entry.origin for entry in found}) == 2


def test_what_is_no_match_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"a": 1}\n\nnothing\n[2, {"data": {}}]\n')
    assert list(entries(odd)) == [
        Entry(str(odd), {"a": 1}), Entry(f"{odd}:3", None), Entry(f"{odd}:4[0]", 2), Entry(f"{odd}:4[1]", {}),
    ]  # fmt: skip
    monkeypatch.setattr(matches, "LARGEST", 10)
    odd.write_text("[\n" + "1,\n" * 9)
    with pytest.raises(UsageError, match="and not a match a line"):
        list(entries(odd))
    with pytest.raises(UsageError, match="there is no such folder or file"):
        list(entries(tmp_path / "none.json"))


def imported(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[list[str], list[str]]:
    assert main(["import", "--matches", *map(str, arguments)]) == code
    told = capsys.readouterr()
    return told.out.splitlines(), told.err.splitlines()


def test_a_match_becomes_a_record_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive, place, to = archived(tmp_path, "lines.jsonl.gz"), rules(tmp_path), tmp_path / "records"
    out, err = imported(capsys, archive, "--rules", place, "--to", to)
    assert (out, err) == ([
        f"base.walk.1: verified, {to}/walk.base_walk_1.json, 2 joint moves",
        f"2: verified, {to}/walk.2.json, 2 joint moves",
        "taken: 2, known already: 0, not taken: 0",
    ], [])  # fmt: skip
    record = read_record(to / "walk.base_walk_1.json")
    assert record.states == ["((at 1))", "((at 2))", "((at 3))"]
    assert record.moves == [["stay", "(go 1)"], ["stay", "stay"]]
    assert (record.players, record.goals, record.rules) == (["", "b"], [30, 70], GAME)
    assert record.more["x-origin"] == "http://matches.example/0/"
    assert record.more["isPlayerHuman"] == [True, False] and "matchHostPK" not in record.more
    assert main(["replay", "--brief", str(to / "walk.2.json"), "--machine", "prolog"]) == 0
    capsys.readouterr()
    again = imported(capsys, archive, "--rules", place, "--to", to)[0]
    assert again[0] == f"base.walk.1: known already, {to}/walk.base_walk_1.json"
    assert again[-1] == "taken: 0, known already: 2, not taken: 0"
    ours = imported(capsys, to, "--to", tmp_path / "more")[0]  # records of ours bring their rules with them
    assert ours[-1] == "taken: 2, known already: 0, not taken: 0"


def test_what_the_rules_do_not_say_is_not_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        wrong(goalValues=[70, 30]),
        wrong(moves=[["stay", "( go 2 )"], ["stay", "stay"]]),
        wrong(states=["((at 1))", "((at 3))", "((at 3))"]),
        wrong(gameMetaURL="http://games.example/base/games/run/v0/"),
        wrong(moves=None),
        wrong(stateTimes=[7]),
        "nothing",
    ]
    archive = tmp_path / "wrong.json"
    archive.write_text(json.dumps(cases, indent=1))
    out, err = imported(capsys, archive, "--rules", rules(tmp_path), "--to", tmp_path / "records", code=1)
    reasons = [
        "goalValues: [70, 30], but the rules say [30, 70]",
        "moves[0]: (go 2) is not legal for y",
        "states[1]: not what the rules say",
        "no rules for 'run'; --rules names where they are",
        "moves is missing",
        "stateTimes: 1 of them, but 2 moves need 3",
        "a record is an object of JSON",
    ]
    assert len(err) == len(reasons)
    for line, reason in zip(err, reasons, strict=True):
        assert reason in line
    assert out == ["taken: 0, known already: 0, not taken: 7"]
    assert not (tmp_path / "records").exists()


def test_another_match_of_the_same_name_is_kept_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = tmp_path / "two.json"
    archive.write_text(json.dumps([WALK, wrong(randomToken="ponmlkjihgfedcba")]))
    imported(capsys, archive, "--rules", rules(tmp_path), "--to", tmp_path)
    assert read_record(tmp_path / "walk.base_walk_1.2.json").random_token == "ponmlkjihgfedcba"


def test_many_games_take_few_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "_MACHINES", 1)
    (tmp_path / "tiny.kif").write_text(TINY)
    tiny = wrong(
        gameMetaURL="http://games.example/base/games/tiny/v0/", states=["((on 1))", "((on 2))"], moves=[["wait"]],
        stateTimes=[1000, 1001], goalValues=[100], playerNamesFromHost=["a"], isPlayerHuman=[False],
    )  # fmt: skip
    archive = tmp_path / "mixed.jsonl"
    archive.write_text(
        "".join(json.dumps({**match, "matchId": f"m{n}"}) + "\n" for n, match in enumerate((WALK, tiny) * 2))
    )
    out, _ = imported(
        capsys, archive, "--rules", rules(tmp_path), "--rules", tmp_path / "tiny.kif", "--to", tmp_path / "r"
    )
    assert out[-1] == "taken: 4, known already: 0, not taken: 0"


def test_rules_are_for_matches_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "x.zip", "--rules", "y.zip"]) == 2
    assert "--rules is for --matches" in capsys.readouterr().err

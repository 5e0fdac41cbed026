"""Records as JSON: what is written is read again, what is no record is refused with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ggp.core.errors import RecordError
from ggp.match.record import Record, parse_record, state_text
from tests.helpers import terms


def record(**more: Any) -> Record:
    """A record of one step."""
    values: dict[str, Any] = {
        "match_id": "tiny.1",
        "start_time": 1_500_000_000_000,
        "random_token": "abcdefghijkl",
        "start_clock": 5,
        "play_clock": 2,
        "game_url": "http://games.example/base/games/tiny/v3/",
        "states": ["((on 1))", "((on 2))"],
        "moves": [["wait"]],
        "state_times": [1_500_000_000_001, 1_500_000_000_002],
        "errors": [[""]],
        "players": ["somebody"],
    }
    return Record(**values | more)


def changed(**keys: Any) -> str:
    """The JSON of a record with some keys changed; those set to Ellipsis are left out."""
    value = record().as_json() | keys
    return json.dumps({key: item for key, item in value.items() if item is not ...})


def test_what_is_written_is_read_again() -> None:
    written = record(is_completed=True, goals=[100], more={"x-seed": 7, "weight": 0.5, "previewClock": 3})
    assert parse_record(written.text()) == written
    assert parse_record(written.text()).text() == written.text()


def test_required_keys_and_those_of_an_unfinished_match() -> None:
    value = json.loads(record().text())
    required = ["matchId", "startTime", "randomToken", "startClock", "playClock", "gameMetaURL", "states", "moves"]
    assert {*required, "stateTimes"} <= value.keys()
    assert "goalValues" not in value
    assert value["isCompleted"] is value["isAborted"] is False
    assert None not in value.values()


def test_one_line_for_each_element() -> None:
    lines = record().text().splitlines()
    assert '  "((on 1))",' in lines
    assert '  ["wait"]' in lines


def test_states_hold_no_true() -> None:
    assert state_text(terms("(cell 1 1 b)", "(control x)")) == "((cell 1 1 b) (control x))"
    assert state_text(()) == "()"


def test_names_and_counts() -> None:
    assert record().game == "tiny"
    assert record(more={"x-game": "mine"}).game == "mine"
    assert record(game_url="").game == ""
    assert record(errors=[["TO"]]).faults == 1
    assert [record().ending, record(is_aborted=True).ending] == ["partial", "aborted"]
    assert record(is_completed=True).ending == "completed"


def test_a_record_of_another_server_is_read() -> None:
    text = changed(errors=..., isCompleted=..., isAborted=..., playerNamesFromHost=..., analysisClock=-1)
    read = parse_record(text)
    assert (read.errors, read.players, read.more) == ([], [], {"analysisClock": -1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "r:1:1: this is no JSON"),
        ('{"matchId": "x",\n oops}', "r:2:2: this is no JSON"),
        ("[]", "r: a record is an object, not []"),
        ('{"x-a": NaN}', "r: NaN is no value of JSON"),
        ("[" * 100_000, "r: lists are nested too deep"),
        ('{"startTime": ' + "1" * 5000 + "}", "r: Exceeds the limit"),
        (changed(matchId=...), "r: matchId is missing"),
        (changed(states=...), "r: states is missing"),
        (changed(startClock="5"), 'r: startClock: a number was expected, not "5"'),
        (changed(startTime=True), "r: startTime: a whole number was expected, not true"),
        (changed(moves=[["wait"], "wait"]), 'r: moves[1]: a list was expected, not "wait"'),
        (changed(moves=[[1]]), "r: moves[0][0]: a text was expected, not 1"),
        (changed(states={"0": "x"}), 'r: states: a list was expected, not {"0": "x"}'),
        (changed(stateTimes=[1.5, 2]), "r: stateTimes[0]: a whole number was expected, not 1.5"),
        (changed(isCompleted=1), "r: isCompleted: true or false was expected, not 1"),
        (changed(goalValues=None), "r: goalValues: null, which records do not hold"),
        (changed(**{"x-more": [{"a": None}]}), "r: x-more[0].a: null, which records do not hold"),
    ],
)
def test_what_is_no_record_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(text, "r")
    assert message in str(caught.value)

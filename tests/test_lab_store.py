"""The results file: what is kept, what is torn, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.core.errors import UsageError
from ggp.lab.plan import Job
from ggp.lab.store import FILE, Store, read

HEADER = {"experiment": "dice", "plan": 1, "settings": {"jobs": 2}, "games": {"nim": "abc"}}
JOBS = [Job(f"job/{i}", "dice", {"seed": i}) for i in range(3)]


def fill(folder: Path) -> Path:
    with Store(folder, HEADER) as store:
        for job in JOBS[:2]:
            store.add(job, [1, 2.5, "ö"], "0.1.0", 0.25)
    return folder / FILE


def test_results_come_back_with_all_that_repeats_them(tmp_path: Path) -> None:
    fill(tmp_path)
    stored = read(tmp_path)
    assert stored.header == HEADER
    assert not stored.torn
    result = stored.results["job/1"]
    assert (result.value, result.work, result.version, result.seconds) == ([1, 2.5, "ö"], {"seed": 1}, "0.1.0", 0.25)


def test_more_results_are_appended(tmp_path: Path) -> None:
    path = fill(tmp_path)
    before = path.read_bytes()
    with Store(tmp_path, HEADER) as store:
        assert sorted(store.results) == ["job/0", "job/1"]
        store.add(JOBS[2], 3, "0.1.0", 1)
    assert path.read_bytes().startswith(before)
    assert sorted(read(tmp_path).results) == ["job/0", "job/1", "job/2"]


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_last_line_is_dropped_and_nothing_else(tmp_path: Path, cut: int) -> None:
    path = fill(tmp_path)
    path.write_bytes(path.read_bytes()[:-cut])
    stored = read(tmp_path)
    assert stored.torn
    assert sorted(stored.results) == ["job/0"]
    with Store(tmp_path, HEADER) as store:
        assert store.torn
        store.add(JOBS[1], 7, "0.1.0", 1)
    assert {key: result.value for key, result in read(tmp_path).results.items()} == {"job/0": [1, 2.5, "ö"], "job/1": 7}


def test_a_torn_header_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b'{"experiment":"di')
    with Store(tmp_path, HEADER) as store:
        assert store.results == {}
    assert read(tmp_path).header == HEADER


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\x00\x00\n", r"results.jsonl:2: not a result: "),
        (b"[1]\n", r"results.jsonl:2: not a result, but '\[1\]'"),
        (b'{"key":"a"}\n', r"results.jsonl:2: not a result: 'work' is missing"),
        (b'{"key":"a","work":{},"version":"1","seconds":1}\n', r"results.jsonl:2: the result has no value"),
    ],
)
def test_unreadable_lines_are_told_with_their_place(tmp_path: Path, line: bytes, message: str) -> None:
    path = fill(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], line, *lines[2:]]))
    with pytest.raises(UsageError, match=message):
        read(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"experiment": "hex"}, "results of 'dice', not of 'hex'"),
        ({"plan": 2}, "made by version 1 of the plan of 'dice', which is now at version 2"),
        ({"settings": {"jobs": 9}}, "begun with other settings \\(jobs: 2 there, 9 here\\)"),
        ({"games": {"nim": "def"}}, "begun for other rules of games \\(nim: abc there, def here\\)"),
    ],
)
def test_results_of_something_else_are_not_mixed_in(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = fill(tmp_path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=message):
        Store(tmp_path, {**HEADER, **change})
    assert path.read_bytes() == before


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    with Store(tmp_path, HEADER), pytest.raises(UsageError, match="another run is writing"):
        Store(tmp_path, HEADER)
    Store(tmp_path, HEADER).close()


def test_no_results(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no results in"):
        read(tmp_path / "nowhere")

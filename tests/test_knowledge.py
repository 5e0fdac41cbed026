"""Bases of knowledge on disk: what is learned is found, whoever is killed, whatever is torn, however full the disk is."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.core.errors import KnowledgeError
from ggp.knowledge.base import Base, open_base, read_header
from ggp.knowledge.records import Records, are_empty, are_sound, confidence, distinct, kind, know_more, signed
from ggp.knowledge.table import FullError, enter, find
from tests.helpers import ROOT, started
from tests.knowledge_records import GAME, some


def everything(base: Base) -> list[bytes]:
    """All records of a base."""
    return sorted(record.tobytes() for part in base.parts() for record in part)


def as_kept(records: Records) -> list[bytes]:
    return sorted(record.tobytes() for record in signed(distinct(records.copy())))


def assert_known(base: Base, records: Records) -> None:
    known, found = base.find(records["key"])
    assert known.all() and (found["visits"] >= records["visits"]).all() and are_sound(found).all()


@pytest.fixture
def base(tmp_path: Path) -> Base:
    return Base(tmp_path / "some.knowledge", GAME, 2, "a game")


# ---- records and tables -----------------------------------------------------------------------------------------------

FEW = st.lists(
    st.tuples(st.integers(1, 5), st.integers(0, 1), st.integers(1, 4), st.integers(0, 3), st.sampled_from([0, 50, 100])),
    max_size=30,
)


def made(rows: Sequence[tuple[int, int, int, int, int]]) -> Records:
    """Records of few positions, all of which begin at the same place of a table."""
    records = np.zeros(len(rows), kind(2))
    for record, (key, proven, visits, length, goal) in zip(records, rows, strict=True):
        record["key"], record["proven"], record["visits"] = (0, key), proven, visits
        record["length"], record["goals"] = length * proven, (goal, 100 - goal)
    return records


@settings(max_examples=25)
@given(FEW, st.randoms(use_true_random=False))
def test_bases_can_be_merged_in_any_order_and_any_number_of_times(rows: Any, dice: random.Random) -> None:
    records, tables = made(rows), []
    for _ in range(2):
        table = np.zeros(64, kind(2))
        for _ in range(2):
            order = dice.sample(range(len(rows)), len(rows))
            cut = dice.randint(0, len(rows))
            for part in (order[:cut], order[cut:]):
                enter(table, signed(distinct(records[part])))
        tables.append(sorted(record.tobytes() for record in table[~are_empty(table)]))
    assert tables[0] == tables[1] == as_kept(records)


@settings(max_examples=25)
@given(FEW)
def test_of_two_records_one_knows_more_unless_they_are_equal(rows: Any) -> None:
    records = made([(1, *rest) for _, *rest in rows])
    for a, b in itertools.product(range(len(rows)), repeat=2):
        one, other = records[a : a + 1], records[b : b + 1]
        assert int(know_more(one, other)[0]) + int(know_more(other, one)[0]) == (one.tobytes() != other.tobytes())


def test_what_knows_more() -> None:
    guess, larger, proof, shorter = made([(1, 0, 2, 0, 50), (1, 0, 3, 0, 0), (1, 1, 1, 3, 100), (1, 1, 1, 2, 100)])
    best = distinct(np.array([shorter, guess, proof, larger]))
    assert best.tobytes() == shorter.tobytes()
    assert distinct(np.array([larger, guess]))["visits"] == 3


def test_a_table_may_be_full_but_never_wrong() -> None:
    table, records = np.zeros(16, kind(1)), signed(some(16, roles=1))
    assert enter(table, records) == 16 and enter(table, records) == 0
    known, found = find(table, records["key"], 16)
    assert known.all() and (found == records).all()
    assert not find(table, some(5, seed=2, roles=1)["key"], 16)[0].any()
    with pytest.raises(FullError):
        enter(table, signed(some(1, seed=2, roles=1)))


def test_the_confidence_is_that_of_the_paper() -> None:
    records = made([(1, 0, 4, 0, 50), (2, 1, 4, 2, 100)])
    records["tried"] = 3
    assert confidence(records, 0, 100).tolist() == [0.75 + 0.5, 2.0] and confidence(records, 1, 100)[1] == 1.0


@pytest.mark.parametrize("roles", [1, 2, 3, 4, 7])
def test_records_are_whole_words_without_gaps(roles: int) -> None:
    assert kind(roles).itemsize % 8 == 0
    assert sum(kind(roles)[name].itemsize for name in kind(roles).names or ()) == kind(roles).itemsize


# ---- the file ---------------------------------------------------------------------------------------------------------


def test_what_is_learned_is_found_by_all_who_have_the_file_open(base: Base) -> None:
    other = Base(base.path, GAME, 2)
    assert len(other) == 0 and not other.find(some(1)["key"])[0].any()
    for seed in range(4):  # the file grows meanwhile
        records = some(3000, seed)
        assert (base.learn(records), base.learn(records)) == (3000, 0)
        assert_known(other, records)
    assert (len(other), other.content().records, other.content().torn) == (12_000, 12_000, 0)
    header = read_header(base.path)
    assert header is not None and (header.game, header.roles, header.name) == (GAME, 2, "a game")
    assert open_base(base.path).game == GAME


def test_the_base_of_another_game_or_version_is_refused_and_left_alone(base: Base) -> None:
    base.learn(some(5))
    with pytest.raises(KnowledgeError, match=r"some\.knowledge: this is the base of another game, a game"):
        Base(base.path, "cd" * 32, 2).learn(some(1))
    raw = base.path.read_bytes()
    newer = bytearray(raw[:160])
    newer[8] = 9
    plain = bytes(newer[: len(newer)])[: 8 + 4 + 4 + 8 + 64 + 64]
    base.path.write_bytes(plain + hashlib.sha256(plain).digest() + raw[len(plain) + 32 :])
    for action in (lambda: base.learn(some(1)), lambda: Base(base.path, GAME, 2).find(some(1)["key"])):
        with pytest.raises(KnowledgeError, match="version 9 of the format, and this program knows version 1"):
            action()
    assert base.path.stat().st_size == len(raw)


@settings(max_examples=25)
@given(st.integers(0, 4096 + 4096 * 56), st.integers(0, 3))
def test_of_a_torn_file_all_is_kept_that_is_sound(cut: int, flips: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Base(Path(folder) / "some.knowledge", GAME, 2)
        records = some(500)
        base.learn(records)
        raw = bytearray(base.path.read_bytes()[:cut])
        for flip in range(flips):
            if raw:
                raw[(cut * (flip + 7919)) % len(raw)] ^= 64
        base.path.write_bytes(raw)
        table = np.frombuffer(raw[4096 : 4096 + (max(0, len(raw) - 4096) // 56) * 56], kind(2))
        sound = table[are_sound(table)]
        again = Base(base.path, GAME, 2)
        assert everything(again) == sorted(record.tobytes() for record in sound)
        again.learn(some(1, seed=2))
        again.prepare()
        assert again.is_whole and again.content().records == len(sound) + 1
        assert_known(again, sound)


def test_a_torn_record_hides_no_other(base: Base) -> None:
    records = made([(number, 0, 2, 0, 50) for number in range(1, 20)])
    base.learn(records)
    with base.path.open("r+b") as stream:
        stream.seek(4096 + 56 * 3 + 30)
        stream.write(b"torn")
    known, _ = base.find(records["key"])
    assert known.sum() == 18 and base.content().torn == 1
    base.learn(records)
    assert_known(base, records)


# ---- processes --------------------------------------------------------------------------------------------------------


def writer(path: Path, *numbers: int, limit: int = 0) -> list[Any]:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n" if limit else ""
    code = f"{limited}from tests.knowledge_records import main; main()"
    return [sys.executable, "-c", code, path, *map(str, numbers)]


@pytest.mark.parametrize("batches", [20])
def test_who_is_killed_in_mid_write_loses_nothing_that_was_acknowledged(base: Base, batches: int) -> None:
    with started(writer(base.path, 0, 100_000, 300), stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        for _ in range(batches):
            last = int(process.stdout.readline())
        process.kill()
        process.wait()
    for number in range(last + 1):
        assert_known(base, some(300, seed=number))
    assert base.content().torn <= 1
    base.learn(some(10_000, seed=-batches % 2**32))
    assert_known(base, some(300, seed=last))
    assert [path for path in base.path.parent.iterdir() if path.suffix == ".new"] == []


def test_two_writers_at_once_do_not_harm_each_other(base: Base) -> None:
    first, second = writer(base.path, 0, 20, 400), writer(base.path, 10, 20, 400)
    with started(first, cwd=ROOT) as one, started(second, cwd=ROOT) as two:
        assert (one.wait(60), two.wait(60)) == (0, 0)
    assert len(base) == base.content().records == 30 * 400 and base.content().torn == 0
    for number in range(30):
        assert_known(base, some(400, seed=number))


def test_on_a_full_disk_what_was_learned_stays(base: Base) -> None:
    limit = 4096 + 8192 * 56  # one growth more is too much
    command = writer(base.path, 0, 100, 400, limit=limit)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1 and f"{base.path}: nothing more can be kept: File too large" in done.stderr
    batches = len(done.stdout.split())
    assert 10 < batches < 15 and len(base) == 400 * batches == base.content().records
    assert sorted(path.suffix for path in base.path.parent.iterdir()) == [".knowledge", ".lock"]
    base.learn(some(400, seed=batches))  # there is room again


@pytest.mark.slow
def test_ten_million_positions_open_at_once_and_stay_on_disk(base: Base) -> None:
    for number in range(40):
        base.learn(some(250_000, seed=number))
    assert len(base) == 10_000_000
    code = """
import os, sys, time
import numpy as np
from pathlib import Path
from ggp.knowledge.base import Base
from tests.knowledge_records import GAME, some
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
keys = some(250_000, seed=39)["key"][:1000]
before, begun = resident(), time.process_time()
base = Base(Path(sys.argv[1]), GAME, 2)
known, _ = base.find(keys[:1])
taken = time.process_time() - begun
for i in range(1000):
    assert base.find(keys[i : i + 1])[0].all()
print(taken, resident() - before)
"""
    for _ in range(3):
        command = [sys.executable, "-c", code, str(base.path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
        taken, memory = map(float, done.stdout.split())
        assert taken < 0.05 and memory < base.path.stat().st_size / 4, (taken, memory)


def test_looking_up_takes_a_place_or_two_of_the_file(base: Base) -> None:
    base.learn(some(20_000))
    keys = some(20_000)["key"]
    begun = time.process_time()
    for number in range(300):
        assert base.find(keys[number : number + 1])[0].all()
    assert (time.process_time() - begun) / 300 < 0.002  # a scan of the file takes ten times as long


def test_nobody_else_may_read_what_was_learned(base: Base) -> None:
    base.learn(some(1))
    assert base.path.stat().st_mode & 0o077 == 0
    os.chmod(base.path, 0o400)
    assert Base(base.path, GAME, 2).find(some(1)["key"])[0].all()

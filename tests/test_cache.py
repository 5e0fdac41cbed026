"""The cache on disk: what is wrong with a file, a folder or a disk costs an entry, and never more."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

import pytest

from ggp.core import cache as module
from ggp.core.cache import Cache, Content, cache, version
from tests.helpers import started


@pytest.fixture
def kept(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "kept", limit=1 << 20, version="1")


def got(kept: Cache, key: str) -> bytes | None:
    found = kept.get(key)
    return None if found is None else bytes(found)


def files(kept: Cache) -> list[Path]:
    assert kept.folder is not None
    return sorted(kept.folder.iterdir()) if kept.folder.exists() else []


def test_what_was_put_is_got(kept: Cache) -> None:
    assert got(kept, "a") is None
    kept.put("a", [b"one", b"two"])
    kept.put("b", [b""])
    assert (got(kept, "a"), got(kept, "b"), got(kept, "c")) == (b"onetwo", b"", None)
    kept.put("a", [b"three"])
    assert got(kept, "a") == b"three"
    assert kept.content().entries == len(files(kept)) == 2 and kept.problem == ""


def test_the_folder_is_for_its_user_alone(kept: Cache) -> None:
    kept.put("a", [b"one"])
    assert kept.folder is not None
    assert (kept.folder.stat().st_mode & 0o777, files(kept)[0].stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize("cut", [0, 7, 111, 112, 150])
def test_a_torn_file_is_removed(kept: Cache, cut: int) -> None:
    kept.put("a", [b"x" * 100])
    os.truncate(files(kept)[0], cut)
    assert got(kept, "a") is None
    assert files(kept) == []


@pytest.mark.parametrize("at", [0, 10, 40, 73, 90, 112, 211])
def test_a_flipped_bit_is_noticed(kept: Cache, at: int) -> None:
    kept.put("a", [b"x" * 100])
    whole = bytearray(files(kept)[0].read_bytes())
    whole[at] ^= 16
    files(kept)[0].write_bytes(whole)
    assert got(kept, "a") is None
    assert files(kept) == []


def test_more_than_the_content_is_noticed_as_well(kept: Cache) -> None:
    kept.put("a", [b"x"])
    with files(kept)[0].open("ab") as stream:
        stream.write(b"y")
    assert got(kept, "a") is None


def test_another_version_finds_nothing_and_harms_nothing(kept: Cache) -> None:
    kept.put("a", [b"one"])
    other = Cache(kept.folder, version="2")
    assert got(other, "a") is None
    other.put("a", [b"two"])
    assert (got(kept, "a"), got(other, "a")) == (b"one", b"two")


def test_an_entry_in_the_place_of_another_is_none(kept: Cache) -> None:
    kept.put("a", [b"one"])
    (a,) = files(kept)
    kept.put("b", [b"two"])
    (b,) = set(files(kept)) - {a}
    os.replace(b, a)
    assert got(kept, "a") is None
    other = Cache(kept.folder, version="2")
    kept.put("a", [b"one"])
    other.put("a", [b"two"])
    (theirs,) = set(files(kept)) - {a}
    os.replace(theirs, a)
    assert got(kept, "a") is None


def test_the_least_recently_used_entries_go_first(kept: Cache) -> None:
    for name in "abcde":
        kept.put(name, [bytes(200_000)])
        for file in files(kept):
            os.utime(file, (file.stat().st_mtime - 100,) * 2)
    assert got(kept, "a") is not None  # used just now
    kept.put("f", [bytes(200_000)])
    assert [name for name in "abcdef" if kept.get(name) is not None] == ["a", "c", "d", "e", "f"]
    assert kept.content().bytes <= kept.limit


def test_an_entry_that_would_fill_the_cache_is_not_kept(kept: Cache) -> None:
    kept.put("a", [bytes(200_000), bytes(100_000)])
    assert files(kept) == []


def test_files_of_others_are_left_alone_and_those_of_killed_writers_go(kept: Cache) -> None:
    kept.put("a", [b"one"])
    assert kept.folder is not None
    foreign, dead, alive = kept.folder / "notes.txt", kept.folder / "dead.new", kept.folder / "alive.new"
    for file in (foreign, dead, alive):
        file.write_bytes(b"x")
    for file in (foreign, dead):
        os.utime(file, (time.time() - 3600,) * 2)
    kept.put("b", [b"two"])
    assert foreign.exists() and alive.exists() and not dead.exists()
    kept.clear()
    assert files(kept) == [foreign] and kept.content() == Content(0, 0)


def test_a_writer_that_is_killed_leaves_the_old_entry(kept: Cache) -> None:
    kept.put("a", [b"old"])
    code = (
        "import sys; from pathlib import Path; from ggp.core.cache import Cache\n"
        "def parts():\n"
        "    yield bytes(100_000)\n"
        "    print('writing', flush=True)\n"
        "    sys.stdin.read()\n"
        "kept = Cache(Path(sys.argv[1]), version='1')\n"
        "kept._header = lambda key, _: bytes(112)\n"
        "kept._write(kept.folder, 'a', parts())\n"
    )
    command = [sys.executable, "-c", code, kept.folder]
    with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        writer.send_signal(signal.SIGKILL)
    assert len(files(kept)) == 2
    assert got(kept, "a") == b"old"
    kept.put("b", [b"new"])
    assert (got(kept, "a"), got(kept, "b")) == (b"old", b"new")


def test_a_writer_that_is_interrupted_leaves_nothing(kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.put("a", [b"old"])

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.put("a", [b"new"])
    assert got(kept, "a") == b"old" and len(files(kept)) == 1


def write_again_and_again(folder: Path, letter: str, until: float) -> None:
    kept = Cache(folder, limit=1 << 20, version="1")
    while time.monotonic() < until:
        kept.put("same", [letter.encode() * 100_000])
        kept.put(letter, [letter.encode() * 200_000])
    assert kept.problem == ""


def test_two_writers_and_a_reader_never_see_half_an_entry(kept: Cache) -> None:
    until = time.monotonic() + 1.5
    context = multiprocessing.get_context("spawn")
    assert kept.folder is not None
    kept.put("same", [b"a" * 100_000])
    writers = [context.Process(target=write_again_and_again, args=(kept.folder, letter, until)) for letter in "ab"]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        found = got(kept, "same")
        assert found in (b"a" * 100_000, b"b" * 100_000)
        seen.add(found)
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert [file for file in files(kept) if file.suffix != ".entry"] == []


def test_a_full_disk_costs_one_warning(
    kept: Cache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept.put("a", [b"old"])

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(tempfile, "mkstemp", full)
        for _ in range(3):
            kept.put("b", [b"new"])
    assert [record.getMessage() for record in caplog.records] == [
        f"nothing more is kept in {kept.folder}: No space left on device"
    ]
    assert kept.problem == "No space left on device"
    assert (got(kept, "a"), got(kept, "b"), len(files(kept))) == (b"old", None, 1)


def test_a_file_that_may_not_grow_leaves_nothing_behind(kept: Cache) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        kept.put("a", [bytes(100_000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (kept.problem, files(kept), got(kept, "a")) == ("File too large", [], None)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_not_trusted(
    kept: Cache, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    kept.put("a", [b"one"])
    assert kept.folder is not None
    kept.folder.chmod(mode)
    assert got(kept, "a") is None
    kept.put("b", [b"two"])
    assert got(kept, "b") is None and len(files(kept)) == 1
    assert len(caplog.records) == 1 and "others may write to it" in kept.problem


def test_a_folder_or_file_of_somebody_else_is_not_trusted(kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.put("a", [b"one"])
    (file,) = files(kept)
    file.chmod(0o620)
    assert got(kept, "a") is None and file.exists()
    file.chmod(0o600)
    assert got(kept, "a") == b"one"
    file.rename(file.with_suffix(".elsewhere"))
    file.symlink_to(file.with_suffix(".elsewhere"))
    assert got(kept, "a") is None
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert got(kept, "a") is None and "somebody else" in kept.problem


@pytest.mark.parametrize("place", ["/proc/none/kept", "/dev/null", "/dev/null/kept"])
def test_a_folder_that_cannot_be_made_costs_one_warning(place: str, caplog: pytest.LogCaptureFixture) -> None:
    kept = Cache(Path(place), version="1")
    for _ in range(2):
        assert got(kept, "a") is None
        kept.put("a", [b"one"])
        assert kept.content() == Content(0, 0)
    kept.clear()
    assert len(caplog.records) == 1 and kept.problem


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path))
    assert cache().folder == tmp_path and cache() is cache()
    monkeypatch.setenv("GGP_CACHE", "off")
    assert cache().folder is None
    cache().put("a", [b"one"])
    assert cache().get("a") is None and cache().look() == "" and cache().content() == Content(0, 0)
    monkeypatch.delenv("GGP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache().folder == tmp_path / "ggp"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache().folder == tmp_path / "home" / ".cache" / "ggp"
    assert not caplog.records

    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    assert cache().folder is None and len(caplog.records) == 1


def test_what_is_wrong_with_a_folder_is_seen_before_anything_is_kept(tmp_path: Path) -> None:
    assert Cache(tmp_path / "new", version="1").look() == ""
    assert list(tmp_path.iterdir()) == []
    assert Cache(Path("/dev/null/kept"), version="1").look() == "nobody may write to /dev/null"


def test_the_version_tells_processors_packages_and_sources_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    one = version()
    assert one == version() and len(one) == 64
    changes: list[tuple[object, str, object]] = [
        (platform, "machine", lambda: "other"),
        (metadata, "version", lambda _: "0.0"),
        (module, "_SOURCES", ("gdl",)),
        (module, "_STARTED", 0.0),
    ]
    for place, name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, value)
            version.cache_clear()
            assert version() != one
    version.cache_clear()
    assert version() == one

"""Records on disk: complete at any moment, never overwritten, and not lost when a disk is full."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ggp.core.errors import UsageError
from ggp.match.recorder import RecordFile, record_path
from tests.helpers import started


def left_over(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_where_a_record_goes(tmp_path: Path) -> None:
    assert record_path(tmp_path, "m.1") == tmp_path / "m.1.json"
    assert record_path(tmp_path / "new", "m.1") == tmp_path / "new" / "m.1.json"
    assert record_path(tmp_path / "mine.json", "m.1") == tmp_path / "mine.json"


def test_each_version_replaces_the_one_before(tmp_path: Path) -> None:
    warnings: list[str] = []
    file = RecordFile(tmp_path / "new" / "m.json", warnings.append)
    file.create("first")
    assert file.path.read_text() == "first"
    file.replace("second")
    assert file.path.read_text() == "second"
    assert file.close() == file.path
    assert left_over(tmp_path / "new") == ["m.json"]
    assert warnings == []


def test_a_record_is_never_overwritten(tmp_path: Path) -> None:
    taken = tmp_path / "m.json"
    taken.write_text("mine")
    with pytest.raises(UsageError, match="is there already, and records are not overwritten"):
        RecordFile(taken, print).create("other")
    assert taken.read_text() == "mine"
    assert left_over(tmp_path) == ["m.json"]


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    RecordFile(tmp_path / "m.json", print).create("first")
    assert (tmp_path / "m.json").read_text() == "first"
    with pytest.raises(UsageError, match="is there already"):
        RecordFile(tmp_path / "m.json", print).create("other")


def test_a_place_that_cannot_be_written_is_told_before_the_match(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "m.json", Path("/proc/nowhere/m.json")):
        with pytest.raises(UsageError, match=str(place.parent)):
            RecordFile(place, print).create("text")


def test_a_disk_that_is_full_for_a_while_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    file = RecordFile(tmp_path / "m.json", warnings.append)
    file.create("first")
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", full_disk)
        file.replace("second")
        file.replace("third")
    assert file.path.read_text() == "first"
    assert left_over(tmp_path) == ["m.json"]
    assert len(warnings) == 1 and "No space left on device; the match goes on" in warnings[0]
    assert file.close() == file.path
    assert file.path.read_text() == "third"


def test_a_disk_that_stays_full_leaves_the_record_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    file = RecordFile(tmp_path / "m.json", warnings.append)
    file.create("first")
    monkeypatch.setattr(os, "fsync", full_disk)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    file.replace("second")
    rescued = file.close()
    assert rescued is not None and rescued != file.path
    assert rescued.read_text() == "second"
    assert file.path.read_text() == "first"
    assert str(rescued) in warnings[-1]


def full_disk(_: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_real_limit_on_the_size_of_files(tmp_path: Path) -> None:
    code = f"""
        import resource
        from pathlib import Path
        from ggp.match.recorder import RecordFile
        file = RecordFile(Path({str(tmp_path)!r}) / "m.json", print)
        file.create("small")
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        file.replace("x" * 5000)
        file.replace("grown")
        assert file.close() == file.path
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "File too large; the match goes on" in done.stdout
    assert (tmp_path / "m.json").read_text() == "grown"
    assert left_over(tmp_path) == ["m.json"]


def test_a_process_killed_while_it_writes_leaves_a_complete_version(tmp_path: Path) -> None:
    code = f"""
        import sys
        from pathlib import Path
        from ggp.match.recorder import RecordFile
        file = RecordFile(Path({str(tmp_path)!r}) / "m.json", print)
        file.create("0 " * 100_000)
        print("writing", flush=True)
        for number in range(1, 100_000):
            file.replace(f"{{number}} " * 100_000)
    """
    with started([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        for _ in range(20):
            words = (tmp_path / "m.json").read_text().split()
            assert len(words) == 100_000 and len(set(words)) == 1
        process.send_signal(signal.SIGKILL)
    words = (tmp_path / "m.json").read_text().split()
    assert len(words) == 100_000 and len(set(words)) == 1

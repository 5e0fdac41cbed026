"""Sources: files that cannot be read, encodings, places and carets."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import Source, UnreadableError, check, parse
from gdl.problems import Law


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways(ending: str) -> None:
    source = Source(f"one{ending}two{ending}{ending}four", "f")
    assert [str(source.place(source.text.index(word))) for word in ("one", "two", "four")] == ["f:1:1", "f:2:1", "f:4:1"]
    assert source.excerpt(source.text.index("wo")) == "    two\n     ^"


def test_places_outside_the_text_are_its_ends() -> None:
    source = Source("ab\n")
    assert (source.place(-1).line, source.place(-1).column) == (1, 1)
    assert (source.place(99).line, source.place(99).column) == (2, 1)
    assert Source("").excerpt(0) == "    \n    ^"


def test_a_long_line_is_cut_around_its_caret() -> None:
    source = Source("x" * 5000 + "HERE" + "y" * 5000)
    line, caret = source.excerpt(5000).split("\n")
    assert len(line) < 120
    assert line[caret.index("^") :].startswith("HERE")


def test_control_characters_are_not_printed() -> None:
    assert Source("a\x1b[31mb\tc").excerpt(0) == "    a [31mb c\n    ^"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "bom.kif"
    path.write_bytes(b"\xef\xbb\xbf(role me)")
    assert Source.read(path).text == "(role me)"


def test_a_text_that_is_not_utf_8_is_read_as_latin_1_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "latin.kif"
    path.write_bytes("; caf\xe9\n(role me)".encode("latin-1"))
    source = Source.read(path)
    assert source.text.startswith("; café")
    assert any(p.law is Law.CHARACTERS and not p.is_error for p in check(parse(source)).problems)


@pytest.mark.parametrize("data", [b"\0", b"(role me)\0", bytes(range(256)) * 40])
def test_a_binary_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "binary.kif"
    path.write_bytes(data)
    with pytest.raises(UnreadableError, match=f"zero byte at offset {data.index(0)}"):
        Source.read(path)


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="No such file"):
        Source.read(tmp_path / "missing.kif")
    with pytest.raises(UnreadableError, match="Is a directory"):
        Source.read(tmp_path)
    with pytest.raises(UnreadableError, match="File name too long"):
        Source.read("x" * 5000)

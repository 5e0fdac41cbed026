"""The site of the documents is built without a warning, a dead link, or a list that became a paragraph."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.commands import COMMANDS
from ggp.core.library import library
from tests import docs_site
from tests.docs_site import SiteError, build, commands_page, faults, game_page, moved, rows
from tests.helpers import ROOT

PLACES = {"README.md": "index.md", "docs/web.md": "web.md", "docs/reports/hex.md": "reports/hex.md"}


def test_links_are_those_of_the_site() -> None:
    text = "[a](docs/web.md#keys), [b](https://example.org/x)\n```\n[c](nowhere.md)\n```\n"
    assert moved(text, "README.md", PLACES) == text.replace("docs/web.md", "web.md")
    assert moved("[a](../web.md) [b](#here)", "docs/reports/hex.md", PLACES) == "[a](../web.md) [b](#here)"
    assert moved("[a](../README.md)", "docs/web.md", PLACES) == "[a](index.md)"


def test_a_link_to_nothing_is_told_with_its_place() -> None:
    with pytest.raises(SiteError, match=r"docs/web\.md: \.\./gone\.md leads to gone\.md"):
        moved("[a](../gone.md)", "docs/web.md", PLACES)


def test_every_document_is_in_the_navigation() -> None:
    pages = {page for page in docs_site.pages().values() if page.endswith(".md") and not page.startswith("reports/")}
    listed = {page for part in docs_site.NAVIGATION.values() for page in part}
    assert pages | {"commands.md"} == listed | {"index.md", "changelog.md"}


def test_numbers_of_games_are_those_of_the_documents() -> None:
    played, made = rows("bench.md"), rows("compile.md")
    game = next(game for game in library() if game.name == "connect_four")
    text = game_page(game, played["connect_four"], made["connect_four"])
    assert f"| Gates of its circuit | {played['connect_four']['gates']} |" in text
    assert f"| Seconds to the last | {made['connect_four']['last']} |" in text
    assert "| Perft | 7, 49, 343, 2,401, 16,807, 117,649, 823,536 |" in text


def test_all_commands_are_on_their_page() -> None:
    text = commands_page()
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == list(COMMANDS)


def test_faults_of_pages_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#x">1</a><a href="c.html">2</a><a id="y"/><a href="#y">3</a>')
    (tmp_path / "b.html").write_text("<p>These:\n- one\n- two</p><p>fine</p>")
    assert list(faults(tmp_path)) == [
        "a.html: b.html#x names a place that is not there",
        "a.html: dead link c.html",
        "b.html: a list became a paragraph: - one",
        "b.html: a list became a paragraph: - two",
    ]


@pytest.mark.slow
def test_the_whole_site_is_built(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    assert docs_site.main([str(tmp_path / "site")]) == 0
    assert len(list((tmp_path / "site" / "games").glob("*.svg"))) > 50


def test_the_documents_and_a_game_make_a_site(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    build(tmp_path / "site", [game for game in library() if game.name == "nim"])
    assert "Nim" in (tmp_path / "site" / "games" / "nim.html").read_text()
    served = {link for page in (tmp_path / "site").rglob("*.html") for link in _loaded(page)}
    assert served == set()  # nothing comes from other hosts


def _loaded(page: Path) -> list[str]:
    """What a page loads from elsewhere."""
    text = page.read_text()
    return [part.split('"')[0] for part in text.split('src="')[1:] if part.startswith("http")]


def test_the_container_file_copies_what_is_there() -> None:
    copied = [
        line.split()[1:-1] for line in (ROOT / "Containerfile").read_text().splitlines() if line.startswith("COPY ")
    ]
    assert copied
    assert [name for names in copied for name in names if not (ROOT / name).exists()] == []

"""The documents as a site: `python -m tests.docs_site FOLDER` builds it, without a network.

Its pages are the documents as they lie in the project, one for the command line made of what `--help` is made of, and one
for each game of the library, with its board and its numbers. Anything that mkdocs warns of, a link that leads nowhere, or
a list that became a paragraph ends the build.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ggp.boards.svg import render_svg
from ggp.commands import COMMANDS
from ggp.commands.line import parser
from ggp.commands.web import PORT
from ggp.core.library import Game, library
from tests.golden.boards import boards_of
from tests.helpers import ROOT

ELSEWHERE = {
    "README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
    "editors/README.md": "editors.md", "Containerfile": "Containerfile",
}  # fmt: skip
"""Documents that do not lie in docs/, and their pages."""
NAVIGATION: Mapping[str, Sequence[str]] = {
    "Guides": ("web.md", "writing-a-game.md", "authoring.md", "importing.md", "environments.md", "specialists.md",
               "experiments.md", "strength.md", "knowledge.md", "editors.md"),
    "Reference": ("commands.md", "options.md", "api.md", "boards.md", "formats.md"),
    "How it works": ("architecture.md", "circuits.md", "search.md", "contributing.md"),
    "Measured": ("bench.md", "compile.md", "speed.md"),
}  # fmt: skip
_LINK = re.compile(r"(?<=\]\()[^()\s]+(?=\))")


class SiteError(Exception):
    """What must not be on a site; the message says where."""


def pages() -> dict[str, str]:
    """What goes where: paths in the project, and on the site."""
    found = dict(ELSEWHERE)
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.is_file():
            found[path.relative_to(ROOT).as_posix()] = path.relative_to(ROOT / "docs").as_posix()
    return found


def moved(text: str, source: str, places: Mapping[str, str]) -> str:
    """A document with its links as they are on the site; SiteError where one leads to nothing that is there."""
    page, fenced, lines = places[source], False, []
    for line in text.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith("```")
        lines.append(line if fenced else _LINK.sub(lambda found: _link(found[0], source, page, places), line))
    return "".join(lines)


def _link(link: str, source: str, page: str, places: Mapping[str, str]) -> str:
    target, mark, anchor = link.partition("#")
    if "://" in link or not target:
        return link
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if wanted not in places:
        raise SiteError(f"{source}: {link} leads to {wanted}, which is not on the site")
    return posixpath.relpath(places[wanted], posixpath.dirname(page) or ".") + mark + anchor


def commands_page() -> str:
    """What every command says with `--help`."""
    parts = ["# Commands\n\nWhat `ggp COMMAND --help` says, for all commands.\n"]
    for name in COMMANDS:
        chosen = next(action for action in parser(name)._actions if isinstance(action, argparse._SubParsersAction))
        own: argparse.ArgumentParser = chosen.choices[name]
        own.formatter_class = lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=100)
        parts.append(f"## {name}\n\n```text\n{own.format_help()}```\n")
    return "\n".join(parts)


def rows(document: str) -> dict[str, dict[str, str]]:
    """The last table of a document that begins with a column `game`: game, column, value."""
    found: dict[str, dict[str, str]] = {}
    head: list[str] = []
    for line in (ROOT / "docs" / document).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")] if line.startswith("| ") else []
        if cells and cells[0] == "game":
            head = cells
        elif cells and head:
            found[cells[0]] = dict(zip(head, cells, strict=False))
    return found


def game_page(game: Game, played: Mapping[str, str], made: Mapping[str, str]) -> str:
    """The page of a game: what it is, its board, its numbers, its rules."""
    facts = {
        "Roles": ", ".join(game.roles), "Kind": game.kind, "Source": game.source, "Tags": ", ".join(game.tags),
        "Length of random play": game.length, "Perft": ", ".join(f"{n:,}" for n in game.perft),
        "Playouts a second": played.get("playouts/s", ""), "Positions a second": played.get("positions/s", ""),
        "Gates of its circuit": played.get("gates", ""), "Seconds to the first circuit": made.get("first", ""),
        "Seconds to the last": made.get("last", ""), "Mean goals of random play": played.get("goals", ""),
    }  # fmt: skip
    table = "\n".join(f"| {name} | {value} |" for name, value in facts.items() if value)
    rules = game.path.read_text(encoding="utf-8")
    return f"""# {game.title}

![The board of {game.title} in a random play]({game.name}.svg)

Play it [on the page](http://127.0.0.1:{PORT}/) while `ggp web` runs, or in the terminal:
`ggp match {game.name} --player human`.

|  |  |
|---|---|
{table}

The rates are from [Gates and playouts of every game](../bench.md), the seconds from [From text to the first
playout](../compile.md).

## Rules

```lisp
{rules}```
"""


def games_page(games: Sequence[Game]) -> str:
    """The list of all games."""
    lines = [f"| [{game.title}]({game.name}.md) | {len(game.roles)} | {game.kind} | {', '.join(game.tags)} |"
             for game in games]  # fmt: skip
    return "# Games\n\n| game | roles | kind | tags |\n|---|--:|---|---|\n" + "\n".join(lines) + "\n"


def write_sources(folder: Path, games: Sequence[Game]) -> None:
    """Write all that mkdocs reads."""
    docs, places = folder / "docs", pages()
    for source, page in places.items():
        target = docs / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.endswith(".md"):
            target.write_text(moved((ROOT / source).read_text(encoding="utf-8"), source, places), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / source, target)
    (docs / "games").mkdir()
    (docs / "commands.md").write_text(commands_page(), encoding="utf-8")
    (docs / "games" / "index.md").write_text(games_page(games), encoding="utf-8")
    played, made = rows("bench.md"), rows("compile.md")
    for game in games:
        text = game_page(game, played.get(game.name, {}), made.get(game.name, {}))
        (docs / "games" / f"{game.name}.md").write_text(text, encoding="utf-8")
        boards = [shown for shown, _ in boards_of(game.path)]
        (docs / "games" / f"{game.name}.svg").write_text(render_svg(boards[len(boards) * 2 // 3]), encoding="utf-8")
    (folder / "mkdocs.yml").write_text(json.dumps(settings(games)), encoding="utf-8")  # which is YAML


def settings(games: Sequence[Game]) -> dict[str, object]:
    """What mkdocs is told: nothing from other hosts, and every doubt about a link is a warning."""
    reports = sorted(page for page in pages().values() if page.startswith("reports/") and page.endswith(".md"))
    navigation: list[object] = [{"Home": "index.md"}]
    navigation += [{title: list(part)} for title, part in NAVIGATION.items()]
    navigation.append({"Reports": reports})
    navigation.append({"Games": ["games/index.md", *(f"games/{game.name}.md" for game in games)]})
    navigation.append({"Changes": "changelog.md"})
    return {
        "site_name": "ggp",
        "site_description": "A general game player: GDL rules in, good moves out",
        "use_directory_urls": False,
        "theme": {"name": "material", "font": False, "features": ["navigation.tabs", "content.code.copy"]},
        "markdown_extensions": ["tables", "pymdownx.highlight", "pymdownx.superfences", {"toc": {"permalink": True}}],
        "plugins": ["search"],
        "validation": {
            "nav": {"omitted_files": "warn", "not_found": "warn"},
            "links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"},
        },
        "nav": navigation,
    }


class _Page(HTMLParser):
    """The links of a page, the places in it that can be linked to, and paragraphs that should be lists."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}
        self.lost_lists: list[str] = []
        self._in: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, and what it can be linked by."""
        given = dict(attrs)
        self.anchors.update(filter(None, (given.get("id"), given.get("name"))))
        self.links += [link for link in (given.get("href"), given.get("src")) if link]
        if tag in ("p", "pre"):
            self._in.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """A paragraph ends."""
        if self._in and tag == self._in[-1]:
            self._in.pop()

    def handle_data(self, data: str) -> None:
        """Look for the beginning of a list inside a paragraph."""
        if self._in == ["p"]:
            self.lost_lists += re.findall(r"^(?:[-*]|\d+\.) .*", data, re.MULTILINE)


def faults(site: Path) -> Iterator[str]:
    """Links that lead nowhere or to other hosts' files, and lists that are none."""
    site = site.resolve()
    read = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in read.items():
        name = path.relative_to(site).as_posix()
        yield from (f"{name}: a list became a paragraph: {line}" for line in page.lost_lists)
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if parts.path.startswith("/"):
                target = site / unquote(parts.path).lstrip("/")
            if not target.is_file():
                yield f"{name}: dead link {link}"
            elif target in read and unquote(parts.fragment) not in read[target].anchors:
                yield f"{name}: {link} names a place that is not there"


def build(site: Path, games: Sequence[Game]) -> None:
    """Build the site in a folder, which is made anew."""
    with tempfile.TemporaryDirectory() as folder:
        write_sources(Path(folder), games)
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site.absolute())]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
        done = subprocess.run(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    if done.returncode or done.stdout.strip():
        raise SiteError(done.stdout.strip() or f"mkdocs ended with exit code {done.returncode}")
    found = list(faults(site))
    if found:
        raise SiteError("\n".join(found))


def main(arguments: Sequence[str]) -> int:
    """Build it; 1 where something is wrong with it."""
    site = Path(*arguments)
    games = [game for game in library() if not game.name.startswith("stress_")]
    try:
        build(site, games)
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(list(site.rglob('*.html')))} pages: {site / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["build/site"]))

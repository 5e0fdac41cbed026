"""Games of others: each source gives the same rulesheets, and each game is taken once, under whatever names."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gdl.scramble import scramble
from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.core.library import library
from ggp.importing import files, server
from ggp.importing.collection import collection
from ggp.importing.dump import rows
from ggp.importing.intake import INDEX
from ggp.importing.sheets import Missing, Sheet
from ggp.importing.source import sheets
from tests.helpers import GAMES, TINY, ruleset

NEWER = TINY.replace("100", "50")
SECOND = TINY.replace("(goal me 100)", "(goal me 10)").replace("wait", "it's")
METADATA = {
    "gameName": "A \"tiny\" game", "rulesheet": "tiny.kif", "stylesheet": "tiny.xsl", "description": "tiny.txt",
    "user_interface": "tiny.js", "numRoles": 1,
}  # fmt: skip
COLLECTION = {
    "games/tiny/METADATA": json.dumps(METADATA),
    "games/tiny/tiny.kif": TINY,
    "games/tiny/tiny.txt": "Wait,\nand win.\n\nThe rest is history.\n",
    "games/tiny/v2/tiny.kif": NEWER,
    "games/tiny/v10/METADATA": json.dumps(METADATA | {"stylesheet": "newest.xsl"}),
    "games/lost/METADATA": '{"rulesheet": "lost.kif"}',
    "games/odd/METADATA": "{",
    "more/alone.kif": SECOND,
    "readme.txt": "no game",
}
"""What public collections look like; the newest rulesheet of `tiny` is that of version 2."""


def folder(place: Path, held: Mapping[str, str] = COLLECTION) -> Path:
    for name, text in held.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


def zipped(place: Path) -> Path:
    with zipfile.ZipFile(place / "all.zip", "w") as archive:
        for name, text in COLLECTION.items():
            archive.writestr(name, text)
    return place / "all.zip"


def tarred(place: Path) -> Path:
    with tarfile.open(place / "all.tar.gz", "w:gz") as archive:
        for name, text in COLLECTION.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return place / "all.tar.gz"


def found(source: object) -> dict[str, Sheet | Missing]:
    return {item.name: item for item in sheets(str(source))}


@pytest.mark.parametrize("kept", [folder, zipped, tarred])
def test_a_collection_gives_the_newest_of_each_game(kept: type, tmp_path: Path) -> None:
    games = {item.name: item for item in collection(kept(tmp_path))}
    assert list(games) == ["lost", "odd", "tiny", "alone"]
    tiny, alone, lost, odd = (games[name] for name in ("tiny", "alone", "lost", "odd"))
    assert isinstance(tiny, Sheet) and isinstance(alone, Sheet)
    assert (tiny.text, tiny.title, tiny.stylesheet, tiny.interface) == (
        NEWER, 'A "tiny" game', "newest.xsl", "tiny.js",
    )  # fmt: skip
    assert tiny.description.startswith("Wait,\nand win.")
    assert tiny.origin.endswith("games/tiny/v2/tiny.kif")
    assert alone.text == SECOND
    assert isinstance(lost, Missing) and "'lost.kif' that METADATA names is not there" in lost.message
    assert isinstance(odd, Missing) and "METADATA is no JSON" in odd.message


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 100)
    with pytest.raises(UsageError, match=r"all\.zip: games/tiny/METADATA: larger than"):
        found(zipped(tmp_path))


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("x.bin", b"nothing", "neither a folder nor an archive"),
        ("x.zip", b"PK\x05\x06", "neither a folder nor an archive"),
        ("x.sql", b"SELECT 1;", "no row of a table `games`"),
        ("x.sql.gz", b"no gzip", "Not a gzipped file"),
    ],
)
def test_what_is_no_source_is_told_so(
    name: str, data: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert main(["import", str(tmp_path / name)]) == 2
    assert told in capsys.readouterr().err


DUMP = rb"""-- phpMyAdmin SQL Dump
/*!40101 SET NAMES utf8; INSERT INTO `games` VALUES ('comment', '', '') */;
CREATE TABLE IF NOT EXISTS `games` (
  `name` varchar(40) character set latin1 NOT NULL,
  `gamedescription` longtext NOT NULL,
  `stylesheet` varchar(255) NOT NULL default '../generic.xsl',
  PRIMARY KEY (`name`), KEY `n` (`name`, `stylesheet`)
) ENGINE=MyISAM;
INSERT INTO `games` VALUES
('one', '(role me)\n; it''s (not); a \\ \'quoted\' comment, \t(see) "there"\r\n', 'a.xsl'),
('two', '(role you)', NULL);
INSERT INTO `users` (`name`) VALUES ('games');
INSERT INTO games (stylesheet, NAME, gameDescription, enabled) VALUES ('b.xsl','three','(role we)',1) , ('','four','',-2);
"""


def test_a_dump_is_read_as_its_database_would(tmp_path: Path) -> None:
    one = "(role me)\n; it's (not); a \\ 'quoted' comment, \t(see) \"there\"\r\n"
    for name, data in (("dump.sql", DUMP), ("dump.sql.gz", gzip.compress(DUMP))):
        (tmp_path / name).write_bytes(data)
        games = found(tmp_path / name)
        assert [getattr(games[n], "text", None) for n in ("one", "two", "three")] == [one, "(role you)", "(role we)"]
        assert [getattr(games[n], "stylesheet", None) for n in ("one", "two", "three")] == ["a.xsl", "", "b.xsl"]
        assert isinstance(games["row 4"], Missing)
        assert len(games) == 4


def test_without_the_names_of_columns_nobody_knows_what_is_what() -> None:
    data = b"INSERT INTO t (a, b, c) VALUES (1, NULL, ''''); INSERT INTO t VALUES (1, 2, '');"
    assert list(rows(data, "t")) == [{"a": b"1", "b": None, "c": b"'"}, {}]


@contextmanager
def serving(pages: Mapping[str, str]) -> Iterator[str]:
    """A server that has these files, by their paths."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = pages.get(self.path)
            self.send_response(200 if text is not None else 404)
            self.end_headers()
            self.wfile.write((text or "no such page").encode())

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{made.server_port}/base"
        finally:
            made.shutdown()


GAME = {"/base/games/tiny/v3/tiny.kif": NEWER, "/base/games/tiny/v3/tiny.txt": "Wait and win."}
SAID = METADATA | {"version": 3}


@pytest.mark.parametrize(
    "pages",
    [
        {"/base/games/metadata": json.dumps({"tiny": SAID, "odd/../x": {}, "lost": {"rulesheet": "lost.kif"}})},
        {
            "/base/games/": '["tiny", "odd/../x", "lost"]',
            "/base/games/tiny/": json.dumps(SAID),
            "/base/games/odd%2F..%2Fx/": "[]",
            "/base/games/lost/": '{"rulesheet": "lost.kif"}',
        },
    ],
    ids=["all at once", "one by one"],
)
def test_a_server_gives_the_version_that_counts(pages: dict[str, str]) -> None:
    with serving(pages | GAME) as address:
        for asked in (address, f"{address}/games/"):
            games = found(asked)
            tiny, lost, odd = games["tiny"], games["lost"], games["odd/../x"]
            assert isinstance(tiny, Sheet)
            assert (tiny.text, tiny.description, tiny.stylesheet) == (NEWER, "Wait and win.", "tiny.xsl")
            assert tiny.origin == f"{address}/games/tiny/v3/tiny.kif"
            assert isinstance(lost, Missing) and "HTTP status 404" in lost.message
            assert isinstance(odd, Missing)


def test_a_server_without_games_or_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"/base/games/": '{"no": "list"}'}) as address:
        with pytest.raises(UsageError, match="a list of names of games was expected"):
            found(address)
        monkeypatch.setattr(server, "LARGEST", 3)
        with pytest.raises(UsageError, match="larger than"):
            found(address)
    with pytest.raises(UsageError, match="no answer"):
        found(address)


def test_each_game_is_taken_once_under_whatever_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, to = folder(tmp_path / "theirs"), tmp_path / "ours"
    (source / "same.kif").write_text(scramble(ruleset(SECOND).rules, 3, permute=True).text)
    (source / "nim.kif").write_text(scramble(ruleset((GAMES / "nim.kif").read_text()).rules, 5, permute=True).text)
    (source / "wrong.kif").write_text(TINY + "(<= (next (on ?x)) (true b))\n")
    (source / "runs..away.kif").write_text(TINY.replace("(init (on 1))", "(init (on 1))\n(init (more 1))"))
    assert main(["import", str(source), "--to", str(to)]) == 1
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        f"tiny: taken, {to}/tiny.kif",
        f"alone: taken, {to}/alone.kif, 1 warning",
        "nim: known already, nim of the library",
        f"runs..away: taken, {to}/runs_away.kif",
        f"same: known already, {to}/alone.kif",
        "taken: 3, known already: 2, not taken: 3",
    ]
    assert "wrong.kif:7:" in told.err and "nothing in the body binds ?x [law 5]" in told.err
    assert sorted(file.name for file in to.iterdir()) == ["alone.kif", INDEX, "runs_away.kif", "tiny.kif"]
    assert (to / "alone.kif").read_text() == SECOND
    games = {game.name: game for game in library(to)}
    assert (games["tiny"].title, games["tiny"].kind, games["tiny"].roles) == ('A "tiny" game', "one player", ("me",))
    assert games["tiny"].source.endswith("theirs/games/tiny/v2/tiny.kif")
    index = (to / INDEX).read_text()
    assert 'stylesheet = "newest.xsl"' in index and 'description = "Wait, and win."' in index
    assert main(["import", str(source / "more" / "alone.kif"), "--to", str(to), "--json"]) == 0
    assert [item["verdict"] for item in json.loads(capsys.readouterr().out)] == ["known"]
    assert (to / INDEX).read_text() == index


def test_games_of_the_library_are_taken_where_their_names_are_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "ours"
    wanted = [str(GAMES / f"{name}.kif") for name in ("nim", "roshambo", "dice_race")]
    assert main(["import", *wanted, "--to", str(to), "--again", "--plays", "0"]) == 0
    assert [game.kind for game in library(to)] == ["chance", "turns", "simultaneous"]
    other = tmp_path / "other" / "nim.kif"
    other.parent.mkdir()
    other.write_text(TINY)
    assert main(["import", str(other), "--to", str(to)]) == 0
    assert capsys.readouterr().out.splitlines()[-2] == f"nim: taken, {to}/nim_2.kif"

"""Specialists that are asked for on the page: those of the phrasebook, and no other program."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")

from gdl import load
from ggp.core.errors import UsageError
from ggp.specialists.offered import check_offered, offered
from tests.helpers import GAMES, ROOT
from tests.specialists import log, told
from tests.web_site import heard, site

__all__ = ["log"]
GO = load(GAMES / "go_6x6.kif")


@pytest.fixture
def parrot(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A phrasebook in which a program `parrot` plays c3 and passes, and `missing` is not installed."""
    folder = tmp_path / "library"
    folder.mkdir()
    book = (GAMES / "specialists.toml").read_text(encoding="utf-8")
    phrases = book.partition("[games.go_6x6]")[2].partition("[games.")[0]
    words = [sys.executable, str(ROOT / "tests" / "fake_specialist.py"), "gtp", "good", str(log), "c3", "pass"]
    options = 'options = { level = "--level=?" }'
    programs = f'[programs.parrot]\nprotocol = "gtp"\ncommand = {json.dumps(words)}\n{options}\n'
    missing = '[programs.missing]\nprotocol = "gtp"\ncommand = ["no_such_program"]\n'
    (folder / "specialists.toml").write_text(f"{programs}{missing}[games.go_6x6]{phrases}", encoding="utf-8")
    shutil.copy(GAMES / "go_6x6.kif", folder)
    monkeypatch.setattr("ggp.specialists.phrasebook.folder", lambda: folder)


@pytest.mark.usefixtures("parrot")
def test_what_is_installed_is_offered_for_its_games_alone() -> None:
    assert offered(GO) == ["gtp:parrot"]
    assert offered(load(GAMES / "nim.kif")) == []


@pytest.mark.usefixtures("parrot")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (f"gtp:{sys.executable}", "only parrot, missing can be asked for"),
        ("gtp:/bin/sh,-c,touch x", "only parrot, missing can be asked for"),
        ("gtp:parrot,--mode", "arguments cannot be given"),
        ("gtp:parrot,log=/tmp/x", "the options are level, seconds"),
        ("gtp:parrot,level=3\nquit", "makes no sense"),
        ("gtp:missing", "there is no program no_such_program"),
        ("uci:parrot", "parrot speaks gtp"),
    ],
)
def test_no_other_program_is_started_for_others(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_offered(spec, GO)


@pytest.mark.usefixtures("parrot")
def test_a_specialist_plays_on_the_page(tmp_path: Path, log: Path) -> None:
    check_offered("gtp:parrot,level=3", GO)
    with site(tmp_path) as served:
        assert served.post("/api/seats", game="go_6x6")["programs"] == ["gtp:parrot"]
        code, message = served.refused("/api/matches", game="go_6x6", players=["human", f"gtp:{sys.executable},-c,1"])
        assert code == 400 and "can be asked for" in message
        assert served.refused("/api/matches", game="nim", players=["human", "gtp:parrot"])[0] == 400
        made = served.post("/api/matches", game="go_6x6", players=["gtp:parrot", "human"], playclock=5)
        with served.watch(made["id"], list(made["keys"].values())) as socket:
            until = time.monotonic() + 60
            while (news := heard(socket))["status"]["asked"] != [1] and time.monotonic() < until:
                pass
        assert news["status"]["asked"] == [1]
        assert served.services.rooms.find(made["id"]).script(1)[0][0].arguments[0].name == "3"  # type: ignore[union-attr]
        served.post(f"/api/matches/{made['id']}/resign", key=made["keys"]["1"])
    assert "genmove black" in told(log)

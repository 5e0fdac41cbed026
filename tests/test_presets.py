"""The options of searching players: declared once, told everywhere, read as they are told."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest

from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.search.presets import OPTIONS, PRESETS, options_text, page, search_options
from ggp.search.settings import SearchSettings, Thinking
from tests.helpers import ROOT


@pytest.mark.parametrize("name", PRESETS)
def test_the_defaults_are_read_as_they_are_told(name: str) -> None:
    told = {option.name: option.defaults[name] for option in OPTIONS}
    assert search_options(name, told) == (PRESETS[name], Thinking()) == search_options(name, {})


def test_every_setting_is_an_option_but_one() -> None:
    declared = {each.name for kind in (SearchSettings, Thinking) for each in fields(kind)}
    assert declared - {option.name for option in OPTIONS} == {"reuse"}
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)


def test_settings_are_written_as_they_are_read() -> None:
    options = {"c": "20", "prior": "1", "d1": "inf", "policy": "decisive+mast", "prob": "0.5", "solver": "false"}
    settings = search_options("ucd", options)[0]
    assert dict(part.split("=") for part in settings.options.split(",")) == {**options, "playouts": "8"}
    assert SearchSettings().options == ""


def test_options_are_read_in_their_units() -> None:
    settings, thinking = search_options("uct", {"d1": "inf", "solver": "true", "memory": "2.5", "threads": "3"})
    assert (settings.d1, settings.solver, thinking.memory, thinking.threads) == (math.inf, True, 2_621_440, 3)


def test_what_makes_no_sense_is_told_with_its_meaning() -> None:
    with pytest.raises(UsageError, match="solver=maybe makes no sense: back up proven results"):
        search_options("ucd", {"solver": "maybe"})
    with pytest.raises(UsageError) as caught:
        search_options("ucd", {"secnds": "1"})
    assert str(caught.value).startswith("player ucd: there is no option 'secnds'; did you mean seconds?\n  d1 ")
    assert str(caught.value).endswith(options_text())


@pytest.mark.parametrize("command", ["match", "play", "tournament", "search", "master"])
def test_the_help_of_commands_with_players_tells_all_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert options_text() in capsys.readouterr().out


def test_the_text_tells_each_option_with_its_meaning_and_default() -> None:
    text = " ".join(options_text().split())
    for option in OPTIONS:
        assert f"{option.name} {option.meaning} (default: " in text
    assert all(len(line) <= 110 for line in options_text().splitlines())


def test_the_page_in_the_docs_is_current() -> None:
    """If not: python -m ggp.search.presets > docs/options.md."""
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == page()

"""Which playouts `ggp search` takes, and what it says about that."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ggp.analysis import judged
from ggp.analysis.judged import plain, settled
from ggp.search.presets import search_options
from ggp.search.verdict import Verdict
from tests.compiled import compiled

UCD, _ = search_options("ucd", {})


@pytest.mark.parametrize(
    ("decisive", "preferring", "policy", "c"),
    [(0.6, 50, "decisive", 80.0), (0.4, 50, "uniform", 40.0), (0.6, 70, "decisive+mast", 40.0)],
)
def test_auto_is_resolved_as_the_player_does(
    decisive: float, preferring: float, policy: str, c: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judged, "judge", lambda *_, **__: Verdict(0.4, decisive, preferring))
    found = settled(compiled("connect_four"), UCD)
    assert (found.settings.policy, found.settings.c) == (policy, c)
    assert ("ones tell more: agreement" in found.text()) == (decisive > 0.4)
    assert f"won {preferring} %" in found.why and "policy=uniform leaves that out" in found.why


@pytest.mark.usefixtures("judged_briefly")
def test_where_playouts_cannot_look_ahead_nothing_is_judged() -> None:
    found = settled(compiled("roshambo"), UCD)
    assert found.settings.policy in ("uniform", "mast") and "to look ahead would take too many operations" in found.why


def test_nobody_waits_for_judging_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(_: object, go_on: Callable[[], bool]) -> Verdict:
        while go_on():
            time.sleep(0.01)
        return Verdict(0.4, 0.6)

    monkeypatch.setattr(judged, "judge", judge)
    monkeypatch.setattr(judged, "_PATIENCE", 0.1)
    found = settled(compiled("connect_four"), UCD)
    assert found.settings.policy == "decisive" and "and not to the end" in found.why


@pytest.mark.parametrize(
    ("options", "why"),
    [({"policy": "uniform"}, "as the settings say"), ({"simulations": "50"}, "simulations are counted")],
)
def test_what_is_said_is_taken(options: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "judge", lambda *_, **__: pytest.fail("nothing is to be judged"))
    settings, _ = search_options("ucd", options)
    found = settled(compiled("connect_four"), settings)
    assert found.settings == settings and why in found.why and found.text().startswith("uniform")


def test_prolog_plays_plain_playouts_one_at_a_time() -> None:
    found = plain(UCD)
    assert (found.settings.policy, found.settings.playouts) == ("uniform", 1) and "all that Prolog has" in found.text()


def test_what_a_game_does_not_offer_is_not_said_to_be_taken() -> None:
    found = settled(compiled("hex_5x5"), search_options("ucd", {"policy": "decisive"})[0])
    assert found.settings.policy == "uniform" and "decisive playouts would take too many operations" in found.text()

"""The experiment that a file of results is of, told by its first line: whoever finds the file can report on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ggp.core.errors import UsageError
from ggp.lab import catalogue, strength, tournament_match, tournament_report
from ggp.lab.plan import Experiment, Json
from ggp.lab.published import read_settings
from ggp.lab.sequential import Sprt
from ggp.lab.strength import StrengthSettings
from ggp.lab.tournament import TournamentSettings, plan

TOURNAMENT, STRENGTH = "tournament", "strength"


def tournament(settings: TournamentSettings) -> Experiment[TournamentSettings]:
    """A tournament as an experiment."""
    perform, report = tournament_match.perform, tournament_report.tournament_report
    return Experiment(TOURNAMENT, "Tournament", 1, settings, plan, perform, report)


def strength_of(settings: StrengthSettings) -> Experiment[StrengthSettings]:
    """How strong a player is, as an experiment."""
    return Experiment(STRENGTH, "Strength", 1, settings, strength.plan, strength.perform, strength.strength_report)


def restored(path: Path, header: Mapping[str, Json]) -> Experiment[Any]:
    """The experiment of a file of results; UsageError if it is none that this program knows."""
    name, settings = header.get("experiment"), header.get("settings")
    if not isinstance(name, str) or not isinstance(settings, dict):
        raise UsageError(f"{path}: the first line names no experiment")
    if name == TOURNAMENT:
        return tournament(_tournament_settings(path, settings))
    if name == STRENGTH:
        pairs = {**settings, "matches": []}
        made = read_settings(path, {"settings": pairs}, StrengthSettings)
        return strength_of(dataclasses.replace(made, matches=tuple(map(tuple, settings.get("matches", [])))))
    if name not in catalogue.names():
        raise UsageError(f"{path}: {name!r} is an experiment of somebody's own: `ggp experiment` reports on it")
    known = catalogue.experiment(name)
    found = read_settings(path, {"settings": settings}, type(known.settings))
    return dataclasses.replace(known, settings=found)


def _tournament_settings(path: Path, settings: dict[str, Json]) -> TournamentSettings:
    plain = {field.name for field in dataclasses.fields(Sprt)}
    told = settings.get("sprt")
    if not isinstance(told, dict) or set(told) != plain:
        raise UsageError(f"{path}: sprt: the settings of a sequential test were expected")
    return read_settings(path, {"settings": {**settings, "sprt": Sprt(**told)}}, TournamentSettings)

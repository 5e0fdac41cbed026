"""The experiments that there are: those that come with the program, and TOML files of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ggp.core.errors import UsageError
from ggp.lab import group_games, matches, p_game, pace, readings, tree_reuse
from ggp.lab.match_report import match_report
from ggp.lab.plan import Experiment
from ggp.lab.published import Paper, read_paper, read_settings, read_toml

FOLDER = Path(__file__).parent / "papers"


def _matches(path: Path, data: Mapping[str, Any], paper: Paper) -> Experiment[Any]:
    settings = read_settings(path, data, matches.MatchSettings)
    report = partial(match_report, paper)
    return Experiment(
        paper.name, paper.title, paper.version, settings, matches.plan, matches.perform, report, matches.simulations
    )


def _p_game(path: Path, data: Mapping[str, Any], paper: Paper) -> Experiment[Any]:
    settings = read_settings(path, data, p_game.PGameSettings)
    report = partial(p_game.p_game_report, paper)
    return Experiment(
        paper.name, paper.title, paper.version, settings, p_game.plan, p_game.perform, report, p_game.simulations
    )


def _groups(path: Path, data: Mapping[str, Any], paper: Paper) -> Experiment[Any]:
    settings = read_settings(path, data, group_games.GroupSettings)
    report = partial(group_games.group_report, paper)
    work = group_games.plan, group_games.perform
    return Experiment(paper.name, paper.title, paper.version, settings, *work, report, group_games.simulations)


def _tree_reuse(path: Path, data: Mapping[str, Any], paper: Paper) -> Experiment[Any]:
    settings = read_settings(path, data, tree_reuse.ReuseSettings)
    report = partial(tree_reuse.reuse_report, paper)
    return Experiment(paper.name, paper.title, paper.version, settings, tree_reuse.plan, tree_reuse.perform, report)


def _pace(path: Path, data: Mapping[str, Any], paper: Paper) -> Experiment[Any]:
    settings = read_settings(path, data, pace.PaceSettings)
    report = partial(pace.pace_report, paper)
    return Experiment(paper.name, paper.title, paper.version, settings, pace.plan, pace.perform, report)


def _readings(path: Path, data: Mapping[str, Any], paper: Paper) -> Experiment[Any]:
    settings = read_settings(path, data, readings.ReadingSettings)
    report = partial(readings.reading_report, paper)
    work = readings.plan, readings.perform
    return Experiment(paper.name, paper.title, paper.version, settings, *work, report, readings.simulations)


_KINDS: Mapping[str, Callable[[Path, Mapping[str, Any], Paper], Experiment[Any]]] = {
    "matches": _matches,
    "p-game": _p_game,
    "pace": _pace,
    "p-game-groups": _groups,
    "tree-reuse": _tree_reuse,
    "ucd-readings": _readings,
}


def names() -> list[str]:
    """The experiments that come with the program."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def experiment(name: str, *, small: bool = False) -> Experiment[Any]:
    """An experiment by its name, or from a TOML file; `small`: in the sizes of its `[small]`, to be tried in a minute."""
    if name.endswith(".toml"):
        path = Path(name)
    elif name in names():
        path = FOLDER / f"{name}.toml"
    else:
        raise UsageError(f"there is no experiment {name!r}; known are {', '.join(names())}, or name a .toml file")
    data = read_toml(path)
    if small:
        if "small" not in data:
            raise UsageError(f"{path}: there are no small sizes in it; write them in a section [small], as settings")
        data = {**data, "settings": {**data.get("settings", {}), **data["small"]}}
    kind = data.get("kind", "matches")
    if kind not in _KINDS:
        raise UsageError(f"{path}: there is no kind {kind!r}; known are {', '.join(_KINDS)}")
    return _KINDS[kind](path, data, read_paper(path, data))

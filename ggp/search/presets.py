"""Searching players by name, and the options that change them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ggp.core.errors import UsageError
from ggp.core.suggest import unknown
from ggp.players.player import Player
from ggp.players.specs import join_spec
from ggp.search.settings import AUTO, POLICIES, SearchSettings, Thinking, uct, written

_PLAYOUTS = 8
"""Playouts of a simulation where time decides: 64 simulations under way with 8 playouts each fill the same lanes as 512
with one, and win two matches of three against them. Where simulations are counted, each is one playout."""
PRESETS: Mapping[str, SearchSettings] = {
    "ucd": SearchSettings(playouts=_PLAYOUTS, policy=AUTO),
    "uct": uct(playouts=_PLAYOUTS, solver=False),
    "mc": uct(playouts=_PLAYOUTS, depth=1, solver=False),
}
"""What the names stand for: UCD with all that makes it strong; UCT and flat Monte Carlo as they were published, so that
one can be measured by them."""


@dataclass(frozen=True)
class Option:
    """What can be changed about a searching player, by `NAME:option=value,option=value`."""

    name: str
    meaning: str
    read: Callable[[str], Any]
    defaults: Mapping[str, str]
    """For each preset, as it would be written."""
    values: tuple[str, ...] = ()
    """All that it can be, where these are words."""


def _options(kind: type[SearchSettings] | type[Thinking], presets: Mapping[str, Any]) -> Iterator[Option]:
    hints = get_type_hints(kind)
    for each in fields(kind):
        if each.metadata:
            values = {name: getattr(preset, each.name) for name, preset in presets.items()}
            unit = each.metadata["unit"]
            defaults = {name: written(value / unit if unit > 1 else value) for name, value in values.items()}
            yield Option(
                each.name, each.metadata["meaning"], each.metadata["read"], defaults, _words(each.name, hints[each.name])
            )


def _words(name: str, hint: Any) -> tuple[str, ...]:
    """What a setting can be, where these are words."""
    if name == "policy":
        return tuple(POLICIES)
    return ("true", "false") if hint is bool else tuple(map(str, get_args(hint))) if get_origin(hint) is Literal else ()


_SETTINGS = {option.name: option for option in _options(SearchSettings, PRESETS)}
_THINKING = {option.name: option for option in _options(Thinking, dict.fromkeys(PRESETS, Thinking()))}
OPTIONS: tuple[Option, ...] = (*_SETTINGS.values(), *_THINKING.values())
"""All options, in the order in which they are told."""


def options_text(width: int = 110) -> str:
    """The options with their meanings and defaults, as help and error messages show them."""
    lines = []
    column = 2 + max(len(option.name) for option in OPTIONS) + 2
    for option in OPTIONS:
        text = f"{option.meaning} (default: {_defaults(option)})"
        lines += textwrap.wrap(
            text, width, initial_indent=f"  {option.name}".ljust(column), subsequent_indent=" " * column
        )  # fmt: skip
    return "\n".join(lines)


def _defaults(option: Option) -> str:
    """One default for all, or those of each player."""
    first, *others = option.defaults.values()
    if all(other == first for other in others):
        return first
    return ", ".join(f"{name} {value}" for name, value in option.defaults.items())


def page() -> str:
    """The page of the options in the docs: `python -m ggp.search.presets` prints it."""
    names = " | ".join(PRESETS)
    rows = [f"| `{option.name}` | {option.meaning} | {' | '.join(option.defaults.values())} |" for option in OPTIONS]
    return f"""# Options of the players that search

Each player that searches takes options after its name, in every command that takes players: `ucd:seconds=2,c=30`. This
page is made from where they are declared (`python -m ggp.search.presets`); [how the search works](search.md) tells what
is behind them. With `simulations`, a simulation is one uniform playout, unless that is said as well.

| option | meaning | {names} |
|---|---|{"--:|" * len(PRESETS)}
{chr(10).join(rows)}
"""


def search_options(name: str, options: Mapping[str, str]) -> tuple[SearchSettings, Thinking]:
    """What a preset with options stands for."""
    settings: dict[str, Any] = {"playouts": 1, "policy": "uniform"} if "simulations" in options else {}
    thinking: dict[str, Any] = {}
    for key, text in options.items():
        known, target = (_SETTINGS, settings) if key in _SETTINGS else (_THINKING, thinking)
        if key not in known:
            hint = unknown("option", key, (option.name for option in OPTIONS), "known are:")
            raise UsageError(f"player {name}: {hint}\n{options_text()}")
        try:
            target[key] = known[key].read(text)
        except (ValueError, OverflowError):
            raise UsageError(f"player {name}: {key}={text} makes no sense: {known[key].meaning}") from None
    for key, value in thinking.items():
        if isinstance(value, (int, float)) and not value > 0:
            raise UsageError(f"player {name}: {key} must be above 0")
    chosen, means = replace(PRESETS[name], **settings), Thinking(**thinking)
    if chosen.simulations and means.cluster != "no":
        raise UsageError(f"player {name}: cluster goes with time, not with counted simulations")
    return chosen, means


def search_player(name: str, options: Mapping[str, str], seed: int) -> Player:
    """A searching player; see `search_options`."""
    chosen = search_options(name, options)
    from ggp.search.player import SearchPlayer  # numpy and numba take a second: only where they are used

    return SearchPlayer(join_spec(name, options), *chosen, seed)


if __name__ == "__main__":
    print(page(), end="")

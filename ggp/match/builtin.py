"""The players that come with the program, made from how they are written: `ucd:seconds=2,c=30`."""

from __future__ import annotations

from gdl.ruleset import Ruleset
from ggp.core.errors import UsageError
from ggp.core.suggest import unknown
from ggp.match.client import Address
from ggp.players.player import Player
from ggp.players.simple import SIMPLE
from ggp.players.specs import HUMAN, PLAYERS, SEARCHING, is_address, is_specialist, split_spec
from ggp.search.presets import search_options, search_player
from ggp.specialists.player import check_specialist, make_specialist


def check_player(spec: str, ruleset: Ruleset | None = None) -> None:
    """Refuse a player that cannot be made: an unknown one, an option that makes no sense, an address that is none.

    A program for one game is started and ended again, if the game is known; else only what is written is looked at.
    """
    if is_address(spec):
        Address.parse(spec)
        return
    if is_specialist(spec):
        check_specialist(spec, ruleset)
        return
    name, options = split_spec(spec)
    if name in SEARCHING:
        search_options(name, options)
    else:
        make_player(spec, 0).close()


def make_player(spec: str, seed: int, ruleset: Ruleset | None = None) -> Player:
    """A built-in player by its name, with options for those that search: `ucd`, `ucd:seconds=2,c=30,d1=inf`.

    Or a program for one game, `gtp:gnugo,level=10`: only these need to know what game it is.
    """
    if is_specialist(spec):
        return make_specialist(spec, seed, ruleset)
    name, options = split_spec(spec)
    if name == HUMAN:
        raise UsageError("a human plays in the terminal of `ggp match FILE --player human`, and nowhere else")
    if name in SEARCHING:
        return search_player(name, options, seed)
    if name not in SIMPLE:
        raise UsageError(unknown("player", name, PLAYERS))
    if options:
        raise UsageError(f"player {name} has no options")
    return SIMPLE[name](seed)

"""Colours of the roles: the one that their name says, else one each."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = {
    "white": "bold", "black": "bold bright_black", "red": "bold red", "blue": "bold blue",
    "green": "bold green", "yellow": "bold yellow", "orange": "bold dark_orange", "purple": "bold magenta",
    "pink": "bold bright_magenta", "teal": "bold cyan", "cyan": "bold cyan", "brown": "bold orange4",
}  # fmt: skip
_OTHERS = ("bold cyan", "bold yellow", "bold green", "bold magenta", "bold blue", "bold red")


def styles(roles: Sequence[str]) -> dict[str, str]:
    """A style for each role, none twice as long as there are enough."""
    found = {role: named for role in roles if (named := named_style(role)) is not None}
    free = [style for style in _OTHERS if style not in found.values()] or list(_OTHERS)
    rest = [role for role in roles if role not in found]
    return found | {role: free[number % len(free)] for number, role in enumerate(rest)}


def named_style(word: str) -> str | None:
    """The style of a word that begins with the name of a colour."""
    return next((style for name, style in _NAMED.items() if word.startswith(name)), None)

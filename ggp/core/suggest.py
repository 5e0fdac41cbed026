"""What to say of a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable


def unknown(what: str, name: str, known: Iterable[str], otherwise: str = "") -> str:
    """That there is no such thing, and the nearest name; where none is near, all of them, or `otherwise`.

    >>> unknown("player", "udc", ["ucd", "mc", "random"])
    "there is no player 'udc'; did you mean ucd?"
    >>> unknown("player", "clever", ["ucd", "mc", "random"])
    "there is no player 'clever'; known are: ucd, mc, random"
    """
    from gdl.hints import nearest  # only where something went wrong

    names = list(known)
    near = name.lower() if name.lower() in names else nearest(name.lower(), names)
    hint = f"did you mean {near}?" if near else otherwise or f"known are: {', '.join(names)}"
    return f"there is no {what} {name!r}; {hint}"

"""A few characters for each piece, so that all pieces of a board can be told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBERED = re.compile(r"(.*?)[_-]?(\d+)")
_PICTURES = {"wall": "#", "blocked": "#"}
"""Signs that everybody knows."""
_LONGEST = 4


def short_names(words: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """A short name for each word, none twice: numbers as they are, else one letter of the word, else as many as needed.

    >>> short_names(["king", "knight", "pawn"])
    {'king': 'k', 'knight': 'n', 'pawn': 'p'}
    >>> short_names(["piece1", "piece10"])
    {'piece1': '1', 'piece10': '10'}
    """
    found: dict[str, str] = {}
    words = sorted(set(words))
    used = {name.lower() for name in taken}
    parts = [_NUMBERED.fullmatch(word) for word in words]
    if words and all(parts) and len({part[1] for part in parts if part}) == 1:
        return {word: part[2] for word, part in zip(words, parts, strict=True) if part}
    for word in sorted(words, key=lambda w: (len(w) > 1, w)):
        letters = [_PICTURES[word]] if word in _PICTURES else [c for c in word if c.isalnum()]
        prefixes = [word[:n] for n in range(1, len(word) + 1)]
        options = [word] if word.isdigit() else [*letters, *prefixes, word]
        name = next((option for option in options if option.lower() not in used), word)
        found[word] = name[:_LONGEST] if name[:_LONGEST].lower() not in used else name
        used.add(found[word].lower())
    return {word: found[word] for word in words}


class Symbols:
    """The symbols of one board."""

    def __init__(self, roles: Sequence[str], owners: Iterable[str], kinds: Iterable[str], names: Iterable[str]) -> None:
        """`owners` whose pieces stand on the board, all `kinds`, and the `names` of fluents that tell neither."""
        owners = [role for role in roles if role in set(owners)]
        self._kinds = short_names(kinds)
        self._owners = short_names(owners, self._kinds.values())
        self._names = short_names(names, [*self._kinds.values(), *self._owners.values()])
        self._cased = {owners[0]: str.upper, owners[1]: str.lower} if len(owners) == 2 else {}

    def symbol(self, name: str, kind: str | None, owner: str | None) -> str:
        """The symbol of a piece."""
        if kind is None:
            return self._names.get(name, name[:1]) if owner is None else self._owners.get(owner, owner[:1])
        short = self._kinds.get(kind, kind[:_LONGEST])
        if owner is None:
            return short
        if owner in self._cased and any(map(str.isalpha, short)):
            return self._cased[owner](short)
        return short + self._owners.get(owner, owner[:1])

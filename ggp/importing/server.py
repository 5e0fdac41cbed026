"""Rulesheets from a games server, as those of the public repositories: JSON and files over HTTP.

`games/metadata` tells all games at once; where a server does not know it, `games/` lists their names and each has its
own. The files of a game are below `games/NAME/`, or below `games/NAME/vN/` where the metadata say which version counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import requests

from ggp.core.errors import UsageError
from ggp.importing.files import LARGEST
from ggp.importing.sheets import MetadataError, Missing, Sheet, checked, decoded, described

SECONDS = 30
"""Until a server that says nothing is given up."""


class FetchError(UsageError):
    """A server does not give a file."""


def server(address: str) -> Iterator[Sheet | Missing]:
    """All rulesheets of a server, by name; UsageError if it does not list any."""
    root = address.rstrip("/").removesuffix("/games")
    with requests.Session() as session:
        listed = _listed(session, root)
        for name in sorted(listed):
            place = f"{root}/games/{quote(name, safe='')}/"
            try:
                said = listed[name]
                if said is None:
                    said = _json(session, place)
                yield _sheet(session, name, place, checked(said))
            except (MetadataError, FetchError) as error:
                yield Missing(name, place, str(error))


def fetch(session: requests.Session, address: str) -> bytes:
    """A file; FetchError if the server does not give it, or it is too large."""
    parts, size = [], 0
    try:
        with session.get(address, timeout=SECONDS, stream=True) as response:
            if not response.ok:
                raise FetchError(f"{address}: HTTP status {response.status_code} {response.reason}")
            for part in response.iter_content(1 << 16):
                parts.append(part)
                size += len(part)
                if size > LARGEST:
                    raise FetchError(f"{address}: larger than {LARGEST >> 20} MB")
    except (requests.RequestException, OSError) as error:
        raise FetchError(f"{address}: no answer ({type(error).__name__})") from error
    return b"".join(parts)


def _listed(session: requests.Session, root: str) -> Mapping[str, object]:
    """The games of a server, with what is said of them where it was told at once, else None."""
    try:
        all_at_once = _json(session, f"{root}/games/metadata")
        if isinstance(all_at_once, dict) and all_at_once:
            return all_at_once
    except FetchError:
        pass  # an older server: it lists names
    names = _json(session, f"{root}/games/")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{root}/games/: a list of names of games was expected")
    return dict.fromkeys(names)


def _sheet(session: requests.Session, name: str, place: str, said: Mapping[str, Any]) -> Sheet:
    """A game of which is known what the server says of it."""
    version = said.get("version")
    folder = f"{place}v{version}/" if isinstance(version, int) else place
    rules = f"{folder}{quote(said['rulesheet'], safe='')}"
    text = decoded(fetch(session, rules))
    description = said.get("description")
    words = ""
    if isinstance(description, str) and description:
        words = decoded(fetch(session, f"{folder}{quote(description, safe='')}")).strip()
    return described(name, rules, text, said, words)


def _json(session: requests.Session, address: str) -> object:
    data = fetch(session, address)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise FetchError(f"{address}: this is no JSON") from None

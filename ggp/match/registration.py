"""Enter a player at game servers, as far as each lets a program do it.

- The GGP base server reads a file with its players when it starts.
- The Dresden server has web forms behind a log-in.
- The Tiltyard lets people enter players on its page; a program can look at one, and ask for a match.
- Our own game master takes announcements: see `ggp.match.hall`.
"""

from __future__ import annotations

import html
import json
import os
import re
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ggp.core.errors import RegistrationError, UsageError
from ggp.match.client import Address
from ggp.match.faults import printable
from ggp.match.record import Json

BASE_LIST = Path("~/.ggpserver-playerlist.json")
"""Where the GGP base server looks for its players."""
DRESDEN = "http://ggpserver.general-game-playing.de/ggpserver"
TILTYARD = "http://tiltyard.ggp.org"

_SECONDS = 30.0
"""For a server to answer."""
_MARK = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_LONGEST = 4 << 20
"""Bytes of a page."""


def add_to_base_list(path: Path, address: Address) -> bool:
    """Enter a player in the list of the GGP base server; false if it was there already.

    The file is replaced at once or not at all, and all else that it holds stays as it is.
    """
    path = path.expanduser().resolve()  # a link stays a link
    entry = f"{address.host}:{address.port}"
    known = _read_list(path)
    if entry in known["hostports"]:
        return False
    known["hostports"].append(entry)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            if path.exists():
                os.fchmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode))
            stream.write(json.dumps(known) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _read_list(path: Path) -> dict[str, Json]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"hostports": []}
    except ValueError as error:
        raise UsageError(f"{path}: this is no list of players: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path}: this is no list of players: an object was expected")
    entries = value.setdefault("hostports", [])
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise UsageError(f"{path}: hostports: a list of texts was expected")
    return value


@dataclass(frozen=True)
class DresdenPlayer:
    """A player as the Dresden server knows it."""

    name: str
    address: Address
    active: bool = True
    round_robin: bool = True
    """Available for round-robin matches."""
    manual: bool = True
    """Available for matches that people set up."""
    gdl_version: str = "v1"

    def form(self) -> dict[str, str]:
        """The fields of the form that describes a player."""
        return {
            "playerName": self.name,
            "host": self.address.host,
            "port": str(self.address.port),
            "status": "active" if self.active else "inactive",
            "availableForRoundRobinMatches": str(self.round_robin).lower(),
            "availableForManualMatches": str(self.manual).lower(),
            "gdlVersion": self.gdl_version,
        }


class Dresden:
    """The web forms of a Dresden server, with one cookie jar.

    A form that is accepted leads on to another page; one that is not comes back as it was, with complaints in it.
    """

    def __init__(self, url: str = DRESDEN) -> None:
        self._site = _Site(url)

    def new_account(self, user: str, mail: str, password: str) -> None:
        """Make an account."""
        form = {"userName": user, "emailAddress": mail, "password1": password, "password2": password}
        page = self._site.post("register/process.jsp", form)
        if not page.led_on:
            raise RegistrationError(f"{self._site.url}: the account was refused: {page.words}")

    def log_in(self, user: str, password: str) -> None:
        """Log in; RegistrationError if the server does not let us in."""
        self._site.get("members/")  # whoever logs in must have been sent to the form by a page that needs it
        page = self._site.post("j_security_check", {"j_username": user, "j_password": password})
        if "j_password" in page.text or not page.led_on:
            raise RegistrationError(f"{self._site.url}: the log-in of {user!r} was refused")

    def enter(self, player: DresdenPlayer) -> None:
        """Make a player of the account if it is not there yet, and say where it listens."""
        made = self._site.post("members/process_player.jsp", {"playerName": player.name})
        page = self._site.post("members/process_edit_player.jsp", player.form())
        if "j_password" in page.text:
            raise RegistrationError(f"{self._site.url}: the server asks for a log-in again; nothing was entered")
        if not page.led_on:
            words = page.words if made.led_on else made.words
            raise RegistrationError(f"{self._site.url}: the player {player.name!r} was refused: {words}")


class Tiltyard:
    """What a Tiltyard server lets programs do."""

    def __init__(self, url: str = TILTYARD) -> None:
        self._site = _Site(url)

    def player(self, name: str) -> dict[str, Json]:
        """What the server knows of a player."""
        return self._site.get(f"data/players/{quote(name, safe='')}").object()

    def start_match(self, codes: Sequence[str], game_url: str, clocks: tuple[int, int, int], wait: float) -> str:
        """Ask for a match; what the server answers. Clocks are those of preview (-1 for none), start and play."""
        preview, start, play = clocks
        deadline = int((time.time() + wait) * 1000)
        request = {"playerCodes": list(codes), "gameURL": game_url, "previewClock": preview, "startClock": start}
        request |= {"playClock": play, "deadline": deadline}
        return printable(self._site.post_json("scheduling/start_match", request).text, 300)


def announce(url: str, address: Address, leave: bool = False) -> dict[str, Json]:
    """Announce a player to our own game master, or take it away; what the game master answers."""
    site = _Site(url)
    request = {"host": address.host, "port": address.port}
    return site.post_json("unregister" if leave else "register", request).object()


@dataclass(frozen=True)
class _Page:
    """What a server answered."""

    url: str
    text: str
    led_on: bool
    """True if the request was answered by pointing to another page."""

    @property
    def words(self) -> str:
        """What a person would read: the `error` of an object, or the text without marks."""
        try:
            value = json.loads(self.text)
        except ValueError:
            return printable(html.unescape(_MARK.sub(" ", self.text)), 300)
        return printable(str(value["error"]) if isinstance(value, dict) and "error" in value else self.text, 300)

    def object(self) -> dict[str, Json]:
        """The page as the object that it must be."""
        try:
            value = json.loads(self.text)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise RegistrationError(f"{self.url}: no JSON object came back, but {printable(self.text)!r}")
        return value


class _Site:
    """A web site that is asked politely: one cookie jar, limits on time and size, errors in plain words."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise UsageError(f"{url!r} is no address of a server; write http://HOST[:PORT]")
        import requests  # takes a while: only where a site is asked

        self._session = requests.Session()

    def get(self, path: str) -> _Page:
        """A page."""
        return self._ask("GET", path)

    def post(self, path: str, form: Mapping[str, str]) -> _Page:
        """The page that follows a form."""
        return self._ask("POST", path, data=dict(form))

    def post_json(self, path: str, value: Json) -> _Page:
        """What follows an object."""
        return self._ask("POST", path, json=value)

    def _ask(self, method: str, path: str, **options: Json) -> _Page:
        import requests

        where = f"{self.url}/{path}"
        try:
            with self._session.request(method, where, timeout=_SECONDS, stream=True, **options) as response:
                text = response.raw.read(_LONGEST, decode_content=True).decode("utf-8", "replace")
        except requests.Timeout:
            raise RegistrationError(f"{where}: no answer within {_SECONDS:g} s") from None
        except requests.ConnectionError as error:
            raise RegistrationError(f"{where}: cannot be reached: {_reason(error)}") from None
        except (requests.RequestException, OSError) as error:
            raise RegistrationError(f"{where}: {error}") from None
        page = _Page(where, text, bool(response.history))
        if not response.ok:
            raise RegistrationError(f"{where}: {response.status_code} {response.reason}: {page.words}")
        return page


def _reason(error: BaseException) -> str:
    """The innermost cause, without the names of libraries."""
    found = error
    while inner := getattr(found, "reason", None) or found.__cause__ or found.__context__:
        found = inner
    return getattr(found, "strerror", None) or str(found)

"""Register a player with a game server, as far as the server lets a program do it, or see what would fail.

  base      enter it in the list that the GGP base server reads at its start (--file)
  dresden   make or change it through the web forms of a Dresden server (--user; the password is asked for, or taken from
            the environment variable GGP_PASSWORD)
  tiltyard  show what a Tiltyard server knows of it (--name), or ask for a match (--game-url)
  master    announce it to our own game master, or take it away (--leave)

--check looks at a running player as servers would, with two short matches; the exit code is 1 if anything would fail.

  ggp register --check localhost:9147
  ggp register master localhost:9147 --url http://localhost:9080
  ggp register base 192.168.1.7:9147
  ggp register dresden example.org:9147 --name mine --user me --url http://localhost:8080/ggpserver
  ggp register tiltyard example.org:9147 --name mine
"""

from __future__ import annotations

import getpass
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from ggp.commands import options as shared
from ggp.core.errors import RegistrationError, UsageError
from ggp.match.client import Address
from ggp.match.hall import HALL_PORT
from ggp.match.probe import Probe, ProbeSettings
from ggp.match.registration import (
    BASE_LIST,
    DRESDEN,
    TILTYARD,
    Dresden,
    DresdenPlayer,
    Tiltyard,
    add_to_base_list,
    announce,
)


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp register`."""
    parser.add_argument("server", metavar="SERVER", nargs="?", choices=sorted(_SERVERS),
                        help=f"where to register: {', '.join(sorted(_SERVERS))}")  # fmt: skip
    parser.add_argument("player", metavar="HOST:PORT", nargs="?", help="where the player listens, as the server sees it")
    parser.add_argument("--check", metavar="HOST:PORT", help="look at a player as servers would")
    parser.add_argument("--url", metavar="URL", help="the server's address, where it is not the public one")
    parser.add_argument("--name", metavar="NAME", help="dresden, tiltyard: the player's name there")
    parser.add_argument("--file", type=Path, default=BASE_LIST, metavar="FILE",
                        help="base: the list (default: %(default)s)")  # fmt: skip
    parser.add_argument("--user", metavar="USER", help="dresden: the account")
    parser.add_argument("--new-account", metavar="MAIL", help="dresden: make the account first, with this mail address")
    parser.add_argument("--inactive", action="store_true", help="dresden: enter it, but not for matches yet")
    parser.add_argument("--gdl", choices=("v1", "v2"), default="v1", help="dresden: GDL or GDL-II (default: %(default)s)")
    parser.add_argument("--game-url", metavar="URL", help="tiltyard: ask for a match of this game")
    parser.add_argument("--against", action="append", default=[], metavar="CODE",
                        help="tiltyard: the other players: random, or http://HOST:PORT")  # fmt: skip
    parser.add_argument("--startclock", type=shared.positive_int, metavar="S",
                        help="tiltyard, --check: seconds to prepare (60; 5)")  # fmt: skip
    parser.add_argument("--playclock", type=shared.positive_int, metavar="S",
                        help="tiltyard, --check: seconds for each move (15; 5)")  # fmt: skip
    parser.add_argument("--leave", action="store_true", help="master: take the player away")
    parser.add_argument("--json", action="store_true", help="print what --check found as a list of objects")


def run(options: Namespace) -> int:
    """Register or check one player; 1 if the server refuses, or something would fail."""
    if options.check is not None:
        if options.server is not None:
            raise UsageError("--check stands alone: name no server beside it")
        return _check(options)
    if options.server is None or options.player is None:
        raise UsageError("say where to register which player: ggp register master HOST:PORT, or --check HOST:PORT")
    try:
        _SERVERS[options.server](options, Address.parse(options.player))
    except RegistrationError as error:
        print(f"ggp: {error}", file=sys.stderr)
        return 1
    return 0


def _check(options: Namespace) -> int:
    clocks = {"start_clock": options.startclock, "play_clock": options.playclock}
    settings = ProbeSettings(**{name: value for name, value in clocks.items() if value is not None})
    findings = []
    for finding in Probe(Address.parse(options.check), settings).findings():
        findings.append(finding)
        if not options.json:
            mark = "ok  " if finding.good else "FAIL" if finding.essential else "note"
            print(f"{mark}  {finding.name}: {finding.detail}", flush=True)
    if options.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    failed = sum(1 for finding in findings if finding.essential and not finding.good)
    if not options.json:
        print("a server would find nothing wrong" if not failed else f"{failed} of {len(findings)} would fail")
    return 1 if failed else 0


def _base(options: Namespace, address: Address) -> None:
    new = add_to_base_list(options.file, address)
    print(f"{options.file}: {address.host}:{address.port} {'entered' if new else 'was there already'}")
    print("The GGP base server reads the list when it starts.")


def _dresden(options: Namespace, address: Address) -> None:
    if options.name is None or options.user is None:
        raise UsageError("dresden needs --name and --user")
    password = os.environ.get("GGP_PASSWORD") or getpass.getpass(f"password of {options.user}: ")
    server = Dresden(options.url or DRESDEN)
    if options.new_account is not None:
        server.new_account(options.user, options.new_account, password)
    server.log_in(options.user, password)
    server.enter(DresdenPlayer(options.name, address, active=not options.inactive, gdl_version=options.gdl))
    print(f"{options.url or DRESDEN}: {options.name} plays at {address}")


def _tiltyard(options: Namespace, address: Address) -> None:
    server = Tiltyard(options.url or TILTYARD)
    if options.game_url is not None:
        clocks = (-1, options.startclock or 60, options.playclock or 15)
        print(server.start_match([str(address), *options.against], options.game_url, clocks, _MATCH_WAITS))
        return
    if options.name is None:
        raise UsageError("tiltyard needs --name to look at the player, or --game-url to ask for a match")
    print(json.dumps(server.player(options.name), indent=1))
    print("Players are entered on the server's page, behind a log-in.", file=sys.stderr)


def _master(options: Namespace, address: Address) -> None:
    url = options.url or f"http://127.0.0.1:{HALL_PORT}"
    answer = announce(url, address, options.leave)
    what = "left" if options.leave else f"is registered as {answer.get('name')}"
    print(f"{url}: {address} {what}")


_MATCH_WAITS = 3600.0
"""Seconds that a match may wait for its players."""
_SERVERS: dict[str, Callable[[Namespace, Address], None]] = {
    "base": _base, "dresden": _dresden, "tiltyard": _tiltyard, "master": _master
}  # fmt: skip

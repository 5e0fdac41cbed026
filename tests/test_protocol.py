"""The protocol on real sockets: every row of its tables, every kind of client, strangers, and replayed messages.

The children are stand-ins (see player_fakes); test_player_process.py does the same with real ones.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import quote, quote_plus

import pytest

from ggp.match.settings import ListenerSettings, PlayerSettings
from tests.player_fakes import LEGAL, RULES, Behaviour, Served, background, mutations, post, served, start, talk, until

AVAILABLE = "( ( name ggp ) ( status available ) ( species alien ) )"
TAKEN = AVAILABLE.replace("available", "busy")


@pytest.fixture
def player() -> Iterator[Served]:
    with served() as found:
        yield found


# -- messages ---------------------------------------------------------------------------------------------------------


def test_a_whole_match(player: Served) -> None:
    assert player.say("( INFO )") == AVAILABLE
    assert player.say("( PING )") == "available"
    assert player.say(f"( PREVIEW ({RULES}) 5 )") == "ready"
    assert player.say(start()) == "ready"
    assert player.say("( INFO )") == TAKEN
    assert player.say("( PING )") == "busy"
    assert player.say(f"( PREVIEW ({RULES}) 5 )") == "busy"
    assert player.say("( PLAY M.1 NIL )") == "(Go 1 Right)"
    assert player.say("( PLAY M.1 ((go 1 right) left) )") == "(Go 1 Right)"
    assert player.say("( STOP M.1 (left left) )") == "done"
    assert player.say("( INFO )") == AVAILABLE
    until(lambda: not player.nursery.living)
    assert ("finished", {"match": "M.1", "steps": 2, "terminal": False, "goals": [100, 0]}) in player.events


@pytest.mark.parametrize(
    "change", [str.upper, str.lower, str.title, lambda text: text.replace("( ", "(").replace(" )", ")")]
)
def test_commands_in_any_case_and_spacing(player: Served, change: object) -> None:
    def changed(text: str) -> str:
        return change(text)  # type: ignore[operator, no-any-return]

    words = ["( START ", "( PLAY ", "( STOP "]
    begin, play, stop = (changed(word) if callable(change) else word for word in words)
    assert player.say(start().replace("( START ", begin)) == "ready"
    assert player.say(f"{play}M.1 NIL )") in LEGAL
    assert player.say(f"{play}m.1 NIL )") == "busy"  # ids are compared exactly
    assert player.say(f"{stop}M.1 (left left) )") == "done"
    assert player.say(changed("( INFO )")) == AVAILABLE


def test_a_move_comes_with_what_stood_behind_it(player: Served) -> None:
    player.say(start(clock=2))
    reply = talk(player.port, post("( PLAY M.1 NIL )"))
    assert reply.body.decode() in LEGAL
    assert json.loads(reply.headers["x-ggp-report"])["how"] == "mind"
    player.behaviour.silent = True
    killed = background(lambda: talk(player.port, post("( PLAY M.1 (left left) )")))
    until(lambda: len([c for c in player.nursery.last("mind").commands if c["do"] == "advance"]) == 2)
    player.nursery.last("mind").kill()
    report = json.loads(killed().headers["x-ggp-report"])
    assert "child-died" in report["events"]
    assert "x-ggp-report" not in talk(player.port, post("( INFO )")).headers


def test_stop_without_play_and_extra_arguments(player: Served) -> None:
    assert player.say(start()[:-1] + "these are extra )") == "ready"
    assert player.say("( STOP M.1 NIL )") == "done"
    assert player.say("( INFO )") == AVAILABLE


def test_abort_during_thought_frees_the_player(player: Served) -> None:
    player.behaviour.silent = True
    player.say(start())
    waiting = background(lambda: player.say("( PLAY M.1 NIL )"))
    until(lambda: "advance" in [c["do"] for c in player.nursery.last("mind").commands])
    before = time.monotonic()
    assert player.say("( INFO )") == TAKEN
    assert player.say("( ABORT M.1 )") == "aborted"
    assert time.monotonic() - before < 1
    assert waiting() in LEGAL
    assert player.say("( INFO )") == AVAILABLE
    until(lambda: not player.nursery.living)


def test_abort_during_start_and_between_moves(player: Served) -> None:
    player.behaviour.load_delay = 5.0
    waiting = background(lambda: player.say(start()))
    until(lambda: len(player.nursery.born) == 2)
    assert player.say("( ABORT M.1 )") == "aborted"
    assert waiting() == "busy"
    player.behaviour.load_delay = 0.0
    assert player.say(start("M.2")) == "ready"
    assert player.say("( PLAY M.2 NIL )") in LEGAL
    assert player.say("( ABORT M.2 )") == "aborted"
    assert player.say("( PLAY M.2 (left left) )") == "busy"
    assert player.say("( ABORT M.2 )") == "aborted"  # the same message again gets the same reply
    assert player.say("( ABORT M.3 )") == "busy"


def test_unknown_ids_are_busy_and_change_nothing(player: Served) -> None:
    for message in ("( PLAY x NIL )", "( PLAY x (a b) )", "( STOP x (a b) )", "( ABORT x )"):
        assert player.say(message) == "busy"
    player.say(start())
    for message in ("( PLAY x NIL )", "( STOP x (a b) )", "( ABORT x )", "( PLAY M.10 NIL )"):
        assert player.say(message) == "busy"
    assert player.say("( PLAY M.1 NIL )") in LEGAL
    assert player.say("( INFO )") == TAKEN


def test_start_during_a_match(player: Served) -> None:
    assert player.say(start()) == "ready"
    assert player.say("( PLAY M.1 NIL )") in LEGAL
    assert player.say(start("M.2")) == "busy"
    assert player.say(start()) == "ready"  # the same again: the same reply, and nothing is lost
    assert len(player.nursery.born) == 2
    assert player.say("( PLAY M.1 (left left) )") in LEGAL
    assert player.nursery.last("mind").commands[-1]["step"] == 1


def test_a_lost_match_gives_way_to_a_new_one() -> None:
    with served(PlayerSettings(stale_seconds=0.2, stale_clocks=0.1)) as player:
        assert player.say(start(clock=1, start_clock=1)) == "ready"
        assert player.say("( PLAY M.1 NIL )") in LEGAL
        assert player.say(start("M.2")) == "busy"
        until(lambda: player.say("( INFO )") == AVAILABLE)
        until(lambda: {"do": "rest", "rest": True} in player.nursery.last("mind").commands)
        assert player.say("( PLAY M.1 (left left) )") in LEGAL  # it was not lost after all
        until(lambda: {"do": "rest", "rest": False} in player.nursery.last("mind").commands)
        until(lambda: player.say("( INFO )") == AVAILABLE)
        assert player.say(start("M.2")) == "ready"
        assert player.say("( PLAY M.1 (left left) )") == "busy"
        assert player.say("( PLAY M.2 NIL )") in LEGAL
        assert len(player.nursery.living) == 2


def test_too_many_new_matches_are_busy() -> None:
    with served(PlayerSettings(match_burst=2, match_rate=0.001)) as player:
        for number in range(2):
            assert player.say(start(f"M.{number}")) == "ready"
            assert player.say(f"( STOP M.{number} NIL )") == "done"
        assert player.say(start("M.3")) == "busy"
        assert player.names().count("refused-start") == 1


def test_rules_that_make_no_sense_are_busy() -> None:
    with served(behaviour=Behaviour(refuse="nonsense")) as player:
        assert player.say(start()) == "busy"
        assert player.say("( INFO )") == AVAILABLE
        assert player.say("( PLAY M.1 NIL )") == "busy"
    with served(behaviour=Behaviour(refuse="no Prolog", refuses=("referee",))) as player:
        assert player.say(start()) == "ready"
        assert player.say("( PLAY M.1 NIL )") in LEGAL


def test_rules_that_kill_the_children_are_busy_and_the_player_is_free_again() -> None:
    with served(behaviour=Behaviour(dies=True)) as player:
        assert player.say(start()) == "busy"
        assert player.say("( INFO )") == AVAILABLE
        assert player.names().count("child-died") == 6
        player.behaviour.dies = False
        assert player.say(start("M.2")) == "ready"


def test_both_forms_of_hidden_information(player: Served) -> None:
    player.say(start())
    assert player.say("( PLAY M.1 0 NIL NIL )") in LEGAL
    assert player.say("( PLAY M.1 1 (Go 1 Right) ((sees Left) nothing) )") in LEGAL
    assert player.say("( PLAY M.1 1 (Go 1 Right) ((sees Left) nothing) )") in LEGAL
    last = player.nursery.last("mind").commands[-1]
    assert (last["do"], last["step"]) == ("advance", 1)
    assert (last["seen"], last["percepts"], last["own"]) == (("(sees left)", "nothing"), True, "(go 1 right)")
    assert player.say("( STOP M.1 2 left () )") == "done"
    assert player.nursery.last("referee").commands[-1]["own"] == "left"
    with served(PlayerSettings(gdl2=True)) as other:
        other.say(start())
        other.say("( PLAY M.1 NIL )")
        other.say("( PLAY M.1 (nothing) )")
        assert other.nursery.last("mind").commands[-1]["percepts"]
        assert other.nursery.last("mind").commands[-1]["own"] == "(Go 1 Right)"


def test_the_bare_status_as_info() -> None:
    with served(PlayerSettings(name="Me", info_style="atom")) as player:
        assert player.say("( INFO )") == "available"
        player.say(start())
        assert player.say("( INFO )") == "busy"


# -- repeated and reordered messages ----------------------------------------------------------------------------------


def test_a_play_that_is_repeated_while_it_is_thought_about(player: Served) -> None:
    player.behaviour.think = 0.5
    player.say(start())
    answers = [background(lambda: player.say("( PLAY M.1 NIL )")) for _ in range(5)]
    assert len({wait() for wait in answers}) == 1
    assert sum(c["do"] == "advance" for c in player.nursery.last("mind").commands) == 1


def test_a_play_that_is_repeated_later_with_its_step(player: Served) -> None:
    player.say(start())
    headers = {"GGP_Match_Step": "0"}
    first = player.say("( PLAY M.1 NIL )", **headers)
    player.behaviour.move = LEGAL[0]
    second = player.say("( PLAY M.1 (left left) )", GGP_Match_Step="1")
    assert (first, second) == (LEGAL[1], LEGAL[0])
    assert player.say("( PLAY M.1 (left left) )", GGP_Match_Step="1") == second
    assert player.say("( PLAY M.1 NIL )", **headers) == first
    player.behaviour.move = LEGAL[1]
    assert player.say("( PLAY M.1 (left left) )", GGP_Match_Step="2") == LEGAL[1]  # the same moves, but a new step
    assert [c["step"] for c in player.nursery.last("mind").commands if c["do"] == "advance"] == [0, 1, 2]


def test_a_play_that_is_repeated_later_without_its_step(player: Served) -> None:
    player.say(start())
    player.say("( PLAY M.1 NIL )")
    assert player.say("( PLAY M.1 NIL )") == LEGAL[1]
    player.say("( PLAY M.1 (left left) )")
    player.behaviour.legal_now = False  # moves that cannot follow are those of a message that came before
    player.behaviour.move = LEGAL[0]
    assert player.say("( PLAY M.1 (left left) )") == LEGAL[1]
    player.behaviour.legal_now = True
    assert player.say("( PLAY M.1 (left left) )") == LEGAL[0]
    assert player.say("( PLAY M.1 NIL )") == LEGAL[1]
    assert player.nursery.last("mind").commands[-1]["step"] == 2


def test_a_stop_that_is_repeated(player: Served) -> None:
    player.say(start())
    assert player.say("( STOP M.1 (left left) )") == "done"
    assert player.say("( STOP M.1 (left left) )") == "done"
    assert player.say("( PLAY M.1 (left left) )") == "busy"


# -- HTTP -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_the_form_of_a_reply(player: Served, version: str) -> None:
    answer = talk(player.port, post("( INFO )", version))
    assert answer.status == f"HTTP/{version} 200 OK"
    assert answer.headers["content-type"] == "text/acl"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["connection"] == "close"
    assert answer.raw.isascii()


STRANGE = {
    "no host": b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )",
    "no host in 1.1": b"POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n( INFO )",
    "names in another case": b"POST / HTTP/1.0\r\nContent-type: text/acl\r\ncontent-LENGTH:8\r\n\r\n( INFO )",
    "form": b"POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 8\r\n\r\n( INFO )",
    "json": b"POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n( INFO )",
    "form that is encoded": b"POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\n%28+INFO+%29",
    "bare line feeds": b"POST / HTTP/1.0\nContent-Length: 8\n\n( INFO )",
    "empty body": b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
    "blanks": b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n \r\n",
    "no length": b"POST / HTTP/1.0\r\n\r\n( INFO )",
    "chunks": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\n( I\r\n5\r\nNFO )\r\n0\r\n\r\n",
    "get": b"GET /" + quote("( INFO )").encode() + b" HTTP/1.1\r\n\r\n",
    "get with pluses": b"GET /" + quote_plus("( INFO )").encode() + b" HTTP/1.0\r\n\r\n",
    "get with blanks": b"GET /( INFO ) HTTP/1.0\r\n\r\n",
    "get with a question mark": b"GET /?(INFO) HTTP/1.0\r\n\r\n",
    "get of nothing": b"GET / HTTP/1.1\r\n\r\n",
    "put": b"PUT /somewhere HTTP/1.1\r\nContent-Length: 8\r\n\r\n( INFO )",
    "a whole address": b"POST http://me:9147/ HTTP/1.1\r\nContent-Length: 8\r\n\r\n( INFO )",
    "empty lines first": b"\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n( INFO )",
    "a header that is none": b"POST / HTTP/1.1\r\nwhat is this\r\nContent-Length: 8\r\n\r\n( INFO )",
    "something behind it": b"POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n( INFO )POST / HTTP/1.1\r\n\r\n",
    "a byte order mark": b"POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n\xef\xbb\xbf( INFO )",
}


@pytest.mark.parametrize("request_", STRANGE.values(), ids=STRANGE)
def test_requests_of_all_kinds_are_understood(request_: bytes, player: Served) -> None:
    assert talk(player.port, request_, half_close=b"HTTP/1.0\r\n\r\n( I" in request_).body.decode() == AVAILABLE


def test_a_body_without_length_and_without_end(player: Served) -> None:
    assert talk(player.port, STRANGE["no length"]).body.decode() == AVAILABLE


def test_head_and_preflight(player: Served) -> None:
    answer = talk(player.port, b"HEAD / HTTP/1.1\r\n\r\n")
    assert answer.body == b"" and answer.headers["content-length"] == str(len(AVAILABLE))
    answer = talk(player.port, b"OPTIONS / HTTP/1.1\r\nOrigin: x\r\nAccess-Control-Request-Headers: sender\r\n\r\n")
    assert (answer.status, answer.body) == ("HTTP/1.1 200 OK", b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert {"POST", "GET", "OPTIONS"} <= set(answer.headers["access-control-allow-methods"].split(", "))
    assert {"Sender", "Receiver", "Content-Type"} <= set(answer.headers["access-control-allow-headers"].split(", "))


def test_continue_is_said_where_it_is_expected(player: Served) -> None:
    head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n"
    with socket.create_connection(("127.0.0.1", player.port), timeout=5) as connection:
        connection.sendall(head)
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"( INFO )")
        assert AVAILABLE.encode() in connection.recv(10_000)


WRONG = {
    "no HTTP": b"( INFO )\r\n\r\n",
    "noise": b"\x00\xff\x16\x03\x01\r\n\r\n",
    "a length that is none": b"POST / HTTP/1.1\r\nContent-Length: -8\r\n\r\n( INFO )",
    "a length like a law code": b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999999\r\n\r\n( INFO )",
    "longer than is taken": b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n( INFO )",
    "a chunk without size": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n",
    "a chunk longer than is taken": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
    "not closed": post("( PLAY m (a b)"),
    "no message": post("hello"),
    "deep": post("(" * 30_000),
    "icon": b"GET /favicon.ico HTTP/1.1\r\n\r\n",
    "cut off": b"POST / HTTP/1.1\r\nContent-Length: 80\r\n\r\n( INFO )",
    "half a head": b"POST / HTTP/1.1\r\nContent-Le",
    "a long head": b"POST / HTTP/1.1\r\n" + b"x: " + b"y" * 70_000,
    "law of small numbers": b"POST / HTTP/1.1\r\nContent-Length: \xb2\r\n\r\n( INFO )",
}


@pytest.mark.parametrize("request_", WRONG.values(), ids=WRONG)
def test_what_makes_no_sense_gets_an_error_and_never_a_traceback(request_: bytes, player: Served) -> None:
    answer = talk(player.port, request_, half_close=True)
    assert answer.status.endswith("200 OK")
    assert answer.body.startswith(b"( error ") and answer.body.endswith(b" )")
    assert answer.body.isascii() and b"\n" not in answer.body and len(answer.body) < 300
    assert player.say("( INFO )") == AVAILABLE


def test_names_beyond_ascii_in_both_encodings(player: Served) -> None:
    for encoding, match in (("utf-8", "Spiel.ä"), ("latin-1", "Spiel.ü")):
        player.behaviour.move = None
        assert talk(player.port, post(start(match).encode(encoding))).body == b"ready"
        assert talk(player.port, post(f"( PLAY {match} NIL )".encode(encoding))).body.decode() in LEGAL
        assert talk(player.port, post(f"( ABORT {match} )".encode(encoding))).body == b"aborted"
    assert player.say("( HÄLLO )").isascii()


def test_one_byte_at_a_time(player: Served) -> None:
    assert talk(player.port, post("( INFO )"), piece=1).body.decode() == AVAILABLE


def test_a_start_of_five_megabytes(player: Served) -> None:
    facts = " ".join(f"(distance {number} {number * 7919 % 100_003})" for number in range(220_000))
    message = start().replace(RULES, f"{RULES} {facts}")
    assert len(message) > 5_000_000
    before = time.process_time()
    assert player.say(message) == "ready"
    assert time.process_time() - before < 5
    assert player.nursery.last("referee").commands[0]["rules"].endswith(facts)


def test_fifty_connections_at_once_and_stalled_ones_beside_them(player: Served) -> None:
    stalled = [socket.create_connection(("127.0.0.1", player.port)) for _ in range(30)]
    for number, connection in enumerate(stalled):
        connection.sendall(post("( INFO )")[: number * 3])
    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(lambda _: player.say("( INFO )"), range(50)))
    assert replies == [AVAILABLE] * 50
    for connection in stalled:
        connection.close()


def test_stalled_connections_make_room_and_come_to_an_end() -> None:
    web = ListenerSettings(port=0, connections=5, silent_seconds=2.0, request_seconds=2.0)
    with served(web=web) as player:
        stalled = [socket.create_connection(("127.0.0.1", player.port), timeout=5) for _ in range(12)]
        for connection in stalled:
            connection.sendall(b"POST /")
        before = time.monotonic()
        assert player.say("( INFO )") == AVAILABLE
        assert time.monotonic() - before < 1.5
        for connection in stalled:
            with connection:
                assert b"Traceback" not in connection.recv(1000)
        dripping = socket.create_connection(("127.0.0.1", player.port), timeout=5)
        try:
            while time.monotonic() - before < 20:
                dripping.sendall(b"x")
                time.sleep(0.1)
        except OSError:
            pass
        finally:
            dripping.close()
        assert time.monotonic() - before < 20


def test_a_client_that_leaves_without_its_reply(player: Served) -> None:
    player.behaviour.think = 0.3
    player.say(start())
    with socket.create_connection(("127.0.0.1", player.port)) as connection:
        connection.sendall(post("( PLAY M.1 NIL )"))
    until(lambda: len(player.nursery.last("mind").commands) > 1)
    assert player.say("( PLAY M.1 NIL )") == LEGAL[1]
    assert player.nursery.last("mind").commands[-1]["step"] == 0


def test_strangers_do_not_disturb_a_match(player: Served) -> None:
    _fuzz(player, seed=1, count=500)


@pytest.mark.slow
def test_ten_thousand_strangers_do_not_disturb_a_match(player: Served) -> None:
    _fuzz(player, seed=2, count=10_000)


def _fuzz(player: Served, seed: int, count: int) -> None:
    """Send changed requests from several threads while a match goes on, and expect all its answers in time."""
    valid = [
        post("( INFO )"), post(start("other")), post("( PLAY M.1x (left left) )"), post("( STOP other (left left) )"),
        post("( ABORT other )"), *(v for k, v in STRANGE.items() if k != "no length"),
        post("( PLAY other 3 left (a) )", "1.0"), post(f"( PREVIEW ({RULES}) 3 )"),
    ]  # fmt: skip
    player.say(start("Match.Fuzz.1"))

    def send(request: bytes) -> bytes:
        try:
            return talk(player.port, request, half_close=True).raw
        except ConnectionError:  # a client that is cut off, as one that sends more than its message
            return b""

    with ThreadPoolExecutor(8) as pool:
        pending = [pool.submit(send, request) for request in mutations(seed, count, valid)]
        step, seen = 0, "NIL"
        while not all(future.done() for future in pending):
            before = time.monotonic()
            assert player.say(f"( PLAY Match.Fuzz.1 {seen} )", GGP_Match_Step=str(step)) in LEGAL
            assert time.monotonic() - before < 5
            step, seen = step + 1, "(left left)"
        answers = [future.result() for future in pending]
    assert all(not answer or b"200 OK" in answer[:20] for answer in answers)
    assert not any(b"Traceback" in answer or b'File "' in answer for answer in answers)
    assert sum(answer != b"" for answer in answers) > 0.9 * count
    assert player.say("( STOP Match.Fuzz.1 (left left) )") == "done"
    assert step > 3


def test_the_status_line_tells_what_goes_on(player: Served) -> None:
    shown: list[str] = []
    player.player._journal.show = shown.append  # type: ignore[method-assign, assignment]
    player.behaviour.think = 0.6
    player.say(start())
    waiting = background(lambda: player.say("( PLAY M.1 NIL )"))
    until(lambda: "ggp: M.1  Me  step 0  10 s left" in shown)
    waiting()
    until(lambda: "ggp: M.1  Me  step 0  waiting for the server  1,000 simulations/s  expects 50" in shown)
    player.say("( ABORT M.1 )")
    until(lambda: shown[-1] == "ggp: available")


def test_the_settings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        PlayerSettings().margin = 3.0  # type: ignore[misc]
    assert replace(PlayerSettings(), margin=3.0).margin == 3.0

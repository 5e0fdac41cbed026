"""The page in a real browser: Debian's Chromium, driven by Playwright. Nothing may be said on its console."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")

from ggp.web.app import PAGE
from tests.fakes import serve
from tests.helpers import TINY, started
from tests.test_hall import running
from tests.test_master import PAIR, player
from tests.web_browser import needs_chromium, page_of, violations
from tests.web_site import Site, site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocketRoute

pytestmark = needs_chromium
HOSTILE = "<img src=x onerror=alert(1)>"


def link(served: Site, game: str, *players: str, **more: object) -> str:
    """The address of a new match, with the keys of all its people."""
    made = served.post("/api/matches", game=game, players=list(players), seed=1, playclock=0.5, **more)
    return f"{served.url}/#/match/{made['id']}/{','.join(made['keys'].values())}"


def play_by_clicks(page: Page, most: int) -> None:
    """Click what can be clicked until the match is over; of several moves on the same cells the first is taken."""
    for _ in range(most):
        page.wait_for_selector(".cell.ready, .choices button.chip, a.button:has-text('Record')")
        if page.locator("a.button:has-text('Record')").count():
            return
        chooser = page.locator(".choices summary:has-text('Which of these?')")
        ready = page.locator(".cell.ready")
        target = page.locator(".choices button.chip") if chooser.count() or not ready.count() else ready
        if target.count():
            target.first.dispatch_event("click")
    raise AssertionError(f"not over after {most} clicks")


def test_a_match_is_begun_and_played_and_a_reload_loses_nothing(browser: Browser, served: Site) -> None:
    with page_of(browser, served.url) as page:
        page.fill("input[type=search]", "connect four")
        page.click(".card")
        page.fill("#name", HOSTILE)
        page.select_option("#seat-1", "legal")
        page.click("dialog button.main")
        page.locator("[data-place='4 1'].ready").click()
        page.wait_for_selector("[data-place='1 1'].mark-to")
        assert page.locator(".people .name").first.inner_text() == HOSTILE
        page.wait_for_selector(".cell.ready")
        page.reload()
        page.wait_for_selector("[data-place='4 2'].ready")
        assert page.locator(".steps .step").count() == 2
        page.locator("[data-place='4 2'].ready").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")  # the keyboard is enough
        page.wait_for_function("() => document.querySelectorAll('.steps .step').length === 4")
        assert page.locator("[data-place='5 1'] .piece").count() == 1
        page.click("button:has-text('Undo')")
        page.wait_for_function("() => document.querySelectorAll('.steps .step').length === 2")


@pytest.mark.slow
def test_a_newcomer_plays_after_three_clicks_and_soon(browser: Browser, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ggp.cli", "web", str(tmp_path), "--port", "0"]
    cold = {**os.environ, "PYTHONUNBUFFERED": "1", "GGP_CACHE": str(tmp_path / "cache")}
    begun = time.monotonic()
    with started(command, stdout=subprocess.PIPE, env=cold) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[1]
        with page_of(browser, address) as page:
            clicks: list[Callable[[], None]] = [
                lambda: page.click(".card:has-text('Connect four')"),
                lambda: page.click("dialog button.main"),
                lambda: page.locator(".cell.ready").nth(3).click(),
            ]
            for click in clicks:
                click()
            page.wait_for_function("() => document.querySelectorAll('.steps .step').length >= 2", timeout=120_000)
            taken = time.monotonic() - begun
            assert "ucd" in page.locator(".people .name").nth(1).inner_text()
    print(f"a match against ucd: {len(clicks)} clicks, {taken:.1f} s from the command to its first move")
    assert taken < 60


@pytest.mark.slow
@pytest.mark.parametrize(("game", "most"), [("connect_four", 60), ("hex_5x5", 40), ("chess_200", 900)])
def test_games_are_played_to_the_end_by_clicks(browser: Browser, served: Site, game: str, most: int) -> None:
    with page_of(browser, link(served, game, "human", "random")) as page:
        play_by_clicks(page, most)
        assert page.inner_text(".status").startswith("the game is over")
        page.click("a.button:has-text('Record')")
        page.wait_for_selector("text=verified by the rules")
        page.click("button[aria-label='newest step'] >> visible=true")
        page.click("summary:has-text('Charts')")


@pytest.mark.slow
def test_two_people_choose_at_the_same_time_while_ten_watch(browser: Browser, served: Site) -> None:
    made = served.post("/api/matches", game="tron", players=["human", "human"], seed=1)
    address = f"{served.url}/#/match/{made['id']}"
    with (
        page_of(browser, f"{address}/{made['keys']['0']}") as red,
        page_of(browser, f"{address}/{made['keys']['1']}") as blue,
    ):
        watchers = [blue.context.new_page() for _ in range(10)]
        for watcher in watchers:
            watcher.goto(address)
            watcher.wait_for_selector(".cell")
            assert watcher.locator(".cell.ready").count() == 0
        for step in range(1, 4):
            red.locator(".choices button.chip").first.click()
            red.wait_for_selector("text=waiting for blue")
            assert blue.locator(".steps .step").count() == step - 1
            blue.locator(".choices button.chip").last.click()
            for page in (red, blue, *watchers):
                page.wait_for_function(f"() => document.querySelectorAll('.steps .step').length === {step}")
        begun = time.monotonic()
        red.click("button:has-text('Resign')")
        for page in (red, blue, *watchers):
            page.wait_for_selector("text=red resigns")
            assert page.locator(".people .note").all_inner_texts() == ["0 points", "100 points"]
        assert time.monotonic() - begun < 5


@pytest.mark.slow
def test_a_connection_that_was_lost_comes_back(browser: Browser, served: Site) -> None:
    match = link(served, "tic_tac_toe", "human", "human")
    sockets: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    with page_of(browser, "about:blank") as page:
        page.route_web_socket("**/live", pass_on)
        page.goto(match)
        page.locator("[data-place='2 2'].ready").click()
        page.wait_for_selector("[data-place='2 2'].mark-to")
        sockets[0].close(code=4000)
        page.locator("[data-place='1 1'].ready").click()
        page.wait_for_selector("[data-place='1 1'].mark-to")
        assert len(sockets) == 2


def tab_to(page: Page, wanted: str, key: str = "Tab") -> None:
    """Press a key until the focus is where it is wanted."""
    for _ in range(120):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
        page.keyboard.press(key)
    raise AssertionError(f"no {key} leads to {wanted}")


def arrow_to(page: Page, wanted: str) -> None:
    """Press arrow keys until the focus is on a place of the board."""
    by = """wanted => {
        const [a, b] = [document.activeElement, document.querySelector(wanted)].map((one) => one.getBoundingClientRect());
        const [x, y] = [b.x - a.x, b.y - a.y];
        if (Math.abs(x) > 2) return x > 0 ? "ArrowRight" : "ArrowLeft";
        return Math.abs(y) < 2 ? "" : y > 0 ? "ArrowDown" : "ArrowUp";
    }"""
    for _ in range(20):
        if not (key := page.evaluate(by, wanted)):
            return
        page.keyboard.press(key)
    raise AssertionError(f"no arrow leads to {wanted}")


@pytest.mark.slow
def test_a_whole_match_is_played_by_the_keyboard_alone(browser: Browser, served: Site) -> None:
    with page_of(browser, served.url) as page:
        page.wait_for_selector(".card")
        tab_to(page, "input[type=search]")
        page.keyboard.type("tic_tac_toe")
        tab_to(page, ".card")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog button.main:focus")
        tab_to(page, "#seat-1", "Shift+Tab")
        page.keyboard.type("legal")
        tab_to(page, "dialog button.main")
        page.keyboard.press("Enter")
        over = "a.button:has-text('Record')"
        for place in ("3 3", "3 2", "2 2", "3 1", "1 3"):  # against whoever takes the first free one
            page.wait_for_selector(f".cell.ready, {over}")
            if page.locator(over).count():
                break
            tab_to(page, "[data-place]")
            arrow_to(page, f"[data-place='{place}']")
            steps = page.locator(".steps .step").count()
            page.keyboard.press("Enter")
            page.wait_for_function("steps => document.querySelectorAll('.steps .step').length > steps", arg=steps)
        page.wait_for_selector(over)
        tab_to(page, "a.button[href*=record]")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=verified by the rules")


@pytest.mark.slow
def test_the_graph_of_a_search_is_explored(browser: Browser, served: Site) -> None:
    with page_of(browser, link(served, "tic_tac_toe", "human", "human")) as page:
        page.wait_for_selector(".cell.ready")
        page.click("summary:has-text('Analysis')")
        page.select_option("select[aria-label='seconds of analysis']", "2")
        page.click("button:has-text('Analyse')")
        page.click("summary:has-text('Graph of the search')", timeout=60_000)
        page.locator(".graph .node").nth(1).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Not played: after x: mark")
        page.locator(".graph .node.met").first.click()  # a transposition: two marks of x, in either order
        page.wait_for_selector(".graph .ways .chip >> nth=1")
        before = page.locator(".graph [aria-label='moves to this position'] .chip").all_inner_texts()
        page.locator(".graph .ways .chip").last.click()
        page.locator(".graph .ways .chip").first.click()
        after = page.locator(".graph [aria-label='moves to this position'] .chip").all_inner_texts()
        assert len(before) == len(after) == 4 and page.locator(".board .piece").count() == 3
        assert violations(page) == []
        page.click("button:has-text('Back')")
        page.wait_for_selector(".cell.ready")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "spec", "place"),
    [("go_9x9", "gtp:gnugo", "5 5"), ("chess", "uci:stockfish", ""), ("chess", "uci:fairy-stockfish", "")],
)
def test_specialists_are_played_against(browser: Browser, served: Site, game: str, spec: str, place: str) -> None:
    if spec not in served.post("/api/seats", game=game)["programs"]:
        pytest.skip(f"{spec} is not installed: `make specialists`")
    with page_of(browser, f"{served.url}/#/games/{game}") as page:
        page.select_option("#seat-1", spec)
        page.fill("#clock", "15")  # other work may keep the processor from the program
        page.click("dialog button.main")
        for step in (1, 3):  # of people; the other one answers
            page.wait_for_selector(".cell.ready")
            if place and step == 1:
                page.locator(f"[data-place='{place}'].ready").click()
            else:
                page.locator(".cell.ready").first.click()
                if not place:
                    page.locator(".cell.ready").first.click()
            page.wait_for_function("steps => document.querySelectorAll('.steps .step').length > steps", arg=step)
        assert page.locator(".steps .fault").all_inner_texts() == []
        page.click("button:has-text('Resign')")
        page.wait_for_selector(".people .note:has-text('100 points')")


@pytest.mark.slow
def test_a_player_over_http_plays_and_its_name_is_no_markup(browser: Browser, served: Site) -> None:
    with serve(player(name="<b>Max</b>")) as fake, page_of(browser, served.url) as page:
        made = served.post("/api/matches", text=PAIR, players=["human", fake.url], playclock=1)
        page.goto(f"{served.url}/#/match/{made['id']}/{made['keys']['0']}")
        page.wait_for_selector(".choices button.chip")
        assert page.locator(".people .name").last.inner_text() == "<b>Max</b>"
        play_by_clicks(page, 10)
        assert {"START", "PLAY"} <= set(fake.commands())


@pytest.mark.slow
def test_a_player_that_has_announced_itself_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    with (
        running(tmp_path / "hall", {"solo": TINY}) as hall,
        serve(player(name="Announced")) as fake,
        site(tmp_path, hall=hall.hall.status) as served,
        page_of(browser, f"{served.url}/#/matches") as page,
    ):
        hall.register(fake.url)
        row = page.locator("tr:has-text('Announced')")
        row.wait_for()
        assert fake.url.partition("//")[2] in row.inner_text()
        page.goto(f"{served.url}/#/games/tic_tac_toe")
        page.select_option("#seat-1", label="Announced, announced here")
        page.click("dialog button.main")
        page.wait_for_selector(".people .name:has-text('Announced')")


@pytest.mark.slow
def test_the_first_paint_comes_soon_and_is_small(browser: Browser, served: Site) -> None:
    seen = """() => ({
        paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
        bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
            .reduce((sum, one) => sum + one.transferSize, 0),
        hosts: [...new Set(performance.getEntriesByType("resource").map((one) => new URL(one.name).host))],
    })"""
    found = []
    for _ in range(3):  # other work may delay one
        with page_of(browser, served.url) as page:
            page.wait_for_selector(".card .cell")
            found.append(page.evaluate(seen))
    print([(round(one["paint"]), one["bytes"]) for one in found])
    assert min(one["paint"] for one in found) < 1000
    assert max(one["bytes"] for one in found) < 200_000
    assert all(one["hosts"] == [served.url.partition("//")[2]] for one in found)


@pytest.mark.slow
def test_a_record_is_replayed_analysed_and_played_on_from(browser: Browser, served: Site) -> None:
    with page_of(browser, link(served, "connect_four", "random", "random")) as page:
        page.click("a.button:has-text('Record')")
        page.wait_for_selector("text=verified by the rules")
        page.click("button[aria-label='step forward']")
        page.wait_for_selector("[aria-current=step]")
        page.click("summary:has-text('Analysis')")
        page.click("button:has-text('Analyse')")
        page.wait_for_selector("table.moves .best", timeout=60_000)
        page.wait_for_selector(".arrows .wish, .arrows .head, .note:has-text('simulations')")
        page.click("summary:has-text('Why?')")
        page.locator("[data-place='1 1']").click()
        page.click("button.chip:has-text('terminal')")
        page.wait_for_selector("pre.why:has-text('terminal')")
        page.click("button:has-text('Play on from here')")
        page.select_option("#seat-0", "random")
        page.select_option("#seat-1", "me")
        page.click("dialog button.main")
        page.wait_for_selector(".cell.ready")
        assert page.locator(".steps .step").count() >= 1


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, served: Site, scheme: str) -> None:
    pages = ["#/", "#/matches", "#/records", "#/standings", "#/experiments", "#/studio"]
    pages.append(link(served, "chess", "human", "random").partition("/#")[2])
    for page_name in pages:
        address = f"{served.url}/{page_name}" if page_name.startswith("#") else f"{served.url}/#{page_name}"
        with page_of(browser, address, color_scheme=scheme) as page:
            page.wait_for_selector("h1")
            page.wait_for_timeout(1500)
            assert violations(page) == [], page_name


@pytest.mark.slow
def test_the_page_has_the_types_that_its_comments_say() -> None:
    if (tsc := shutil.which("tsc")) is None:
        pytest.skip("needs TypeScript: npm install --global typescript")
    settings = "--noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution bundler"
    command = [tsc, *settings.split(), "--lib", "dom,es2022,dom.iterable", *map(str, sorted(PAGE.glob("*.js")))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_wrong_files_and_addresses_are_told(browser: Browser, served: Site, tmp_path: Path) -> None:
    picture, long = tmp_path / "picture.kif", tmp_path / "long.kif"
    picture.write_bytes(b"\x89PNG\r\n\xff")
    long.write_text("; " * 300_000)
    with page_of(browser, f"{served.url}/#/nothing/%E0%A4%A") as page:
        page.wait_for_selector("text=There is no such page")
        page.click("text=To the games")
        page.wait_for_selector(".card")
        for _ in range(2):  # the same file once more
            page.set_input_files("input[type=file]", picture)
            page.wait_for_selector("#notice:has-text('picture.kif is no text in UTF-8')")
            page.set_input_files("input[type=file]", long)
            page.wait_for_selector("#notice:has-text('long.kif is too long for rules')")
        page.fill("input[type=search]", "no game is called that")
        page.wait_for_selector("text=No game fits that.")


@pytest.mark.slow
def test_a_phone_shows_it_all(browser: Browser, served: Site) -> None:
    address = link(served, "chess", "human", "random")
    with page_of(browser, address, viewport={"width": 360, "height": 740}) as page:
        page.wait_for_selector(".cell.ready")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.drag_and_drop("[data-place='d 2']", "[data-place='d 4']")
        page.wait_for_selector(".steps .step:has-text('move d 2 d 4')")

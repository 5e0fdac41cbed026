"""The rules studio, in a real browser: words that are offered, the outline, the picture of the rules, their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")

from tests.helpers import GAMES
from tests.web_browser import needs_chromium, page_of, violations
from tests.web_site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [needs_chromium, pytest.mark.slow]
NIM, TIC_TAC_TOE = ((GAMES / f"{name}.kif").read_text(encoding="utf-8") for name in ("nim", "tic_tac_toe"))


def line_of_caret(page: Page) -> str:
    """The rest of the line behind the caret."""
    by = "() => { const t = document.querySelector('textarea'); return t.value.slice(t.selectionStart).split('\\n')[0]; }"
    return str(page.evaluate(by))


def test_a_game_is_written_and_played(browser: Browser, served: Site) -> None:
    with page_of(browser, f"{served.url}/#/studio") as page:
        page.wait_for_selector("text=no problems")
        page.fill("textarea", "(role a)\n(<= (next (on ?x)) (true (on a)))")
        page.wait_for_selector(".problems li.error:has-text('nothing in the body binds ?x')")
        page.fill("textarea", TIC_TAC_TOE)
        page.wait_for_selector(".studio .cell")
        page.wait_for_selector("text=no problems")
        page.click("button:has-text('Random play')")
        page.wait_for_selector(".walk .cell")
        page.click("button:has-text('Play this')")
        page.select_option("#seat-1", "legal")
        page.click("dialog button.main")
        page.locator("[data-place='2 2'].ready").click()
        page.wait_for_selector("[data-place='1 1'].mark-to")


def test_words_are_offered_while_one_types(browser: Browser, served: Site) -> None:
    with page_of(browser, f"{served.url}/#/studio") as page:
        text = page.locator("textarea")
        page.fill("textarea", "(role left)\n(role right)\n(init (heap 1 5))\n")
        text.press("Control+End")
        text.press_sequentially("(<= (next (hea")
        page.wait_for_selector(".words li:has-text('heap')")
        text.press("Tab")
        text.press_sequentially(" ?number 1) (true (heap ?nu")
        page.wait_for_selector(".words li:has-text('?number')")
        text.press("ArrowDown")
        page.wait_for_selector(".words li[aria-selected=true]")
        assert page.get_attribute("textarea", "aria-activedescendant") == "word-0"
        assert violations(page) == []
        text.press("Enter")
        text.press_sequentially(" 1)) (does le")
        page.wait_for_selector(".words li:has-text('legal')")
        assert page.locator(".words li").first.inner_text().startswith("left")  # the file's own constants first
        text.press("Escape")
        assert page.locator(".words").is_hidden()
        text.press("Control+Space")
        page.wait_for_selector(".words li")
        page.locator(".words li:has-text('left')").click()
        assert page.input_value("textarea").endswith("\n(<= (next (heap ?number 1) (true (heap ?number 1)) (does left")
        text.press("Tab")  # nothing is offered now: the focus goes on
        assert page.evaluate("() => document.activeElement.tagName") != "TEXTAREA"


def test_the_outline_and_the_picture_lead_to_rules(browser: Browser, served: Site) -> None:
    with page_of(browser, f"{served.url}/#/studio/tic_tac_toe") as page:
        page.wait_for_selector("text=no problems")
        page.click("summary:has-text('Outline')")
        for group, name in (("Roles", "x"), ("Moves", "mark/2"), ("What positions are made of", "marked/3")):
            page.wait_for_selector(f"[aria-label='{group}'] .chip:has-text('{name}')")
        page.click("[aria-label='Relations of this game'] .chip:has-text('won/0')")
        assert line_of_caret(page).startswith("(<= won")
        page.click("summary:has-text('Which relation uses which')")
        open_ = page.locator(".relation[aria-label^='goal/2']")
        open_.focus()
        page.wait_for_selector("text=goal/2 uses")
        assert page.locator(".use.negative.seen").count() >= 1
        assert page.locator(".stratum").count() >= 2
        page.locator(".relation[aria-label^='line/1']").press("Enter")
        assert line_of_caret(page).startswith("(<= (line")
        assert violations(page) == []
        page.fill("textarea", "(role a)\n(<= (path ?x) (path ?x))")
        page.wait_for_selector(".stale .relation")  # of the rules before: these have an error


def test_the_numbers_follow_what_is_typed(browser: Browser, served: Site) -> None:
    with page_of(browser, f"{served.url}/#/studio") as page:
        page.fill("textarea", NIM)
        page.wait_for_selector(".numbers:not(.stale) .tree td:text-is('206')", timeout=120_000)
        page.wait_for_selector("text=playouts a second")
        page.fill("textarea", TIC_TAC_TOE)
        page.wait_for_selector(".numbers:not(.stale) .tree td:text-is('504')", timeout=120_000)

"""A real browser for tests of the page: Debian's Chromium, driven by Playwright. Nothing may be said on its console."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright", reason="browser tests need `pip install playwright`")

from playwright.sync_api import Page, sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="browser tests need Chromium: apt install chromium")
SOON = 20_000


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@contextmanager
def page_of(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """A page of a browser that knows nothing yet; it must have had nothing to complain of."""
    context = browser.new_context(**options)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    page.set_default_timeout(SOON)
    page.goto(url)
    yield page
    context.close()
    assert said == [], said


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds to complain of, and where."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    found = axe.Axe().run(page).response["violations"]
    return [(one["id"], [node["html"][:90] for node in one["nodes"][:3]]) for one in found]

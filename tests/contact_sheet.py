"""Pictures of the page for the documents: `python -m tests.contact_sheet` draws every board of the library anew.

docs/boards.png has each game after some random moves; docs/page.png a match as the page shows it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from ggp.core.library import library
from tests.helpers import ROOT
from tests.web_site import site

_STEP = 12
"""The position of a random play that is drawn."""
_COLOURS = 48
"""Of a picture, so that it stays small."""
_DRAW = """
async ([names, wanted]) => {
  const { drawBoard } = await import("./board.js");
  const { fill, h } = await import("./dom.js");
  const { post } = await import("./net.js");
  const list = h("ul.games", {});
  fill(document.getElementById("main"), list);
  document.querySelector("header").remove();
  for (const [name, title] of names) {
    const { steps } = await post("/api/studio/walk", { game: name, seed: 1 });
    const shown = steps[Math.min(wanted, steps.length - 1)].board;
    const picture = h("span.picture", {}, drawBoard({ ...shown, legal: [] }, { small: true }));
    list.append(h("li", {}, h("div.card", {}, picture, h("small", {}, title))));
  }
}
"""


def sheet(page: Page, url: str, path: Path) -> None:
    """Draw all boards of the library."""
    page.set_viewport_size({"width": 1000, "height": 900})
    page.goto(url)
    page.wait_for_selector(".card")
    names = [(game.name, game.title) for game in library() if not game.name.startswith("stress_")]
    page.evaluate(_DRAW, [names, _STEP])
    page.locator("ul.games").screenshot(path=path)


def match(page: Page, url: str, path: Path) -> None:
    """Draw a match against ucd with an analysis beside it."""
    page.set_viewport_size({"width": 1180, "height": 760})
    page.goto(url)
    page.fill("input[type=search]", "breakthrough")
    page.click(".card")
    page.click("dialog button.main")
    for target in ("[data-place='4 2'].ready", "[data-place='4 3'].ready"):
        page.locator(target).click()
    for piece in ("6 2", "5 3"):
        page.wait_for_function("() => document.querySelectorAll('.steps .step').length % 2 === 0")
        page.locator(f"[data-place='{piece}'].ready").click()
    page.wait_for_function("() => document.querySelectorAll('.steps .step').length % 2 === 0")
    page.locator("[data-place='5 3']").click()
    page.click("summary:has-text('Analysis')")
    page.click("button:has-text('Analyse')")
    page.wait_for_selector(".note:has-text('simulations')", timeout=60_000)
    page.wait_for_timeout(6000)
    page.evaluate("() => scrollTo(0, 0)")
    page.screenshot(path=path)


def main() -> int:
    """Draw both; 1 where there is no Chromium."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("this needs Chromium: apt install chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(color_scheme="light")
        page.set_default_timeout(120_000)
        sheet(page, made.url, ROOT / "docs" / "boards.png")
        match(page, made.url, ROOT / "docs" / "page.png")
        browser.close()
    for name in ("boards.png", "page.png"):
        with Image.open(ROOT / "docs" / name) as picture:
            picture.quantize(_COLOURS).save(ROOT / "docs" / name, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

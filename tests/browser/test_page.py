"""The order of a chapter's page in a browser: one switch for the code, the drawer."""

from .test_every_page import CHAPTERS, pytestmark  # noqa: F401  the same marks: a browser, a built site

SHOWN = """() => {
  const seen = [...document.querySelectorAll('article .cell_input')].filter(e => e.checkVisibility());
  const bars = [...document.querySelectorAll('article details.hide > summary')].filter(e => e.checkVisibility());
  const folded = document.querySelectorAll('article details.hide .cell_input');
  const every = document.querySelectorAll('article .cell_input');
  return [seen.length, bars.length, every.length - folded.length, every.length];
}"""


def test_one_switch_shows_all_code_is_remembered_and_stands_in_the_address(open_page, address):
    page = open_page(address + CHAPTERS[0].values[0])
    shown, bars, in_sight, every = page.evaluate(SHOWN)
    assert (shown, bars) == (in_sight, 0) and every > in_sight > 5
    page.locator(".btn-code-switch:visible").click()
    assert page.evaluate(SHOWN) == [every, 0, in_sight, every] and page.url.endswith("?code=on")
    page.goto(address + CHAPTERS[1].values[0])
    shown, _, in_sight, every = page.evaluate(SHOWN)
    assert shown == every > in_sight, "the next page remembers it"
    page.goto(address + CHAPTERS[1].values[0] + "?code=off")
    assert page.evaluate(SHOWN)[0] == in_sight, "the address is asked first"


def test_the_drawer_holds_what_is_needed_to_run_the_page(open_page, address):
    page = open_page(address + CHAPTERS[0].values[0])
    drawer = page.locator("#run-this-page")
    assert drawer.locator("pre").first.is_hidden()
    page.locator(".btn-run-page:visible").click()
    page.wait_for_timeout(500)
    assert drawer.locator("pre").first.is_visible()
    said = drawer.inner_text()
    parts = ("After this chapter you can", "p: int", "grokbook run 01", "Time")
    assert [part for part in parts if part not in said] == []

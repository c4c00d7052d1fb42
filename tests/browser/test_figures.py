"""Figures of the built site in Chromium: what is drawn stands out from the page in both schemes;
paper is light."""

import pytest

from visited import SITE, in_scheme

from .test_every_page import CHAPTERS, pytestmark  # noqa: F401  the same marks: a browser, a built site

SCHEMES = "[...document.querySelectorAll('article figure img')].map(img => getComputedStyle(img).colorScheme)"


@pytest.mark.parametrize("name", CHAPTERS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_and_lines_of_figures_stand_out_from_the_page(facts, name, scheme):
    """4.5 and 3 to 1. Lines of the grid are fainter, as are raw curves; words on cells are not
    asked."""
    seen, faint = facts(name)["faint"][scheme]
    assert faint == []
    assert seen > 0


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_label_of_a_figure_covers_another_on_a_wide_and_on_a_narrow_screen(facts, name):
    assert facts(name)["drawings"] > 0
    assert facts(name)["covered"] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_is_a_megabyte_at_most(name):
    assert (SITE / name).stat().st_size <= 1_000_000


@pytest.mark.parametrize("name", CHAPTERS[:1])
def test_pictures_follow_the_scheme_of_the_page_and_on_paper_are_light(opened_at, address, name):
    page = opened_at(address + name, scheme="dark")
    assert set(page.evaluate(SCHEMES)) == {"dark"}
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    assert set(page.evaluate(SCHEMES)) == {"light"}
    in_scheme(page, "dark")
    assert set(page.evaluate(SCHEMES)) == {"dark"}
    in_scheme(page, "light")
    assert set(page.evaluate(SCHEMES)) == {"light"}

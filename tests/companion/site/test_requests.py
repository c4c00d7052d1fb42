"""When a page asks for nothing more."""

import pytest

from companion.site import browser


class Page:
    """A page that reports what a test tells it to; to wait for it moves the clock on."""

    def __init__(self):
        self.heard = {}
        self.now = 0.0

    def on(self, event, hear):
        self.heard[event] = hear

    def wait_for_timeout(self, milliseconds):
        self.now += milliseconds / 1000


@pytest.fixture
def page(monkeypatch):
    made = Page()
    monkeypatch.setattr(browser.time, "monotonic", lambda: made.now)
    return made


def test_a_request_whose_end_is_never_reported_is_waited_for_until_it_counts_as_lost(page):
    requests = browser.Requests(page)
    page.heard["request"](object())
    requests.wait(page, quiet=0.5, lost=5.0)
    assert page.now == pytest.approx(5.0, abs=0.051)


def test_a_page_is_quiet_when_no_request_is_open_and_none_ended_just_now(page):
    requests = browser.Requests(page)
    first, second = object(), object()
    for request in (first, second):
        page.heard["request"](request)
    page.now = 1.0
    page.heard["requestfinished"](first)
    page.heard["requestfailed"](second)
    requests.wait(page, quiet=0.5, lost=5.0)
    assert page.now == pytest.approx(1.5, abs=0.051)

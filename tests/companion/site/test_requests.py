"""When a page asks for nothing more."""

import time

from companion.site.browser import Requests


class Page:
    """A page that reports what a test tells it to, and whose time passes while it is waited for."""

    def __init__(self):
        self.heard = {}

    def on(self, event, hear):
        self.heard[event] = hear

    def wait_for_timeout(self, milliseconds):
        time.sleep(milliseconds / 1000)


def test_a_request_whose_end_is_never_reported_is_not_waited_for_for_ever():
    page = Page()
    requests = Requests(page)
    page.heard["request"](object())
    begun = time.monotonic()
    requests.wait(page, quiet=0.01, lost=0.2)
    assert time.monotonic() - begun >= 0.2


def test_an_open_request_is_waited_for_and_one_that_failed_is_not_open():
    page = Page()
    requests = Requests(page)
    first, second = object(), object()
    for request in (first, second):
        page.heard["request"](request)
    page.heard["requestfinished"](first)
    page.heard["requestfailed"](second)
    assert not requests.open
    requests.wait(page, quiet=0.01, lost=60)

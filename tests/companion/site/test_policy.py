"""Each page has a policy that names its scripts; in a browser, what a page should not hold does
nothing and is told."""

import base64
import hashlib
import re

import pytest
from bs4 import BeautifulSoup

from companion.page import interactive
from companion.site import policy
from companion.teach import slides
from grokbook.errors import ChapterError

HEAD = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>x</title></head><body>'
FIGURE = interactive.markup("training_page", "fig-t", "A network that trains.")
ATTACKS = {
    "a script": "<script>owned.push(1)</script>",
    "an attribute": '<img src="gone:" alt="x" onerror="owned.push(2)">',
    "a link": '<a id="go" href="javascript:owned.push(3)">go</a>',
    "a false mount": '<script>owned.push(4);GrokbookRun.mount(document.getElementById("a"));</script>',
    "a frame": '<iframe srcdoc="<script>parent.owned.push(5)</script>"></iframe>',
    "a base": '<base href="http://127.0.0.1:9/"><script src="x.js"></script>',
}


def rules(text):
    """The policy of a page by directive."""
    said = BeautifulSoup(text, "html.parser").select("meta[http-equiv=Content-Security-Policy]")
    assert len(said) == 1
    return {
        name: allowed.split()
        for name, _, allowed in (r.partition(" ") for r in said[0]["content"].split("; "))
    }


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_every_page_of_a_site_names_its_scripts_before_the_first_and_has_none_in_an_attribute(
    built_once,
):
    pages = [path for path in (built_once / "site").rglob("*.html") if "_static" not in path.parts]
    assert len(pages) > 5
    for text in (path.read_text() for path in pages):
        soup = BeautifulSoup(text, "html.parser")
        allowed = rules(text)
        assert text.index("Content-Security-Policy") < (text + "<script").index("<script")
        inline = {digest(one.string) for one in soup.find_all("script", src=False)}
        assert set(allowed["script-src"]) - {"'wasm-unsafe-eval'"} == {"'self'"} | inline
        assert ("'wasm-unsafe-eval'" in allowed["script-src"]) == (
            allowed["worker-src"] == ["blob:"]
        )
        assert not [
            name for tag in soup.find_all(True) for name in tag.attrs if name.startswith("on")
        ]
        assert allowed["default-src"] == allowed["base-uri"] == allowed["frame-src"] == ["'none'"]
        every = {
            source
            for name, sources in allowed.items()
            for source in sources
            if name != "script-src"
        }
        assert every <= {"'self'", "'none'", "'unsafe-inline'", "data:", "blob:"}
    assert not [
        r
        for r in ("thebe", "kernelName")
        if r in (built_once / "site/chapters/01_tiny.html").read_text()
    ]


def test_only_a_page_that_trains_may_start_workers_and_a_file_alone_loads_nothing_but_what_it_holds():
    plain = rules(policy.protected(f"{HEAD}<article>words</article>"))
    trains = rules(policy.protected(f"{HEAD}<article>{FIGURE}</article>", own=""))
    assert (plain["worker-src"], trains["worker-src"]) == (["'none'"], ["blob:"])
    assert not any("wasm" in source for source in plain["script-src"])
    assert trains["script-src"] == [
        "'wasm-unsafe-eval'",
        digest(BeautifulSoup(FIGURE, "html.parser").script.string),
    ]
    assert "'self'" not in {source for sources in trains.values() for source in sources}


@pytest.mark.parametrize("script", [*interactive.SCRIPTS, "ledger"])
def test_scripts_of_the_book_may_run_in_the_text_and_with_one_letter_more_they_may_not(
    script, tmp_path
):
    from companion.page import tables

    for text, told in ((tables.script(script), 0), (tables.script(script) + "x()\n", 1)):
        body = f'<script>\n{text}GrokbookX.mount(document.getElementById("fig-a-area"));\n</script>'
        (tmp_path / "a.html").write_text(f"{HEAD}<article>{body}</article>")
        assert len(policy.protect(tmp_path)) == told


@pytest.mark.parametrize("attack", list(ATTACKS.values())[:1] + list(ATTACKS.values())[3:4])
def test_a_script_in_the_text_is_named_and_the_end_of_the_text_is_the_last_one(attack, tmp_path):
    (tmp_path / "a.html").write_text(f"{HEAD}<article>a</article>{attack}</article>")
    assert re.match(
        "a.html: its policy refuses a script in its text, 'owned", policy.protect(tmp_path)[0]
    )
    with pytest.raises(ChapterError, match="no line on its characters"):
        policy.protected("<p>no page</p>")


def test_the_script_of_the_speaker_s_window_is_the_one_that_reveal_writes():
    script = slides._of_the_window(slides._vendor("notes.js"))
    assert script.strip().startswith("(function() {") and script.strip().endswith("})();")
    assert "window.opener.postMessage" in script


@pytest.mark.browser
@pytest.mark.parametrize("own", ["'self'", ""])
def test_an_attack_does_nothing_in_a_browser_and_is_told(open_page, tmp_path, own):
    """Each alone is refused, so the listener that the visits of all pages use can fail; the script
    before it runs."""
    told = {}
    for name, attack in ATTACKS.items():
        text = f"{HEAD}<script>window.owned = [];</script><article>{attack}{FIGURE}</article></body></html>"
        (tmp_path / "page.html").write_text(policy.protected(text, own))
        page = open_page((tmp_path / "page.html").as_uri())
        page.evaluate("document.getElementById('go')?.click()")
        page.wait_for_timeout(100)
        told[name] = any(error.startswith("refused: ") for error in page.seen["errors"])
        assert page.evaluate("owned") == [], name
        assert page.locator("#fig-t-area button[data-act=train]").count() == 1, (
            "the book's own script runs"
        )
    assert all(told.values()), told

"""One visit to a page of the built site: it is loaded once, made wider and narrower, light and
dark, and all that the tests ask about it is collected on the way."""

import re
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error

from project_tree import ROOT

SITE = ROOT / "site"
CODE = "chapters/01_what_is_grokking.html"

COLLECT = """() => {
  const all = selector => [...document.querySelectorAll(selector)];
  const prose = all('article p, article li').map(e => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll('code, pre, mjx-container').forEach(x => x.remove());
    return copy.textContent;
  }).join('\\n');
  return {
    marked: all('article .math').length,
    drawn: all('article .math mjx-container').length,
    merrors: all('mjx-merror, [data-mjx-error]').length,
    raw: ['$$', '\\\\('].filter(sign => prose.includes(sign)),
    undrawn: all('article img').filter(i => !i.alt.trim() || (!i.naturalWidth && i.loading !== 'lazy')).map(i => i.src),
    figures: all('article figure img').length,
    top: all('.tag_gb-lead figure').slice(0, 1).map(e => e.getBoundingClientRect().top + scrollY),
    worked: document.querySelector('.tag_gb-lead [data-options]') !== null,
    box: all('.gb-drawer').map(e => e.textContent).join(''),
    made: all('.grokbook-provenance').map(e => e.textContent).join(''),
    downloads: all('.dropdown-download-buttons a').map(a => a.href),
    data: all('[data-options]').reduce((sum, e) => sum + e.dataset.options.length, 0),
  };
}"""
OPEN = """() => {
  document.querySelectorAll('.toggle-hidden').forEach(e => e.classList.remove('toggle-hidden'));
  document.querySelectorAll('details').forEach(e => { e.open = true; });
}"""
CLIPPED = """() => {
  const wide = document.documentElement.clientWidth;
  const contents = document.querySelector('.bd-sidebar-secondary')?.getBoundingClientRect();
  const limit = contents && contents.width && contents.left > wide / 2 ? Math.min(wide, contents.left) : wide;
  const outside = box => box.right > limit + 1 || box.left < -1;
  const found = [];
  // not what is inside a drawing or a formula
  const inner = e => e.parentElement.matches('svg, mjx-container, script, noscript, picture');
  const article = document.querySelector('article') || document.head;
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_ELEMENT, e => inner(e) ? 2 : 1);
  for (let e; (e = walker.nextNode());) {
    if (e.matches('.gb-scrolls')) continue;
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (style.visibility === 'hidden' || style.clipPath !== 'none' || box.width < 2) continue;
    const name = e.tagName.toLowerCase() + '.' + [...e.classList].join('.');
    const says = name + ' ' + e.textContent.trim().replace(/\\s+/g, ' ').slice(0, 50);
    const boxed = style.display !== 'inline' && e.clientWidth > 0;
    if (boxed && style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) found.push('too wide: ' + says);
    if (boxed && style.overflowY === 'auto' && e.scrollHeight > e.clientHeight + 2) found.push('too high: ' + says);
    if (outside(box) && !outside(e.parentElement.getBoundingClientRect())) found.push('off the page: ' + says);
  }
  return found;
}"""
BROKEN = r"""() => {
  const found = [], all = document.querySelector('article') || document.body;
  // one range: every change of the page costs something for each that there ever was
  const walker = document.createTreeWalker(all, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node; (node = walker.nextNode());) {
    const box = node.parentElement;
    if (!box.checkVisibility() || box.closest('pre, code, svg, script, mjx-container, .gb-hidden')) continue;
    if (getComputedStyle(box).clipPath !== 'none' || /https?:/.test(box.textContent)) continue;
    for (const word of node.textContent.matchAll(/\p{L}{4,}/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = [...range.getClientRects()].filter(r => r.width > 0).map(r => r.top);
      if (Math.max(...tops) - Math.min(...tops) > 6) found.push(word[0]);
    }
  }
  return found;
}"""
CUT = """() => [...document.querySelectorAll('article select')].filter(e => e.checkVisibility()).flatMap(select => {
  const pen = document.createElement('canvas').getContext('2d'), look = getComputedStyle(select);
  pen.font = `${look.fontSize} ${look.fontFamily}`;
  return [...select.options].map(o => o.text).filter(text => pen.measureText(text).width > select.clientWidth - 24);
})"""
SMALL = """() => [...document.querySelectorAll('article [data-options] :is(button, input, select, summary)')]
  .filter(e => e.checkVisibility()).map(e => [e.getBoundingClientRect(), e])
  .filter(([box]) => box.width > 2 && Math.min(box.width, box.height) < 24 && box.height < 24)
  .map(([, e]) => e.outerHTML.slice(0, 80))"""
WIDTH = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
LOOKS = """[...document.querySelectorAll('article :is(figure, .gb-card) img')].map(i => getComputedStyle(i))
  .map(look => [look.colorScheme, look.filter, look.backgroundColor])"""
# a picture that is changed for another stays the old one until the new one is loaded
LOADED = "() => [...document.querySelectorAll('article picture img')].every(i => i.complete)"
STACKED = (
    "[...document.querySelectorAll('article picture img')].map(i => [i.currentSrc, i.naturalWidth])"
)
OPENING = """() => [':scope > blockquote', ':scope > .tag_gb-lead'].map(selector => {
  const part = document.querySelector('.bd-article > section')?.querySelector(selector);
  return part ? part.getBoundingClientRect().top + scrollY : null;
})"""
SIZES = (1280, 1920, 768, 390)
# each drawing is put into the page for a moment, its own schemes answered as the page has them
FAINT = """async scheme => {
  const numbers = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const named = colour => colour.trim().slice(1).match(/../g).map(v => parseInt(v, 16));
  const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0) + 0.05;
  const ground = numbers(getComputedStyle(document.body).backgroundColor), found = new Set();
  const apart = (one, other) => Math.max(light(one) / light(other), light(other) / light(one));
  let seen = 0;
  for (const img of document.querySelectorAll('article figure img[src$=".svg"]')) {
    const holder = document.createElement('div'), root = holder.attachShadow({ mode: 'open' });
    const text = await (await fetch(img.src)).text();
    root.innerHTML = text.slice(text.indexOf('<svg')).replace(/:root/g, 'svg')
      .replace('(prefers-color-scheme:dark)', scheme === 'dark' ? 'all' : 'not all');
    document.body.append(holder);
    const check = (selector, paint, least) => root.querySelectorAll(selector).forEach(drawn => {
      const look = getComputedStyle(drawn), faint = [look.opacity, look[paint + 'Opacity']].some(part => +part < 1);
      if (look[paint] === 'none' || faint) return;
      const colour = numbers(look[paint]);
      const meant = ['grid', 'ground'].map(name => look.getPropertyValue('--gb-' + name)).filter(value => value);
      if (meant.some(value => String(named(value)) === String(colour))) return;
      seen += 1;
      if (apart(colour, ground) < least) found.add(`${paint} ${colour}: ${img.alt.slice(0, 60)}`);
    });
    check('g[id^="text_"] use', 'fill', 4.5);
    check('g[id^="line2d_"] > path', 'stroke', 3);
    holder.remove();
  }
  return [seen, [...found]];
}"""
# a label may cover one that says the same, as two answers at one place do
COVERED = """async drawings => {
  const found = [];
  for (const name of drawings) {
    const text = await (await fetch(name)).text(), holder = document.createElement('div');
    const root = holder.attachShadow({ mode: 'open' });
    root.innerHTML = text.slice(text.indexOf('<svg'));
    document.body.append(holder);
    const labels = [...root.querySelectorAll('g[id^="text_"]')].filter(g => g.getBBox().width > 0).map(g => [
      [...g.childNodes].find(n => n.nodeType === 8)?.data.trim(), g.getBoundingClientRect()]);
    labels.forEach(([one, a], i) => labels.slice(i + 1).forEach(([other, b]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1.5 && high > 1.5 && one !== other) found.push(`${name}: ${one} / ${other}`);
    }));
    holder.remove();
  }
  return found;
}"""
DRAWN = """[...document.querySelectorAll('article figure img[src$=".svg"]')].map(img => img.src)"""
# axe-core takes long to go through a page: of what is made alike it sees the first (rows of a
# table,
# entries of the ledger, words of code on one page), and a formula, which has hundreds of elements,
# as a letter
SHORTER = """code => {
  document.querySelectorAll('mjx-container').forEach(e => e.replaceChildren('x'));
  document.querySelectorAll('tr:nth-child(n+10), li.gb-claim:nth-child(n+10)').forEach(e => e.remove());
  if (!code) document.querySelectorAll('.highlight pre').forEach(e => { e.textContent = e.textContent; });
}"""
# words of one look on grounds of one look in both schemes have one contrast there: the first are
# kept, others hidden
LOOKED = """() => document.querySelectorAll('body, body *:not(mjx-container *)').forEach(e => {
  const own = getComputedStyle(e);
  e.looks = [e.looks, own.color, own.fontSize, own.fontWeight].join();
  const ground = [own.backgroundColor, own.backgroundImage, own.opacity, /abs|fix|sti/.test(own.position)].join();
  e.ground = (e.ground || '') + (ground === 'rgba(0, 0, 0, 0),none,1,false' ? '' : ground);
})"""
THINNED = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [], seen = new Set();
  for (let node; (node = walker.nextNode());) if (node.data.trim()) texts.push(node);
  const above = node => { const all = []; for (let e = node; (e = e.parentElement);) all.push(e); return all; };
  const kept = texts.filter(node => {
    const key = node.parentElement.looks + above(node).map(e => e.ground).join('');
    return !seen.has(key) && seen.add(key);
  });
  const shown = new Set(kept.flatMap(above));
  texts.forEach(node => { if (!kept.includes(node)) node.data = ''; });
  // what a rule counts, such as every second row, is still counted
  [...shown].flatMap(e => [...e.children]).filter(e => !shown.has(e) && e !== document.head).forEach(e => {
    e.replaceChildren();
    e.style.setProperty('display', 'none', 'important');
  });
  return kept.length;
}"""
# what the policy of the page refuses (companion.site.policy) is an error of the page
REFUSED = """addEventListener('securitypolicyviolation',
  event => console.error(`refused: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));"""
STILL = "*, *::before, *::after { transition: none !important; }"
NEXT_FRAME = (
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
)
# rules whose findings are never grave are not run
RULES = """options => {
  const light = axe._audit.rules.filter(rule => ['minor', 'moderate'].includes(rule.impact));
  for (const rule of options.runOnly ? [] : light) options.rules[rule.id] = { enabled: false };
  return axe.run(options).then(found => found.violations);
}"""
# all rules on a desk, of these the contrast of colours in both schemes; on a phone what may scroll
# there
CONTRAST = {"runOnly": ["color-contrast"]}
AXE = (
    (1280, "light", {"rules": {"color-contrast": {"enabled": False}}}),
    (390, "light", {"runOnly": ["scrollable-region-focusable", "meta-viewport"]}),
    (1280, "light", CONTRAST),
    (1280, "dark", CONTRAST),
)


class Requests:
    """The requests that a page has sent and that no answer has come to, and when the last of them
    began or ended."""

    def __init__(self, page):
        self.open = set()
        self.last = time.monotonic()
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)

    def _begun(self, request):
        self.open.add(request)
        self.last = time.monotonic()

    def _ended(self, request):
        self.open.discard(request)
        self.last = time.monotonic()

    def wait(self, page, quiet=0.5, lost=5.0):
        """Wait until a page that has loaded asks for nothing more.

        That is when no request is open and none began or ended for `quiet` seconds. Chromium does
        not report the end of every request (a worker's script, an answer out of the cache), and
        playwright's own `networkidle` then waits for ever: after `lost` seconds without a report
        an open request counts as ended.
        """
        while True:
            silence = time.monotonic() - self.last
            if silence >= lost or (silence >= quiet and not self.open):
                return
            page.wait_for_timeout(50)


@contextmanager
def served(folder):
    """The address at which a folder is served to this machine."""
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/"
        http.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Files, without a line for each request."""

    def log_message(self, *_):
        pass


def alone(folder, body, name="alone"):
    """A file with nothing but this body in its page."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>alone</title>'
    file = folder / f"{name}.html"
    file.write_text(f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>')
    return file


def colours(locator, *names):
    """Colours that an element has on the page, as the palette writes them."""
    found = locator.evaluate("(e, names) => names.map(name => getComputedStyle(e)[name])", names)
    return [
        "#" + "".join(f"{round(float(v)):02x}" for v in re.findall(r"[\d.]+", c)[:3]) for c in found
    ]


def waiting(page):
    """Wait for a condition by asking from here: playwright's own loop is an `eval`, which a page's
    policy refuses."""

    def wait(expression, arg=None, timeout=30_000):
        end = time.monotonic() + timeout / 1000
        while True:
            try:
                if page.evaluate(expression, arg):
                    return
            except Error as error:
                if "context was destroyed" not in str(error):  # the page went to another address
                    raise
            assert time.monotonic() < end, f"{expression} is not true after {timeout / 1000:.0f} s"
            page.wait_for_timeout(50)

    page.wait_for_function = wait


@contextmanager
def pages(browser):
    """What opens an address at a width and colour scheme; all that it opened is closed at the end.

    What a page asked for and complained about is in its `.seen`.
    """
    contexts = []

    def load(url, width=1280, scheme="light", height=900, script="", **options):
        size = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=size, color_scheme=scheme, **options))
        page = contexts[-1].new_page()
        waiting(page)
        page.seen = {"requests": [], "errors": [], "failed": [], "bytes": []}
        page.on("request", lambda request: page.seen["requests"].append(request.url))
        page.on("requestfailed", lambda request: page.seen["failed"].append(request.url))
        page.on(
            "response", lambda r: page.seen["failed"].append(r.url) if r.status >= 400 else None
        )
        page.on(
            "response", lambda r: page.seen["bytes"].append(int(r.headers.get("content-length", 0)))
        )
        page.on("pageerror", lambda error: page.seen["errors"].append(str(error)))
        page.on(
            "console",
            lambda m: (
                page.seen["errors"].append(m.text) if m.type in ("error", "warning") else None
            ),
        )
        contexts[-1].add_init_script(REFUSED + script)
        contexts[-1].on("page", waiting)
        requests = Requests(page)
        page.goto(url)
        requests.wait(page)
        if page.locator(".math").count():
            page.wait_for_function(
                "!!(window.MathJax && MathJax.startup && MathJax.startup.promise)"
            )
            page.evaluate("MathJax.startup.promise.then(() => true)")
        return page

    yield load
    for context in contexts:
        context.close()


def in_scheme(page, scheme):
    """Change the colour scheme of a page and wait until its theme, which a script sets when told,
    has followed."""
    page.emulate_media(media="screen", color_scheme=scheme)
    page.wait_for_function(
        "scheme => [undefined, scheme].includes(document.documentElement.dataset.theme)"
        " && matchMedia(`(prefers-color-scheme: ${scheme})`).matches",
        arg=scheme,
    )


def visit(browser, address, name):
    """Everything that is asked about one page of the site."""
    with pages(browser) as load:
        page = load(address + name)
        found = {"seen": {kind: list(said) for kind, said in page.seen.items()}}
        found |= page.evaluate(COLLECT) | {
            "solutions": solutions(page),
            "clipped": {},
            "widths": {},
            "faint": {},
        }
        drawings = sorted((SITE / "narrow" / Path(name).stem).glob("*.svg"))
        narrow = [address + path.relative_to(SITE).as_posix() for path in drawings]
        page.evaluate(OPEN)
        page.add_style_tag(content=STILL)
        # to change the scheme takes longest; colours move nothing, so in the dark a desk and a
        # phone are enough
        for scheme, sizes in (("dark", (SIZES[0], SIZES[-1])), ("light", SIZES[::-1])):
            in_scheme(page, scheme)
            for width in sizes:
                page.set_viewport_size({"width": width, "height": 900})
                page.evaluate(NEXT_FRAME)  # formulas are fitted there
                found["clipped"][width, scheme] = page.evaluate(CLIPPED)
                found["widths"][width, scheme] = page.evaluate(WIDTH)
                if width == SIZES[0]:
                    page.evaluate(LOOKED)
                    found["faint"][scheme] = page.evaluate(FAINT, scheme)
                if (width, scheme) == (SIZES[0], "light"):
                    drawn = page.evaluate(DRAWN)
                    found |= {
                        "drawings": len(drawn),
                        "covered": page.evaluate(COVERED, drawn + narrow),
                    }
                if (width, scheme) == (SIZES[-1], "dark"):
                    page.wait_for_function(LOADED)
                    found |= {"looks": page.evaluate(LOOKS), "stacked": page.evaluate(STACKED)}
                    found["opening"] = page.evaluate(OPENING)
                for kind, asked in (
                    (("broken", BROKEN), ("cut", CUT), ("small", SMALL))
                    if scheme == "light"
                    else ()
                ):
                    found.setdefault(kind, {})[width] = page.evaluate(asked)
        page.evaluate(SHORTER, name == CODE)
        found["barred"] = []
        for width, scheme, rules in AXE:
            page.set_viewport_size({"width": width, "height": 900})
            if scheme == "dark":
                in_scheme(page, scheme)
            if rules is CONTRAST:
                page.evaluate(THINNED)
            page.evaluate(NEXT_FRAME)
            found["barred"] += [(width, scheme, *one) for one in barred(page, rules)]
    return found


def barred(page, rules):
    """What axe-core finds on a page by these rules that keeps someone from reading it."""
    if not page.evaluate("!!window.axe"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        RULES, {"resultTypes": ["violations"], "preload": False, "rules": {}, **rules}
    )
    grave = [v for v in found if v["impact"] in ("serious", "critical")]
    return [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in grave]


def solutions(page):
    """Solutions that are closed before and after the first is opened."""
    hidden = page.locator(".solution.toggle-hidden, .admonition.toggle-hidden")
    before = hidden.count()
    if before:
        page.locator(".toggle-hidden button.toggle-button").first.click()
    return before, hidden.count()

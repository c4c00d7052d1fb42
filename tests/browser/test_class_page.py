"""The page for a class in Chromium: large, a link and QR code to join, a link for each result, the
plot."""

import hashlib
import math
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from companion.page.class_page import NAME, class_page
from visited import in_scheme, served

pytestmark = pytest.mark.browser
LINK = (
    "https://example.org/class.html#join?model=quadratic&optimizer=Adam&vary=train_fraction"
    "&values=0.25_0.32_0.39_0.46_0.53_0.6"
)
SMALL = "#train?model=quadratic&p=7&width=16&train_fraction=0.6&steps=60&pace=as+fast+as+it+can"
FOUND = [(0.25, 12, None, 3000), (0.4, 18, 1500, 1948), (0.6, 30, 210, 600)]
AS_LINKS = """found => found.map(([value, fit, rule, step], k) => 'Group ' + (k + 1) + ' https://e.org/class.html' +
  GrokbookClass.resultAddress(GrokbookClass.read('#train?train_fraction=' + value).settings, 'train_fraction', k + 1,
    [{ fit, rule, step }])).join('\\n')"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The address of the page on a server of its own."""
    folder = tmp_path_factory.mktemp("class")
    (folder / NAME).write_text(class_page(), encoding="utf-8")
    (folder / "index.html").write_text("")
    with served(folder) as address:
        yield address + NAME


@pytest.fixture
def at(open_page, place):
    """The page at an address's part after `#`."""
    return lambda hash="", **options: open_page(place + hash, **options)


def steps_of(page, settings):
    """By the core alone: the steps at which a run of these settings fits and generalises, and its
    last step."""
    return page.evaluate(
        """s => { const core = GrokbookTraining, run = core.start(s), curve = [];
          for (; ; run.advance()) { curve.push(core.look(run)); if (run.step >= s.steps) break; }
          return [core.reached(curve, 'train'), core.reached(curve, 'test'), run.step]; }""",
        settings,
    )


def test_the_code_is_that_of_an_independent_encoder(at):
    """The modules that segno 1.6.6 gives for the link (version 7, level M, mask 7)."""
    rows = at().evaluate(
        """text => { const code = qrcode(0, 'M'); code.addData(text); code.make(); const n = code.getModuleCount();
          const dark = k => code.isDark(Math.floor(k / n), k % n);
          return Array.from({ length: n * n }, (_, k) => (dark(k) ? '1' : '0')).join(''); }""",
        LINK,
    )
    assert len(rows) == 45**2
    told = "66f04989cbee7239bc0b47fa6ca6e01818dbf2ab7a7b0dfeafdbf860eed17388"
    assert hashlib.sha256(rows.encode()).hexdigest() == told


def test_large_has_few_controls_and_can_be_read_from_the_last_row(at):
    """Three buttons, type of 20 pixels or more, table and curve on one screen of a projector."""
    page = at(height=720)
    root = page.locator("#gb-class-train")
    assert [b.inner_text() for b in root.locator("button:visible").all()] == [
        "Train",
        "No weight decay",
        "Again",
    ]
    assert float(root.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 20
    assert not root.locator("details:visible, a:visible, select:visible").count()
    boxes = [root.locator(part).first.bounding_box() for part in ("canvas", ".gb-both svg")]
    assert all(box["y"] + box["height"] <= 720 for box in boxes)


def test_whoever_follows_the_link_trains_with_the_settings_of_the_class_and_the_value_of_a_group(
    at,
):
    page = at(SMALL)
    page.locator("#gb-values").fill("0.4, 0.5; 0.7")
    link = page.locator("#gb-join-link").get_attribute("href")
    code = page.locator(".gb-qr")
    before = code.inner_html()
    page.locator("#gb-groups").fill("4")
    page.locator("#gb-groups").dispatch_event("change")
    assert (
        page.locator("#gb-values").input_value() == "0.25, 0.37, 0.48, 0.6"
        and code.inner_html() != before
    )
    joined = at(link.partition("class.html")[2], width=390, has_touch=True, is_mobile=True)
    groups = joined.locator(".gb-which a")
    assert groups.all_inner_texts() == [
        f"Group {k}\nshare trained {v}" for k, v in ((1, 0.4), (2, 0.5), (3, 0.7))
    ]
    groups.nth(1).tap()
    joined.wait_for_selector("h1:has-text('Group 2')")
    page.wait_for_function("document.getElementById('gb-class-train').dataset.settings")
    read = "JSON.parse(document.getElementById('gb-class-train').dataset.settings)"
    joined.wait_for_function(
        "(document.getElementById('gb-class-train') || { dataset: {} }).dataset.settings"
    )
    assert joined.evaluate(read) == page.evaluate(read) | {"train_fraction": 0.5}


def test_the_link_of_a_result_has_the_steps_that_the_core_finds_and_is_read_back(at):
    page = at(SMALL.replace("train?", "group?") + "&vary=train_fraction&group=3")
    assert not page.locator("#gb-result-link").is_visible()
    page.locator("button[data-act=train]").click()
    page.locator("#gb-result-link").wait_for(state="visible")
    page.wait_for_function("document.getElementById('gb-class-train').dataset.over === 'true'")
    page.wait_for_timeout(300)
    link = page.locator("#gb-result-link").get_attribute("href")
    settings = page.evaluate(
        "JSON.parse(document.getElementById('gb-class-train').dataset.settings)"
    )
    fit, rule, last = steps_of(page, settings)
    one = page.evaluate("link => GrokbookClass.resultOf(link.slice(link.indexOf('#')))", link)
    assert one["ends"] == [{"fit": fit, "rule": rule, "step": last}] and last == 60
    assert (one["group"], one["value"], one["settings"]) == (3, 0.6, settings)
    sent = at(link.partition("class.html")[2])
    assert (
        sent.locator(".gb-sent").inner_text() == "Sent: " + page.locator(".gb-found").inner_text()
    )


def test_the_plot_has_a_point_for_each_step_and_a_triangle_where_there_is_none(at):
    page = at()
    page.locator("#gb-links").fill(page.evaluate(AS_LINKS, FOUND) + "\nand thanks!")
    assert page.locator(".gb-count").inner_text() == "3 groups have sent a result."
    dots = page.locator(".gb-plot circle").evaluate_all(
        "all => all.map(e => [e.getAttribute('class'), Number(e.dataset.step), Number(e.getAttribute('cy'))])"
    )
    expected = [("fit", fit) for _, fit, _, _ in FOUND] + [
        ("rule", rule) for _, _, rule, _ in FOUND if rule
    ]
    assert sorted((kind, step) for kind, step, _ in dots) == sorted(expected)
    (_, low, y0) = min(dots, key=lambda d: d[1])
    (_, high, y1) = max(dots, key=lambda d: d[1])
    for _, step, y in dots:
        share = math.log(step / low) / math.log(high / low)
        assert y == pytest.approx(y0 + share * (y1 - y0), abs=0.5)
    triangles = page.locator(".gb-plot path.open")
    assert triangles.evaluate_all("all => all.map(e => [e.dataset.group, e.dataset.step])") == [
        ["1", ">3000"]
    ]
    cells = page.locator("#gb-class tbody tr").first.locator("td").all_inner_texts()
    assert cells == ["1", "0.25", "12", "not by 3,000"]


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("#result?foo=1", "it names no result of a class."),
        ("#result?vary=seed&group=1&fit=2&rule=x&last=9", "its steps are not numbers."),
        (
            f"#result?vary=seed&group=1&fit=2&rule={'9' * 400}&last=9",
            "it has more steps or runs than this page makes.",
        ),
        (
            "#result?vary=seed&group=1&fit=2&rule=200001&last=9",
            "it has more steps or runs than this page makes.",
        ),
        (
            "#result?vary=seed&group=1&fit=1_1_1_1_1&rule=1_1_1_1_1&last=1_1_1_1_1",
            "than this page makes.",
        ),
        ("#result?vary=seed&group=99999&fit=2&rule=5&last=9", "it names no group."),
        ("#result?vary=seed&group=x&fit=2&rule=5&last=9", "it names no group."),
        (
            "#result?vary=seed&seed=2&group=9&fit=2&rule=5&last=9",
            "the random seed, the class the share trained.",
        ),
        (
            "#result?vary=train_fraction&p=29&group=9&fit=2&rule=5&last=9",
            "its Modulus p is 29, not 23.",
        ),
    ],
)
def test_a_link_that_does_not_belong_there_is_named_with_the_reason_and_left_out(at, link, said):
    page = at()
    page.locator("#gb-links").fill(
        "https://example.org/class.html" + link + "\n" + page.evaluate(AS_LINKS, FOUND)
    )
    assert page.locator(".gb-wrong li").all_inner_texts()[0].endswith(said)
    assert page.locator(".gb-count").inner_text() == "3 groups have sent a result."


def test_what_cannot_be_run_is_said_in_a_sentence_and_no_link_is_shown(at):
    page = at()
    page.locator("#gb-values").fill("0.3, half")
    assert '"0.3, half" is not' in page.locator(".gb-wrong").first.inner_text()
    assert not page.locator("#gb-join-link").is_visible()
    page.locator("#gb-vary").select_option("p")
    page.locator("#gb-values").fill("12 90")
    assert "values=11_59" in page.locator("#gb-join-link").get_attribute("href"), (
        "the nearest that can be run"
    )
    assert (
        at("#join?vary=colour&values=1").locator("h1").inner_text()
        == "This link to a class is not complete"
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("hash", ["", "#join?vary=p&values=11_13_17", "#group?vary=p&p=13&group=2"])
def test_every_view_fits_and_axe_core_finds_nothing_in_either_scheme(at, hash, width):
    page = at(hash, width=width)
    if not hash:
        page.locator("#gb-links").fill(page.evaluate(AS_LINKS, FOUND) + " #result?x=1")
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in found] == []
    assert page.seen["errors"] == [] and page.seen["failed"] == []
    assert not [
        u for u in page.seen["requests"] if not re.match(r"http://127\.0\.0\.1|data:|blob:", u)
    ]


def test_by_keys_alone_a_class_is_set_up_and_a_result_taken(at):
    page = at()
    page.locator("#gb-vary").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "gb-groups"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "gb-values"
    assert page.locator("#gb-values").input_value() == "11, 13, 17, 19, 23, 29"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "gb-join-link"
    page.keyboard.press("Enter")
    page.wait_for_selector(".gb-which a")
    page.locator(".gb-which a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('Group 1: modulus p 11')")


TOO_MUCH = [
    "#result?vary=seed&group=1&fit=" + "_".join(["1"] * 200_000) + "&rule=1&last=1",
    "#result?vary=seed&group=1&seed=" + "9" * 400 + "&fit=1&rule=1&last=1",
    " ".join(
        f"#result?vary=seed&group={k % 9999}&seed={k}&fit=1&rule=1&last=1" for k in range(2_000)
    ),
    "#result?" + "vary=seed&" * 20_000,
]


@pytest.mark.parametrize("text", TOO_MUCH, ids=["ends", "number", "links", "fields"])
def test_however_much_is_pasted_the_page_answers(at, text):
    page = at()
    page.locator("#gb-links").fill(text)
    assert page.locator(".gb-count").inner_text() and page.seen["errors"] == []
    assert page.locator(".gb-plot circle").count() <= 1_000


ADDRESSES = [
    "#%",
    "#100%",
    "#join?vary=p&values=" + "9" * 5000,
    "#group?vary=p&group=" + "9" * 400,
    "#constructor?",
]


@pytest.mark.parametrize("hash", ADDRESSES)
def test_whatever_the_address_says_the_page_opens(at, hash):
    page = at(hash)
    page.wait_for_selector("#gb-class h1")
    assert page.seen["errors"] == []


def test_a_link_and_its_code_leave_out_what_the_address_asks_besides(open_page, place):
    page = open_page(f"{place}?{'x' * 4000}")
    assert (
        "?xxx" not in page.locator("#gb-join-link").get_attribute("href")
        and page.seen["errors"] == []
    )


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__", "hasOwnProperty"])
def test_what_every_object_has_is_no_setting(at, name):
    """An address or a link may name it; nothing varies by it, and no class is apart for it."""
    page = at(f"#join?vary={name}&values=1_2")
    assert page.locator("h1").inner_text() == "This link to a class is not complete"
    page = at(f"#group?vary={name}&group=1")
    assert page.locator("h1").inner_text() == "This link to a class is not complete"
    page = at()
    ends = "fit=1&rule=2&last=3"
    links = f"#result?vary={name}&group=1&{ends} #result?vary=seed&group=2&seed=5&{ends}"
    page.locator("#gb-links").fill(f"{links} #result?vary=seed&group=3&seed=6&{name}=9&{ends}")
    assert page.locator(".gb-count").inner_text() == "2 groups have sent a result."
    assert "it names no result of a class" in page.locator(".gb-wrong li").inner_text()
    assert page.seen["errors"] == []

"""Hostile input to everything that a reader can fill in: no traceback, nothing that hangs, nothing written outside.

    python .ci/trust/fuzz.py                            some inputs of each kind
    python .ci/trust/fuzz.py --tries 100000 --write     the table goes into book/how_to_rerun.md

An input passes when it is accepted, or refused with one sentence (GrokbookError), within ten seconds of the processor.
`--only KIND` tries one kind (and writes its row alone), `--seed` draws others. Files and commands run as processes
too; what they left outside a folder of their own is looked for afterwards.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import tables

from grokbook.build import parameter_sets
from grokbook.check.commands import seconds
from grokbook.errors import GrokbookError
from grokbook.page import sources
from grokbook.runs import cluster
from grokbook.runs.recording import catalogue
from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.polynomials import parse_polynomial

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 10.0
"""Seconds after which an input hangs."""

WORDS = [
    "",
    " ",
    "0",
    "-0.0",
    "-1",
    "1e308",
    "1e309",
    "-1e400",
    "nan",
    "inf",
    "-inf",
    "none",
    "null",
    "true",
    "[]",
    "[[",
    "{}",
]
WORDS += [
    "1" * 199,
    "9" * 5000,
    "1e-324",
    "0x10",
    "1_0",
    "٣",
    "½",
    "1j",
    "()",
    "(1",
    "1,2,3",
    "1,,2",
    "x" * 201,
    "'a'",
    "b'a'",
]
WORDS += [
    "../../etc/passwd",
    "/dev/zero",
    "~root",
    "file:///etc",
    "C:\\a",
    "a\0b",
    "a\nb",
    "\x1b[31m",
    "‮abc",
    "\ud800",
    "é" * 99,
]
WORDS += [
    "{{ 7*7 }}",
    "$(touch owned)",
    "`id`",
    "<script>",
    "!!python/object/apply:os.system [ls]",
    "=1+1",
    "%s%n",
    "*a",
    "&a",
]
WORDS += [
    "(" * 190,
    "-" * 190 + "1",
    "[" * 199,
    "1e4",
    "5.0",
    "5.5",
    "97",
    "2",
    "998",
    "1000000",
    "2147483648",
    "18446744073709551616",
]
PIECES = [
    "x",
    "y",
    "z",
    "+",
    "-",
    "*",
    "**",
    "//",
    "/",
    "%",
    "(",
    ")",
    "1",
    "2",
    "64",
    "-1",
    "1.5",
    "10**9",
    "lambda:0",
    "x.y",
    "x[0]",
    ",",
]
PIECES += [
    "9" * 300,
    "x**64",
    "(x+y)**32",
    " ",
    "\n",
    "#",
    "'",
    "__import__('os')",
    "é",
    "x if y else 1",
    "~",
    "^",
    "@",
    "=",
    ":",
    "0b1",
]


class Hung(BaseException):
    """An input took longer than `LIMIT`; no handler of errors catches it."""


@contextmanager
def within(limit: float) -> Iterator[None]:
    """Stop what runs inside with `Hung` after so many seconds of the processor; what waits, after six times that."""

    def stop(*_: Any) -> None:
        raise Hung

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, limit), (signal.SIGALRM, signal.ITIMER_REAL, 6 * limit))
    before = [signal.signal(number, stop) for number, _, _ in timers]
    for _, timer, after in timers:
        signal.setitimer(timer, after)
    try:
        yield
    finally:
        for (number, timer, _), known in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, known)


def tried(call: Callable[[], Any]) -> str | None:
    """None where an input was accepted, or refused with one sentence; else what happened."""
    try:
        with within(LIMIT):
            call()
    except GrokbookError as error:
        said = str(error)
        return None if said.strip() and "Traceback" not in said and len(said) < 5000 else f"said {said[:80]!r}"
    except Hung:
        return f"hung for {LIMIT:.0f} s"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    return None


def text(draw: random.Random) -> str:
    """A value as a reader might write it: known to be awkward, near a number, or any characters."""
    kind = draw.random()
    if kind < 0.5:
        return draw.choice(WORDS)
    if kind < 0.8:
        number = draw.choice(
            [draw.randint(-5, 200), draw.uniform(-2, 2), draw.lognormvariate(0, 20), 2 ** draw.randint(0, 70)]
        )
        return draw.choice(["{}", "{}.0", " {}", "{},{}", "[{}]", "+{}", "{}e3"]).replace("{}", str(number))
    return "".join(
        chr(draw.choice([draw.randint(0, 127), draw.randint(0, 0x2FFF), 0x1F600])) for _ in range(draw.randint(0, 12))
    )


def parameters(draw: random.Random) -> tuple[Any, Callable[[], Any]]:
    """One to four values of a chapter, by their names or not quite, and what it would train for them."""
    chapter = draw.choice(CHAPTERS)
    names = [parameter.name for parameter in chapter.parameters] + ["seed", "P", "__class__"]
    given = {draw.choice(names): text(draw) for _ in range(draw.randint(1, 4))}
    preset = draw.choice([*chapter.presets] * 9 + [text(draw)])
    return (chapter.number, preset, given), lambda: chapter.page(preset, given).experiments()


def polynomials(draw: random.Random) -> tuple[Any, Callable[[], Any]]:
    """An operation as text."""
    written = "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 9))) if draw.random() < 0.9 else text(draw)
    return written, lambda: parse_polynomial(written)


def tasks(draw: random.Random) -> tuple[Any, Callable[[], Any]]:
    """A task with values of every type that Python has for them."""
    odd = [draw.randint(-3, 99), -0.0, float("nan"), 1e300, 10**400, True, None, "7", [7], b"7", 7.0, {}, ModularTask]
    given = {
        name: draw.choice(odd)
        for name in draw.sample(("p", "operation", "train_fraction", "split", "seed", "shift"), 2)
    }
    return given, lambda: ModularTask(**{"p": 7} | given)


def grids(draw: random.Random) -> tuple[Any, Callable[[], Any]]:
    """Axes of `grokbook sweep --grid`, and how many seeds and steps."""
    names = [
        "decoder_lr",
        "learning_rate",
        "weight_decay",
        "p",
        "steps",
        "d_model",
        "seed",
        "train_fraction",
        text(draw),
    ]
    forms = [
        f"{text(draw)}:{text(draw)}:{draw.choice([text(draw), 3])}",
        f"{text(draw)},{text(draw)}",
        text(draw),
        "1:10:1000",
    ]
    given = [f"{draw.choice(names)}={draw.choice(forms)}" for _ in range(draw.randint(1, 3))]
    return given, lambda: cluster.asked(draw.choice(EXPERIMENTS), given, 1, 10)


def times(draw: random.Random) -> tuple[Any, Callable[[], Any]]:
    """A budget of `grokbook record`."""
    written = text(draw) + draw.choice(["", "h", "m", "s", "h30m"])
    return written, lambda: seconds(written)


CHAPTERS: list[Any] = []
EXPERIMENTS: list[str] = []
WHAT = {
    "parameters": "one to four parameters of a chapter, any preset",
    "operations": "polynomials as text",
    "tasks": "tasks with values of other types",
    "grids": "grids of `grokbook sweep`",
    "times": "budgets of `grokbook record`",
    "links": "links of the page that trains, in Chromium",
    "files": "files for `--params`: tags, aliases, links, a pipe, 1 GB, devices",
    "commands": "commands as processes, those files among them",
}
COLUMNS = ("input", "tried", "not refused with one sentence, or not in time")
INSIDE = {"parameters": parameters, "operations": polynomials, "tasks": tasks, "grids": grids, "times": times}


def prepared() -> None:
    """Read chapters and experiments, once."""
    CHAPTERS[:] = CHAPTERS or sources.load_all(ROOT)
    EXPERIMENTS[:] = EXPERIMENTS or [*catalogue()][:40] + ["nothing", "liu2022/fig6b"]


def inside(kind: str, tries: int, seed: int) -> list[tuple[Any, str]]:
    """What `tries` inputs of a kind did that no input may do."""
    prepared()
    draw, found = random.Random(f"{kind} {seed}"), []
    for _ in range(tries):
        given, call = INSIDE[kind](draw)
        if said := tried(call):
            found.append((given, said))
    return found


# ----------------------------------------------------------------------------------- files and commands


def files(folder: Path) -> list[Path]:
    """Parameter sets that nobody should be able to hand in."""
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    texts = {
        "tag": "p: !!python/object/apply:os.system ['touch owned']",
        "new": "!!python/object/new:subprocess.Popen [['touch', 'owned']]",
        "bomb": bomb,
        "bomb_as_chapter": f"{bomb}chapter: *j\nparameters: {{p: 7}}",
        "bomb_is_chapter": "parameters: {p: 7}\nchapter: " + "[" * 40 + "]" * 40,
        "own": "p: &a [*a]",
        "deep": "[" * 50_000,
        "merge": "<<: {p: 7}\n<<: 8",
        "bytes": "p: \xff\xfe",
        "keys": "? [a, b]\n: 1\n",
        "numbers": "1: 2\n",
        "nulls": "parameters:\npreset:\n",
        "two": "p: 7\n---\np: 8\n",
        "controls": "p: \x00\x1b[2J",
        "path": "p: ../../../etc/passwd",
        "long": "p: " + "9" * 90_000,
        "link": "",
    }
    for name, content in texts.items():
        (folder / f"{name}.yaml").write_bytes(content.encode("latin-1"))
    (folder / "link.yaml").unlink()
    (folder / "link.yaml").symlink_to("/etc/passwd")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "fifo.yaml")
    with (folder / "sparse.yaml").open("wb") as stream:
        stream.truncate(1 << 30)
    return [*sorted(folder.iterdir()), folder / "absent.yaml", Path("/dev/zero"), Path("/dev/full"), folder / "a\0b"]


def commands(folder: Path) -> list[list[str]]:
    """Command lines that ask for too much, for what is not there, or for what is none."""
    huge, out = str(10**9), str(folder / "out")
    made = [
        ["run", "02", "--out", out, "-p", given]
        for given in ("p=1e999", "=", "p", f"p={'9' * 5000}", "p=\x1b[2J", "é=1")
    ]
    made += [["run", name, "--out", out] for name in ("../02", "", "99", "/etc/passwd", "0" * 300)]
    made += [
        ["run", "02", "--preset", "smoke", "--out", "/proc/none/out"],
        ["run", "02", "--save-params", "/proc/x", "-p", "p=4"],
    ]
    made += [
        ["list", "../x"],
        ["list", "\x1b]0;a\x07"],
        ["build", "--only", "../x"],
        ["build", "--jobs", "0"],
        ["nothing"],
    ]
    made += [
        ["record", "--list", "--seeds", huge],
        ["record", "--list", "--only", "[" * 99],
        ["record", "--list", "--order", "é"],
    ]
    made += [
        ["record", "--budget", "x", "--only", "none"],
        ["record", "--seeds", "-1"],
        ["record", "--list", "--seeds", "1" * 60],
    ]
    made += [
        ["sweep", "liu2022/fig6b", "--grid", f"decoder_lr=1e-4:1e-3:{huge}"],
        ["sweep", "nothing"],
        ["sweep", "../x"],
    ]
    made += [["sweep", "liu2022/fig6b", "--seeds", huge], ["sweep", "liu2022/fig6b", "--scheduler", "x://y"]]
    made += [["sweep", "liu2022/fig6b", *(p for k in range(4) for p in ("--grid", f"decoder_lr{k}=1:2:1000"))]]
    made += [
        ["claims", "--id", "'; --"],
        ["claims", "--paper", "../x"],
        ["claims", "--kind", "é"],
        ["claims", "--verdict", ""],
    ]
    made += [["drift", "/dev/zero"], ["drift", "/proc/self/mem"], ["drift", str(folder)], ["serve", "--port", "99999"]]
    made += [
        ["teach", "student", "/proc/x"],
        ["teach", "student", out, "--variant", "../../x"],
        ["teach", "slides", "99", out],
    ]
    made += [
        ["teach", "student", out, "--class", "/dev/zero"],
        ["teach", "student", out, "--class", str(folder / "fifo.yaml")],
    ]
    return made


def command(arguments: list[str], folder: Path, limit: float) -> str | None:
    """None where a command ends in time, without a traceback and with at most a line of error; else what it did."""
    environment = {**os.environ, "COLUMNS": "200", "HOME": str(folder)}
    shell = [sys.executable, "-m", "grokbook", *arguments]
    try:
        done = subprocess.run(
            shell, capture_output=True, text=True, timeout=limit, cwd=ROOT, env=environment, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return f"still ran after {limit:.0f} s"
    except ValueError:
        return None  # no operating system hands on a NUL
    said = done.stderr + done.stdout
    if "Traceback" in said or done.returncode not in (0, 1, 2):
        return f"ended with {done.returncode}: {said.strip().splitlines()[-1][:90] if said.strip() else ''}"
    return None


def outside(folder: Path, kinds: set[str], slower: float) -> dict[str, tuple[int, list[tuple[Any, str]]]]:
    """Files in this process, and the hardest of them and commands as processes; what was written beside `folder`."""
    place, found = folder / "in", {}
    place.mkdir()
    paths, chapter = files(place), CHAPTERS[1]
    if "files" in kinds:
        said = [
            (path.name, tried(lambda path=path: chapter.page("smoke", parameter_sets.read(path, chapter)[1])))
            for path in paths
        ]
        found["files"] = (len(paths), [(name, one) for name, one in said if one])
    if "commands" in kinds:
        hard = [
            ["run", "02", "--params", str(path), "--out", str(folder / "out")] for path in paths if path.name != "a\0b"
        ]
        every = hard + commands(place)
        said = [(arguments, command(arguments, folder, LIMIT * slower)) for arguments in every]
        found["commands"] = (len(every), [(arguments, one) for arguments, one in said if one])
    return found


def state() -> dict[str, tuple[int, int]]:
    """What git does not ignore in the checkout, with size and time, and what lies beside it and in /tmp's first row."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    known = {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in paths if path.is_file()}
    return (
        known
        | {str(path): (0, 0) for path in ROOT.parent.iterdir()}
        | dict.fromkeys(map(str, ROOT.rglob("owned")), (0, 0))
    )


# ------------------------------------------------------------------------------------ links of the page that trains

ASK = """hashes => hashes.map(hash => {
  const { fromAddress, address, settled, CHOICES, RANGES } = window.GrokbookTraining;
  try {
    const found = fromAddress("a", hash);
    if (!found) return null;
    const s = found.settings, own = Object.hasOwn(CHOICES, s.model) && s.model !== "any";
    if (!own) return `model ${s.model}`;
    for (const [name, list] of Object.entries({ ...CHOICES[s.model], ...CHOICES.any }))
      if (!list.includes(s[name])) return `${name} = ${s[name]}`;
    for (const [name, [low, high]] of Object.entries(RANGES))
      if (!(s[name] >= low && s[name] <= high)) return `${name} = ${s[name]}`;
    const again = fromAddress("a", address("a", s, found.drops));
    const same = Object.keys(settled({})).every(name => Object.is(again.settings[name], s[name]));
    return same ? null : "the link of a link is another";
  } catch (error) { return String(error); }
})"""


def link(draw: random.Random) -> str:
    """The part of an address after `#`, as somebody might hand it on."""
    names = [
        "model",
        "p",
        "width",
        "optimizer",
        "loss",
        "split",
        "seed",
        "steps",
        "pace",
        "drops",
        "learning_rate",
        "beside",
    ]
    names += [
        "weight_decay",
        "n_seeds",
        "temperature",
        "freeze",
        "hold",
        "__proto__",
        "constructor",
        "decay_output",
        text(draw),
    ]
    words = [
        "transformer",
        "quadratic",
        "constructor",
        "toString",
        "__proto__",
        "Sgd",
        "1.2.3.0",
        "9999999999.1.1.1",
        "Infinity",
    ]
    values = {draw.choice(names): draw.choice([draw.choice(words), text(draw)]) for _ in range(draw.randint(0, 6))}
    if draw.random() < 0.1:
        return text(draw).encode("utf-8", "replace").decode()
    return "#a?" + urlencode(values, errors="replace")


def links(tries: int, seed: int) -> list[tuple[Any, str]]:
    """What the script of the page that trains makes of links, in Chromium, a thousand at a time."""
    from playwright.sync_api import sync_playwright

    from grokbook.build.browser import chromium_path
    from grokbook.page.tables import script

    draw, found = random.Random(f"links {seed}"), []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.add_script_tag(content=script("training_page"))
        for start in range(0, tries, 1000):
            hashes = [link(draw) for _ in range(min(1000, tries - start))]
            found += [(hash, said) for hash, said in zip(hashes, page.evaluate(ASK, hashes), strict=True) if said]
        browser.close()
    return found


def main() -> int:
    """Try what is asked for, print what was found; exit code 1 where anything was."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tries", type=int, default=2000, help="inputs of all kinds that run in this process")
    parser.add_argument("--seed", type=int, default=0, help="draw others")
    parser.add_argument("--only", action="append", choices=[*INSIDE, "links", "files", "commands"], help="one kind")
    parser.add_argument("--slower", type=float, default=3.0, help="how many times ten seconds a process may take here")
    parser.add_argument("--write", action="store_true", help="write the table into book/how_to_rerun.md")
    asked = parser.parse_args()
    kinds = asked.only or [*INSIDE, "links", "files", "commands"]
    each, rows, bad = asked.tries // len({*INSIDE, "links"}), [], 0
    prepared()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        before, begun = state(), time.monotonic()
        results = {kind: (each, inside(kind, each, asked.seed)) for kind in INSIDE if kind in kinds}
        results |= {"links": (each, links(each, asked.seed))} if "links" in kinds else {}
        results |= outside(Path(folder), set(kinds), asked.slower)
        changed = {path for path, seen in state().items() if before.get(path) != seen}
    for kind, (count, found) in results.items():
        rows.append((WHAT[kind], f"{count:,}", len(found)))
        bad += len(found)
        for given, said in found[:20]:
            print(f"{kind}: {ascii(given)[:300]}: {said}")
    print(f"{time.monotonic() - begun:.0f} s; written outside: {', '.join(sorted(changed)) or 'nothing'}")
    made = tables.table(COLUMNS, rows)
    print(made)
    if asked.write:
        known = {row[0]: row for row in [*tables.rows("fuzz"), *rows]}
        tables.write("fuzz", tables.table(COLUMNS, (known[name] for name in WHAT.values() if name in known)))
    return 1 if bad or changed else 0


if __name__ == "__main__":
    sys.exit(main())

"""What is installed with grokbook has licences that are allowed; a release has hashes, materials
and a provenance."""

import importlib.metadata as metadata
import re

import pytest

from project_tree import read

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-CMU",
}
ALLOWED |= {"MPL-2.0", "PSF-2.0", "Public Domain", "Zlib", "LLVM-exception"}
"""SPDX names of licences under which a package may be used beside a book under MIT and CC BY
4.0."""

WORDS = {
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
}
WORDS |= {
    "BSD License": "BSD",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
}
WORDS |= {
    "MIT License": "MIT",
    "ISC License (ISCL)": "ISC",
    "ISC license": "ISC",
    "ISC License": "ISC",
}
WORDS |= {
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
READ = {
    # states none in its metadata; its repository's file LICENSE was read
    "axe-playwright-python": "MIT",
    # its COPYING: one tool for Emacs alone is GPL
    "docutils": "Public Domain AND BSD-2-Clause AND PSF-2.0",
}
"""Packages whose metadata do not say it, or say more than what is used."""


def licence(name: str) -> str:
    """The licence that a distribution states: its expression, else its field of one line, else its
    classifiers."""
    about = metadata.metadata(name)
    field = (about.get("License") or "").strip()
    classified = (
        line.split(" :: ")[-1]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License")
    )
    said = [one for one in classified if one != "DFSG approved"]
    short = re.fullmatch(r"(?!UNKNOWN|Copyright)[A-Za-z][\w .-]{2,30}", field)
    return (
        READ.get(name)
        or about.get("License-Expression")
        or (field if short else " AND ".join(said))
    )


def refused(said: str) -> set[str]:
    """The parts of an expression that are not allowed; nothing stated is not allowed either."""
    parts = [part.strip() for part in re.split(r" AND | OR | WITH ", said)]
    return {
        part
        for part in (WORDS.get(part, part.strip("() ")) for part in parts)
        if part not in ALLOWED
    }


def test_every_package_has_a_licence_that_is_allowed():
    names = [
        line.partition("==")[0]
        for line in read("constraints.txt").splitlines()
        if not line.startswith("#")
    ]
    installed = {
        re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower() for one in metadata.distributions()
    }
    here = [name for name in names if name in installed]
    assert len(here) > 0.9 * len(names)
    assert {name: licence(name) for name in here if refused(licence(name))} == {}


@pytest.mark.parametrize(
    "said", ["GPL-3.0-only", "MIT AND AGPL-3.0", "", "SSPL-1.0", "Proprietary"]
)
def test_a_licence_that_asks_for_more_is_refused(said):
    assert refused(said)

"""The site described for archives: `ro-crate-metadata.json`, made of what the build knows."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from grokbook.page.sources import Chapter, page_of
from grokbook.project import described
from grokbook.runs.provenance import commit, provenance

NAME = "ro-crate-metadata.json"
_CONTEXT, _PROFILE = "https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/crate/1.1"
_DATA = ("claims.json", "claims.schema.json", "drift.json")


def crate(root: Path, html: Path, chapters: Mapping[str, Chapter]) -> dict[str, Any]:
    """The metadata of a built site: the book, its software, and each page with its notebook and its source.

    Title, authors, licences and keywords are those of CITATION.cff, the DOI too once there is one; version and
    addresses those of pyproject.toml; commit, packages and date those of this build.

    Source: RO-Crate 1.1, https://w3id.org/ro/crate/1.1.
    """
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    project = described(root)
    made, urls = provenance(), project.get("urls", {})
    files = [_file(html, name, name) for name in _DATA if (html / name).is_file()]
    for name, chapter in chapters.items():
        page, title = f"{page_of(name)}.html", chapter.title
        kept = {f"downloads/{name}.ipynb": f"{title}, executed", f"downloads/{name}.md": f"{title}, source"}
        places = {page: title, **kept}
        files += [_file(html, place, said) for place, said in places.items() if (html / place).is_file()]
    licences = [{"@id": f"https://spdx.org/licenses/{name}", "@type": "CreativeWork", "name": name}
                for name in cited["license"]]  # fmt: skip
    authors = [{"@id": f"#author-{n}", "@type": "Organization", "name": who["name"]}
               for n, who in enumerate(cited["authors"])]  # fmt: skip
    software = {
        "@id": "#software",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "version": project["version"],
        "identifier": commit()[0],
        "softwareRequirements": [" ".join(one) for one in made["versions"].items() if one[0] != project["name"]],
    }
    book = {
        "@id": "./",
        "@type": "Dataset",
        "name": cited["title"],
        "description": " ".join(cited["abstract"].split()),
        "datePublished": made["recorded_on"],
        "keywords": cited["keywords"],
        "license": [{"@id": one["@id"]} for one in licences],
        "author": [{"@id": one["@id"]} for one in authors],
        "hasPart": [{"@id": one["@id"]} for one in files],
        "mentions": {"@id": "#software"},
    }
    software |= {"codeRepository": urls["Repository"]} if "Repository" in urls else {}
    book |= {"url": urls["Documentation"]} if "Documentation" in urls else {}
    book |= {"identifier": f"https://doi.org/{cited['doi']}"} if "doi" in cited else {}
    about = {"@id": NAME, "@type": "CreativeWork", "conformsTo": {"@id": _PROFILE}, "about": {"@id": "./"}}
    return {"@context": _CONTEXT, "@graph": [about, book, software, *authors, *licences, *files]}


def put(root: Path, html: Path, chapters: Mapping[str, Chapter]) -> None:
    """Write the metadata into a built site, where the project says how it is cited."""
    if (root / "CITATION.cff").is_file() and (root / "pyproject.toml").is_file():
        (html / NAME).write_text(json.dumps(crate(root, html, chapters), indent=1) + "\n", encoding="utf-8")


def _file(html: Path, place: str, name: str) -> dict[str, Any]:
    kind = {".ipynb": "application/x-ipynb+json", ".md": "text/markdown"}.get(Path(place).suffix)
    size = str((html / place).stat().st_size)
    found = kind or mimetypes.guess_type(place)[0] or "application/octet-stream"
    return {"@id": place, "@type": "File", "name": name, "encodingFormat": found, "contentSize": size}

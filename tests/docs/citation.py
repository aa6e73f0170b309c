#!/usr/bin/env python3
"""Checks that everything that states the version states project(VERSION) of CMakeLists.txt, and CITATION.cff the day of the release: that of the
Debian changelog's newest entry and, once CHANGELOG.md has a section of the version, of its heading. citation.py ROOT."""
import datetime
import email.utils
import pathlib
import re
import sys

VERSIONS = {
    "CMakeLists.txt": r"^project\(speedwell VERSION ([0-9.]+)",
    "CITATION.cff": r"^version: (\S+)$",
    "python/pyproject.toml": r'^version = "([^"]+)"',
    "python/speedwell/__init__.py": r'^__version__ = "([^"]+)"',
    "packaging/debian/changelog": r"\Aspeedwell \(([0-9.]+)-",
}
REQUIRED = ("cff-version", "message", "title", "type", "authors", "version", "date-released", "license")


def found(root, name, pattern):
    match = re.search(pattern, (root / name).read_text(), re.MULTILINE)
    return match[1] if match else None


def wrong_versions(root):
    versions = {name: found(root, name, pattern) for name, pattern in VERSIONS.items()}
    expected = versions["CMakeLists.txt"]
    for name, version in versions.items():
        if version is None or version != expected:
            yield f"{name} says version {version}, CMakeLists.txt {expected}"


def wrong_dates(root):
    released = found(root, "CITATION.cff", r"^date-released: (\S+)$")
    try:
        day = datetime.date.fromisoformat(released or "")
    except ValueError:
        yield f"CITATION.cff: date-released is '{released}', not YYYY-MM-DD"
        return
    packaged = found(root, "packaging/debian/changelog", r"^ -- .*>  (.*)$")
    if email.utils.parsedate_to_datetime(packaged).date() != day:
        yield f"CITATION.cff says {day}, packaging/debian/changelog {packaged}"
    version = found(root, "CMakeLists.txt", VERSIONS["CMakeLists.txt"])
    heading = found(root, "CHANGELOG.md", rf"^## {re.escape(version)}\b(.*)$")
    if heading is not None and str(day) not in heading:
        yield f"CITATION.cff says {day}, the heading of {version} in CHANGELOG.md '{heading.strip()}'"


def main():
    root = pathlib.Path(sys.argv[1])
    citation = (root / "CITATION.cff").read_text()
    wrong = [f"CITATION.cff has no {key}" for key in REQUIRED if not re.search(rf"^{key}:", citation, re.MULTILINE)]
    wrong += [*wrong_versions(root), *wrong_dates(root)]
    print("\n".join(wrong) or "versions and dates agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

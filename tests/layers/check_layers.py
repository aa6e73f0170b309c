#!/usr/bin/env python3
"""Fails if an include points up the layers of the library.

Usage: check_layers.py SOURCE_DIR. Prints one line per offence, and one per folder with too many files. A layer may include itself and those before it; an
application may include public headers of one other application, which are those that CMakeLists.txt lists in HEADERS of its
library; of a library in numerics, which is a folder there, it may include public headers, and all if it has the library's
name and is its benchmark; only files named adapter* include the harness; CUDA
headers are included by CUDA sources and by headers that only those include. What is above the harness includes no application:
commands parse and print, and run solvers through simulation, searches through search, and variants through the catalogue; sessions measure
variants of the catalogue; what a process is knows neither.
"""
import functools
import pathlib
import re
import sys

LAYERS = ["core", "comm", "numerics", "io", "apps", "simulation", "search", "machine", "harness", "process", "catalogue", "session",
          "cli"]
RANK = {name: i for i, name in enumerate(LAYERS)}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<](speedwell/[^">]+)[">]', re.M)
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".in"}


def layer(path):
    """Returns the layer of a path below speedwell/: 'core', …; the files that are directly in that folder are the catalogue."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "catalogue"


def application(path):
    parts = path.split("/")
    return parts[2] if parts[1] == "apps" and len(parts) > 3 else None


def numerics_library(path):
    """Returns the library in numerics to which a header belongs, or None for headers directly in that folder."""
    parts = path.split("/")
    return parts[2] if parts[1] == "numerics" and len(parts) > 3 else None


HEADERS = re.compile(r"speedwell_add_library\([^)]*?\bHEADERS\b([^)]*?)(?:\b(?:SOURCES|CUDA|USES|LINKS)\b|\))")


@functools.cache
def public_headers(folder):
    """Returns the paths of the headers that CMakeLists.txt in this folder of the tree lists for its library."""
    text = (folder / "CMakeLists.txt").read_text(encoding="utf-8") if (folder / "CMakeLists.txt").is_file() else ""
    listed = HEADERS.search(re.sub(r"#.*", "", text))
    return {folder / name for name in listed[1].split()} if listed else set()


def is_public(root, header):
    """Returns whether the library of the folder around the header, or of one around that, has it among its headers."""
    path = root / header
    tops = {root / "speedwell" / "apps", root / "speedwell" / "numerics"}
    return any(path in public_headers(folder) for folder in path.parents if tops & set(folder.parents))


def offences(root):
    for file in sorted((root / "speedwell").rglob("*")):
        if file.suffix not in SUFFIXES or not file.is_file():
            continue
        here = file.relative_to(root).as_posix()
        mine = layer(here)
        if mine not in RANK:
            yield f"{here}: '{mine}' is no layer"
            continue
        adapter = mine == "apps" and file.name.startswith("adapter")
        others = set()
        for target in INCLUDE.findall(file.read_text(encoding="utf-8")):
            theirs = layer(target)
            if theirs not in RANK:
                yield f"{here}: includes {target}, and '{theirs}' is no layer"
            elif mine == "apps" and theirs in ("machine", "harness"):
                if not adapter or theirs == "machine":
                    yield f"{here}: only an adapter sees the harness, and this includes {target}"
            elif RANK[theirs] > RANK[mine]:
                yield f"{here}: {mine} includes {target}, which is above it"
            elif mine == "machine" and theirs not in ("core", "machine"):
                yield f"{here}: machine uses core alone, and this includes {target}"
            elif mine in ("harness",) and theirs == "apps":
                yield f"{here}: the harness knows no application, and this includes {target}"
            elif mine in ("process", "session", "cli") and theirs == "apps":
                yield f"{here}: what is above the harness knows no application, and this includes {target}"
            if mine == "apps" and theirs == "apps" and application(target) != application(here):
                others.add(application(target))
                if not is_public(root, target):
                    yield f"{here}: includes {target}, which is not a public header"
            library = numerics_library(target)
            if mine == "apps" and library not in (None, application(here)) and not is_public(root, target):
                yield f"{here}: includes {target}, which is not a public header"
        if len(others) > 1:
            yield f"{here}: includes {len(others)} other applications"


MAX_FILES = 35  # of a folder: headers and sources together


def large_folders(root):
    for folder in sorted(path for path in (root / "speedwell").rglob("*") if path.is_dir()):
        files = sum(file.is_file() and file.suffix in SUFFIXES for file in folder.iterdir())
        if files > MAX_FILES:
            yield f"{folder.relative_to(root).as_posix()}: {files} files, and a folder has at most {MAX_FILES}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*offences(root), *large_folders(root)]
    print("\n".join(found) if found else "every include points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks that headers that cmake/SpeedwellPublicHeaders.cmake makes public, and what they include, include the standard library, Speedwell and, in
CUDA headers, the toolkit alone; and that what documents and examples include is public: public_headers.py ROOT."""
import pathlib
import re
import sys

# The parts of the CUDA toolkit that headers of device code may include.
TOOLKIT = re.compile(r"cuda_runtime\.h|cooperative_groups(/.*)?\.h|cub/.*\.cuh|cuda/.*|thrust/.*|nvtx3/.*")
# POSIX and compiler headers, which come with every compiler that builds Speedwell.
SYSTEM = re.compile(r"omp\.h|immintrin\.h|sys/.*\.h|[a-z_]+|c?std[a-z]+\.h")


def public_of(text):
    """Returns the headers in the calls of the CMake file."""
    calls = re.findall(r"^speedwell_public_headers\(\w+\s+([^)]*)\)", text, re.MULTILINE)
    return [header for headers in calls for header in headers.split() if header != "NONE"]  # NONE: a library for others alone


def includes_of(path):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)


def foreign_includes(root, public):
    """Returns the includes of other projects in installed headers; each header is read once."""
    unread, read = list(public), set()
    while unread:
        header = unread.pop()
        if header in read:
            continue
        read.add(header)
        path = root / "speedwell" / header
        includes = includes_of(path)
        for include in includes:
            if include.startswith("speedwell/"):
                unread.append(include.removeprefix("speedwell/"))
            elif not SYSTEM.fullmatch(include) and not TOOLKIT.fullmatch(include):
                yield f"{header} includes <{include}>"


def uses_of_internal_headers(root, public):
    documents = [p for p in root.rglob("*.md") if "build" not in p.relative_to(root).parts[0]]
    for path in documents + sorted((root / "examples").glob("*.c*")):
        shown = path.read_text().replace("    #include", "#include") if path.suffix == ".md" else path.read_text()
        for include in re.findall(r'^#include [<"]speedwell/([^>"]+)[>"]', shown, re.MULTILINE):
            if include not in public:
                yield f"{path.relative_to(root)} includes {include}, which is not public"


def main():
    root = pathlib.Path(sys.argv[1])
    public = public_of((root / "cmake/SpeedwellPublicHeaders.cmake").read_text())
    wrong = [*foreign_includes(root, public), *uses_of_internal_headers(root, public)]
    print("\n".join(wrong) or f"{len(public)} public headers")
    return 1 if wrong or not public else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes a new application that builds and passes the conformance test, for its author to change.

new_application.py NAME [--title TITLE]

NAME is the folder and the namespace: small letters, digits and single underscores, at most 32 characters. The files come from
tools/templates/application, whose application computes z = a x + y: a library with a serial and an OpenMP function, a CUDA kernel, an
oracle and a verdict, and the adapter, in speedwell/apps/NAME; tests in tests/apps/NAME. Elsewhere one line is added to each of
speedwell/apps/CMakeLists.txt and tests/apps/CMakeLists.txt. A name that exists or is not allowed is refused: one line, status 2, and
nothing is written."""
import argparse
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "tools" / "templates" / "application"
FOLDERS = {"library": "speedwell/apps", "tests": "tests/apps"}  # of the template, and where they go
TEMPLATE_NAME, TEMPLATE_TITLE = "new_application", "TITLE_OF_THE_APPLICATION"
MAX_NAME, MAX_TITLE = 32, 60
KEYWORDS = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq linux unix std speedwell""".split())
TARGET = re.compile(r"\b(?:speedwell_)?add_(?:library|adapter|test|ranks_test|executable|custom_target)\(\s*(?:NAME\s+)?(?:speedwell_)?(\w+)")
NAMESPACE = re.compile(r"^namespace speedwell::([\w:]+)", re.M)


class Refused(Exception):
    pass


def sources(*suffixes):
    return (p for folder in ("speedwell", "tests", "cmake") for p in sorted((ROOT / folder).rglob("*")) if p.name.endswith(suffixes))


def names_in_use():
    """Returns the names that a new application may not have, and what each of them names."""
    used = {word: "a word of C++ or of its compilers" for word in KEYWORDS}
    used.update({path.stem: "a file of the application itself" for path in (TEMPLATE / "library").iterdir() if path.stem != TEMPLATE_NAME})
    for path in sources("CMakeLists.txt", ".cmake"):
        for name in TARGET.findall(path.read_text(encoding="utf-8")):
            used[name] = f"a target in {path.relative_to(ROOT)}"
    for path in sources(".hpp", ".cpp", ".cu"):
        for names in NAMESPACE.findall(path.read_text(encoding="utf-8")):
            used.update({name: f"a namespace in {path.relative_to(ROOT)}" for name in names.split("::")})
    for folder in ("speedwell", "tests", *FOLDERS.values()):
        used.update({path.name: f"{path.relative_to(ROOT)} exists" for path in (ROOT / folder).iterdir()})
    return used


def check(name, title):
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise Refused(f"the name {name!r} is not allowed: small letters, digits and single underscores, a letter first")
    if len(name) > MAX_NAME:
        raise Refused(f"the name has {len(name)} characters; at most {MAX_NAME} are allowed")
    used = names_in_use()
    for taken in (name, f"{name}_gpu", f"{name}_adapter"):  # its targets
        if taken in used:
            raise Refused(f"the name {name!r} is not free: {taken}: {used[taken]}")
    if not title.strip() or not title.isprintable() or set(title) & set('"\\'):
        raise Refused("the title is not allowed: printable characters, without quotes and backslashes")
    if len(title) > MAX_TITLE:
        raise Refused(f"the title has {len(title)} characters; at most {MAX_TITLE} are allowed")


def with_sorted_includes(text):
    """Sorts each block of includes as clang-format does, as their order depends on the name."""
    return re.sub(r'(?:^#include "[^\n]*\n)+', lambda block: "".join(sorted(block[0].splitlines(True))), text, flags=re.M)


def files_of(name, title):
    """Returns the paths and texts of the new files."""
    made = {}
    for folder, target in FOLDERS.items():
        for path in sorted((TEMPLATE / folder).iterdir()):
            text = path.read_text(encoding="utf-8").replace(TEMPLATE_TITLE, title)
            text = text.replace(f"tools/{TEMPLATE_NAME}.py", "tools/NEW_APPLICATION.py").replace(TEMPLATE_NAME, name)
            text = with_sorted_includes(text.replace("tools/NEW_APPLICATION.py", f"tools/{TEMPLATE_NAME}.py"))
            made[ROOT / target / name / path.name.replace(TEMPLATE_NAME, name)] = text
    return made


def create(name, title):
    """Writes the files and the two lines and returns the paths; if that fails, what was written is removed again."""
    files = files_of(name, title)
    lists = {ROOT / target / "CMakeLists.txt": (ROOT / target / "CMakeLists.txt").read_text(encoding="utf-8") for target in FOLDERS.values()}
    try:
        for path, text in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for path, text in lists.items():
            path.write_text(text.rstrip("\n") + f"\nadd_subdirectory({name})\n", encoding="utf-8")
    except OSError:
        for target in FOLDERS.values():
            shutil.rmtree(ROOT / target / name, ignore_errors=True)
        for path, text in lists.items():
            path.write_text(text, encoding="utf-8")
        raise
    return [*files, *lists]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--title", help="a few words for lists and reports; the name, if it is left out")
    options = parser.parse_args()
    title = options.title if options.title is not None else options.name.replace("_", " ").capitalize()
    try:
        check(options.name, title)
        paths = create(options.name, title)
    except (Refused, OSError) as error:
        print(f"new_application.py: {error}", file=sys.stderr)
        return 2
    for path in paths:
        print(path.relative_to(ROOT))
    print(f"\nBuild and test it: the targets {options.name}_test, {options.name}_gpu_test (with CUDA) and conformance_test.\n"
          "Then add its row to docs/README.md and to docs/verification.md, and a line to CHANGELOG.md. What to change, in which order:\n"
          "docs/adding-an-application.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Tests tools/new_application.py: what it refuses, and that what it makes is formatted, configures, builds and passes its tests.

new_application_test.py refusals SOURCE_DIR
new_application_test.py build SOURCE_DIR CMAKE GENERATOR SETTINGS WORK_DIR

SETTINGS is a file for cmake -C that tests/tools/CMakeLists.txt writes. WORK_DIR has the temporary copies."""
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAME = "zz_scaling"


@contextlib.contextmanager
def copy_of(source, work=None):
    """Returns a copy of the sources in a temporary folder."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        root = pathlib.Path(folder) / "tree"
        root.mkdir()
        for part in ("cmake", "docs", "examples", "fuzz", "packaging", "python", "schema", "speedwell", "tests", "tools"):
            shutil.copytree(source / part, root / part, ignore=shutil.ignore_patterns("build", "__pycache__", "*.egg-info"))
        for path in source.iterdir():
            if path.is_file() and path.name != ".git":  # of a worktree
                shutil.copy(path, root)
        yield root


def run(*command, **options):
    """Runs a command, which has to succeed, and returns its output."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def new_application(root, *arguments):
    done = subprocess.run([sys.executable, root / "tools" / "new_application.py", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def state(root):
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def refusals(source):
    with copy_of(source) as root:
        before = state(root)
        cases = [
            ("stream", "not free"), ("database_search", "not free"), ("core", "not free"), ("harness", "not free"), ("conformance", "not free"),
            ("program", "not free"), ("report", "not free"), ("adapter", "not free"), ("double", "not free"), ("std", "not free"),
            ("", "not allowed"), ("Heat", "not allowed"), ("2d", "not allowed"), ("heat-flow", "not allowed"), ("heat__flow", "not allowed"),
            ("heat_", "not allowed"), ("../heat", "not allowed"), ("heat flow", "not allowed"), ("heat\n", "not allowed"), ("h" * 33, "33 characters"),
        ]
        for name, expected in cases:
            status, output, error = new_application(root, name)
            assert status == 2 and not output and error.count("\n") == 1 and expected in error, (name, status, output, error)
        for title, expected in (("", "title is not allowed"), ('a "b"', "title is not allowed"), ("a\nb", "title is not allowed"),
                                ("t" * 61, "61 characters")):
            status, output, error = new_application(root, "heat", "--title", title)
            assert status == 2 and not output and error.count("\n") == 1 and expected in error, (title, status, output, error)
        status, _, error = new_application(root)
        assert status == 2 and "NAME" in error, error
        assert state(root) == before

        status, output, error = new_application(root, "heat", "--title", "Heat flow")
        assert status == 0 and not error, error
        after = state(root)
        changed = {path.as_posix() for path, text in before.items() if after[path] != text}
        assert changed == {"speedwell/apps/CMakeLists.txt", "tests/apps/CMakeLists.txt"}, changed
        for path in changed:
            assert after[pathlib.Path(path)] == before[pathlib.Path(path)] + b"add_subdirectory(heat)\n", path
        added = {path for path in after if path not in before}
        assert {path.parent.as_posix() for path in added} == {"speedwell/apps/heat", "tests/apps/heat"}, added
        assert {path.as_posix() for path in added} | changed == set(output.split("\n\n")[0].splitlines()), output
        for path in added:
            text = after[path].decode()
            assert "TITLE_OF" not in text and "new_application" not in text.replace("tools/new_application.py", ""), path
        assert b'"Heat flow"' in after[pathlib.Path("speedwell/apps/heat/adapter.cpp")]
        status, _, error = new_application(root, "heat")
        assert status == 2 and "not free" in error and state(root) == after, error
    return 0


def formatted(root, name):
    """Checks the format of the new sources with clang-format 14, if it is installed."""
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if program and "version 14." in run(program, "--version"):
        files = [path for folder in ("speedwell/apps", "tests/apps") for path in (root / folder / name).iterdir()
                 if path.suffix in (".hpp", ".cpp", ".cu")]
        run(program, "--dry-run", "--Werror", *files, cwd=root)


def build(source, cmake, generator, settings, work):
    work = pathlib.Path(work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    with copy_of(source, work) as root:
        for name in ("b", NAME, "h" * 32):  # the order of includes and the lengths of lines depend on it
            status, _, error = new_application(root, name)
            assert status == 0, error
            formatted(root, name)
        run(sys.executable, source / "tests" / "layers" / "check_layers.py", root)
        options = ["-G", generator, "-C", settings, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DSPEEDWELL_PRECOMPILE=OFF"]

        # The whole tree has the application after the two lines, here as it is without CUDA.
        run(cmake, "-S", root, "-B", root / "build" / "whole", *options, "-DSPEEDWELL_CUDA=OFF")
        catalogue = (root / "build" / "whole" / "generated" / "catalogue.cpp").read_text()
        assert f"entry({NAME}::application(), {{}}, {{}})" in catalogue, catalogue

        shutil.copy(source / "tests" / "tools" / "new_application" / "CMakeLists.txt", root)
        alone = root / "build" / "alone"
        run(cmake, "-S", root, "-B", alone, *options, f"-DNAME={NAME}")
        run(cmake, "--build", alone, "--parallel", "2")
        tests = [alone / "tests" / "apps" / NAME / f"{NAME}_test", alone / "tests" / "conformance" / "conformance_test"]
        tests += [path for path in [tests[0].with_name(f"{NAME}_gpu_test")] if path.exists()]  # in a build with CUDA
        for test in tests:
            output = run(test)
            assert "[  PASSED  ]" in output and "0 tests from" not in output, output
            print(output.strip().splitlines()[-1], test.name)
    return 0


if __name__ == "__main__":
    mode, tree, *rest = sys.argv[1:]
    sys.exit({"refusals": refusals, "build": build}[mode](pathlib.Path(tree).resolve(), *rest))

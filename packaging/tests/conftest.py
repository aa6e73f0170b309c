"""The recipes are loaded beside stand-ins for the frameworks that they are written for: what their directives are called with is kept, and
no more is done. The records that they parse are the program's own, made once."""
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import frameworks

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"


def load(path, modules):
    """A recipe as a module, with stand-ins for what it imports."""
    name = f"recipe_{path.stem}"
    saved = {key: sys.modules.get(key) for key in modules}
    sys.modules.update(modules)
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for key, value in saved.items():
            sys.modules.pop(key) if value is None else sys.modules.__setitem__(key, value)
    return module


@pytest.fixture(scope="session")
def spack_recipe():
    directives = frameworks.Spack()
    module = load(PACKAGING / "spack/package.py", {"spack": frameworks.module("spack"), "spack.package": directives.package()})
    return module.Speedwell, directives


@pytest.fixture(scope="session")
def reframe_check():
    return load(PACKAGING / "reframe/speedwell_check.py", frameworks.reframe())


@pytest.fixture(scope="session")
def ramble_recipe():
    directives = frameworks.Ramble()
    return load(PACKAGING / "ramble/application.py", {"ramble": frameworks.module("ramble"), "ramble.appkit": directives.appkit()}), directives


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("PACKAGING_TEST_PROGRAM")
    if not path:
        pytest.skip("PACKAGING_TEST_PROGRAM does not name a program")
    return path


@pytest.fixture(scope="session")
def stage(program, tmp_path_factory):
    """A folder with the records of a short session, under the name that both frameworks' recipes give them."""
    folder = tmp_path_factory.mktemp("stage")
    subprocess.run([program, "suite", "stream", "--size", "test", "--set", "stream.kernel=copy,triad", "--output", "speedwell-output", "--json",
                    "records.json", "--devices", "none"], cwd=folder, check=True, capture_output=True)
    return folder

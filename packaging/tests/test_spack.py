"""The Spack recipe against the options of CMake and the requirements of pyproject.toml."""
import itertools
import re
import subprocess
import tomllib

import pytest
from conftest import ROOT
from frameworks import Spec

PARTS = {"SPEEDWELL_CUDA": "cuda", "SPEEDWELL_MPI": "mpi", "SPEEDWELL_OPENMP": "openmp", "SPEEDWELL_HWLOC": "hwloc", "SPEEDWELL_BLAS": "blas",
         "SPEEDWELL_FFTW": "fftw", "SPEEDWELL_HDF5": "hdf5"}


def cmake_options():
    """The names that SpeedwellOptions.cmake, SpeedwellCache.cmake and SpeedwellHdf5.cmake declare, and which of them are parts."""
    text = "".join((ROOT / "cmake" / f"Speedwell{name}.cmake").read_text() for name in ("Options", "Cache", "Hdf5"))
    parts = {f"SPEEDWELL_{part}" for part in re.search(r"foreach\(part ([A-Z ]+)\)", text)[1].split()} | {"SPEEDWELL_HDF5"}
    declared = re.findall(r"option\((\w+)", text) + re.findall(r"set\((\w+) .* CACHE", text)
    return parts | set(declared), parts


def definitions(arguments):
    return dict(re.fullmatch(r"-D(\w+):\w+=(.*)", argument).groups() for argument in arguments)


def every_spec():
    for on in itertools.chain.from_iterable(itertools.combinations(PARTS.values(), n) for n in (0, 1, len(PARTS))):
        yield Spec(on, cuda_arch=("80", "90") if "cuda" in on else ())


def test_every_option_that_it_sets_exists(spack_recipe):
    known, _ = cmake_options()
    for spec in every_spec():
        unknown = definitions(spack_recipe[0](spec).cmake_args()).keys() - known - {"CMAKE_CUDA_ARCHITECTURES"}
        assert not unknown


def test_every_part_is_stated_as_its_variant_says(spack_recipe):
    _, parts = cmake_options()
    for spec in every_spec():
        defined = definitions(spack_recipe[0](spec).cmake_args())
        for part in parts:
            assert defined[part] == ("ON" if PARTS.get(part) in spec.on else "OFF")


def test_architectures_are_those_of_the_spec(spack_recipe):
    arguments = spack_recipe[0](Spec(["cuda"], cuda_arch=("80", "90"))).cmake_args()
    assert definitions(arguments)["CMAKE_CUDA_ARCHITECTURES"] == "80-real;90-real"


def test_a_variant_brings_its_library(spack_recipe):
    _, directives = spack_recipe
    needed = {condition for _, _, condition in directives.dependencies if condition}
    assert {"+cuda", "+mpi", "+hwloc", "+blas", "+fftw", "+hdf5", "+python"} <= needed
    assert needed <= {f"+{name}" for name in directives.variants} | {"+cuda"}


def test_python_packages_are_those_of_the_package(spack_recipe):
    with open(ROOT / "python/pyproject.toml", "rb") as stream:
        required = tomllib.load(stream)["project"]["dependencies"]
    wanted = {f"py-{d.replace('>=', '@')}:" for d in required}
    assert {spec for spec, _, _ in spack_recipe[1].dependencies if spec.startswith("py-")} == wanted


def test_required_packages_are_those_that_cmake_looks_for(spack_recipe):
    text = (ROOT / "cmake/SpeedwellParts.cmake").read_text()
    required = text.split("# --- optional")[0]
    names = {"CLI11": "cli11", "JSON": "nlohmann-json", "TOML": "tomlplusplus", "FMT": "fmt", "XXHASH": "xxhash"}
    found = {names[word] for word in re.findall(r"find_path\(SPEEDWELL_(\w+)_INCLUDE .* REQUIRED", required)}
    assert "find_package(ZLIB REQUIRED)" in required
    unconditional = {re.split("[@ ]", spec)[0] for spec, _, condition in spack_recipe[1].dependencies if not condition}
    assert unconditional == found | {"zlib-api", "cxx", "cmake"}


def test_the_stand_alone_test_starts_what_the_program_understands(spack_recipe, program, tmp_path):
    recipe, directives = spack_recipe
    recipe(Spec()).test_suite()
    (path, *arguments), = directives.started
    assert path == "/prefix/bin/speedwell"
    assert arguments[:5] == ["suite", "--size", "test", "--budget", "10s"]
    plan = subprocess.run([program, *arguments, "--dry-run"], cwd=tmp_path, capture_output=True, text=True)
    assert plan.returncode == 0, plan.stderr


@pytest.mark.parametrize("arch", ["none", "60", "75"])
def test_gpus_that_nothing_is_compiled_for_are_refused(spack_recipe, arch):
    assert f"cuda_arch={arch}" in {spec for spec, _ in spack_recipe[1].conflicting}

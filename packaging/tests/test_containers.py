"""The Dockerfile and the Apptainer definition, read as their builders read them, and the scripts that both run."""
import re
import shutil
import subprocess

import pytest
from conftest import PACKAGING, ROOT

CONTAINERS = PACKAGING / "containers"
INSTRUCTIONS = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "FROM", "LABEL", "RUN", "USER", "WORKDIR"}
SECTIONS = {"arguments", "environment", "files", "files from build", "help", "labels", "post", "runscript", "test"}


def dockerfile():
    """(instruction, rest) of each line, continued lines joined."""
    text = (CONTAINERS / "Dockerfile").read_text().replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def definition():
    """Header and sections of each stage of the Apptainer definition."""
    stages = []
    for line in (CONTAINERS / "speedwell.def").read_text().splitlines():
        if line.startswith("Bootstrap:"):
            stages.append({"header": [], "sections": {}})
            section = None
        if not stages or line.startswith("#"):
            continue
        if line.startswith("%"):
            section = stages[-1]["sections"].setdefault(line[1:].strip(), [])
        elif line.strip():
            (stages[-1]["header"] if section is None else section).append(line.strip())
    return stages


def test_instructions_exist_and_the_image_is_not_run_by_root():
    lines = dockerfile()
    assert {name for name, _ in lines} <= INSTRUCTIONS
    final = lines[max(i for i, (name, _) in enumerate(lines) if name == "FROM"):]
    users = [rest for name, rest in final if name == "USER"]
    assert users and users[-1] not in ("root", "0")
    assert ("ENTRYPOINT", '["speedwell"]') in final


def test_stages_copy_from_stages_that_exist_and_files_that_exist():
    stages = {rest.split(" AS ")[1] for name, rest in dockerfile() if name == "FROM" and " AS " in rest}
    for name, rest in dockerfile():
        if name != "COPY":
            continue
        words = rest.split()
        origin = [w.removeprefix("--from=") for w in words if w.startswith("--from=")]
        if origin:
            assert origin[0] in stages
        else:
            assert all((ROOT / source).exists() for source in words[:-1])


def test_every_build_argument_is_declared_where_it_is_used():
    text = (CONTAINERS / "Dockerfile").read_text()
    declared = {rest.split("=")[0] for name, rest in dockerfile() if name == "ARG"}
    used = set(re.findall(r"\$\{(\w+)\}", text)) | set(re.findall(r"--build-arg (\w+)=", text))
    assert used <= declared
    read_by_script = set(re.findall(r"\$\{(\w+):-", (CONTAINERS / "compile.sh").read_text()))
    assert read_by_script <= declared


def test_the_definition_has_sections_and_arguments_that_exist():
    build, run = definition()
    for stage in (build, run):
        assert set(stage["sections"]) <= SECTIONS
        declared = {line.split("=")[0] for line in stage["sections"]["arguments"]}
        used = set(re.findall(r"\{\{ (\w+) \}\}", str(stage)))
        assert used <= declared
    assert "Stage: build" in build["header"] and "files from build" in run["sections"]


def test_the_definition_copies_what_the_build_reads():
    build, run = definition()
    copied = [line.split()[0] for line in build["sections"]["files"]]
    assert all((ROOT / path).exists() for path in copied + [line.split()[0] for line in run["sections"]["files"]])
    text = (ROOT / "CMakeLists.txt").read_text() + "".join(p.read_text() for p in (ROOT / "cmake").glob("*.cmake"))
    read = set(re.findall(r"\$\{PROJECT_SOURCE_DIR\}/([\w.]+)", text))
    assert read - {"tests", "speedwell"} <= set(copied)


def test_both_run_the_same_scripts():
    docker = " ".join(rest for name, rest in dockerfile() if name == "RUN")
    apptainer = " ".join(line for stage in definition() for line in stage["sections"]["post"])
    for script in ("install-packages.sh build", "compile.sh /src /opt/speedwell", "install-runtime.sh"):
        assert script in docker and script in apptainer


def test_scripts_set_options_that_exist():
    known = "".join(p.read_text() for p in (ROOT / "cmake").glob("*.cmake"))
    parts = {f"SPEEDWELL_{part}" for part in re.search(r"foreach\(part ([A-Z ]+)\)", known)[1].split()}
    for path in (CONTAINERS / "compile.sh", PACKAGING / "debian/rules"):
        for option in re.findall(r"-D(SPEEDWELL_\w+)=", path.read_text()):
            assert option in parts or re.search(rf"(option|set)\({option} ", known), f"{path.name}: {option}"


@pytest.mark.parametrize("path", sorted(PACKAGING.rglob("*.sh")), ids=lambda p: p.name)
def test_shell_scripts_are_clean(path):
    subprocess.run(["bash", "-n", path], check=True)
    if shutil.which("shellcheck"):
        found = subprocess.run(["shellcheck", path], capture_output=True, text=True)
        assert found.returncode == 0, found.stdout

"""Shared code of the tests of `speedwell solve`: small cases of every solver, and the program run in a folder."""
import os
import re
import struct
import subprocess


def _output(every):
    return "[output]\nhistory_every = {}\nfields_every = {}\ncheckpoint_every = {}\n".format(*every) if every else ""


# A small case of every solver with {end} left open. `every` is between histories, between fields and between checkpoints.
def flow_case(cells, largest_step, every):
    return f"""schema = 1
[mesh]
cells = {cells}
[fluid]
viscosity = 0.01
[start]
flow = "taylor-green"
[time]
end = {{end}}
largest_step = {largest_step}
{_output(every)}spectra_every = {every[1]}
"""


def _case_in_steps(solver, box, every):
    return f"""schema = 1
solver = "{solver}"
{box}
[time]
steps = {{end}}
{_output(every)}"""


def fluid_case(sites, every):
    return _case_in_steps("binary_fluid", f"[lattice]\nsites = {sites}", every)


def blast_case(points, every=None):
    return _case_in_steps("blast", f"[mesh]\npoints = {points}", every)


# By the name of every solver a case, an end, and one that is later.
SOLVERS = {"flow": (flow_case([8, 8, 8], 0.01, (0.1, 0.1, 0.1)), "0.4", "0.8"), "fluid": (fluid_case([8, 8, 8], (10, 10, 10)), "40", "80"),
           "blast": (blast_case([7, 6, 8], (2, 2, 2)), "8", "16")}


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.environment = dict(os.environ, OMP_WAIT_POLICY="passive")

    def words(self, *words):
        return [self.path, "solve", "-q", "--variant", "openmp", "--threads", "1", *words]

    def solve(self, *words, timeout=120):
        return subprocess.run(self.words(*words), env=self.environment, capture_output=True, text=True, errors="replace",
                              timeout=timeout)

    def begin(self, *words, **settings):
        return subprocess.Popen(self.words(*words), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, **settings)

    def checkpoint(self, *words):
        return subprocess.run([self.path, "checkpoint", *words], env=self.environment, capture_output=True, text=True,
                              errors="replace", timeout=120)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def content(path):
    with open(path, "rb") as f:
        return f.read()


def numbers(text, kind=int):
    return [kind(word) for word in text.split()]


def read_vtk(path):
    """Returns the numbers of points of a VTK file, its origin and spacing as numbers or None, and the bytes of its arrays by name."""
    header, data = content(path).split(b'<AppendedData encoding="raw">', 1)
    header, data = header.decode(), data[data.index(b"_") + 1:]
    points = [n + 1 for n in numbers(re.search('WholeExtent="([^"]*)"', header)[1])[1::2]]
    uniform = re.search('Origin="([^"]*)" Spacing="([^"]*)"', header)
    arrays = {}
    for kind, name, offset in re.findall(r'type="(\w+)" Name="(\w+)" .*?offset="(\d+)"', header):
        size = struct.unpack_from("<Q", data, int(offset))[0]
        arrays[name] = data[int(offset) + 8:int(offset) + 8 + size]
        assert kind == ("Float32" if name not in ("x", "y", "z") else "Float64"), (name, kind)
    return points, [numbers(text, float) for text in uniform.groups()] if uniform else None, arrays


def steps_in(folder):
    """Returns the steps of the checkpoints in a folder, the newest first."""
    there = os.listdir(f"{folder}/checkpoints") if os.path.isdir(f"{folder}/checkpoints") else []
    return sorted((int(n[5:]) for n in there if re.fullmatch(r"step-\d+", n)), reverse=True)


def newest_step(folder):
    """Returns the step of the newest checkpoint in a folder; -1 without one."""
    return max(steps_in(folder), default=-1)


def tree(folder):
    """Returns the bytes of every file below a folder, by its path from there."""
    paths = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    return {os.path.relpath(path, folder): content(path) for path in paths}


def without_digest(path):
    """Turns a manifest into one of version 0.1, whose text may be changed."""
    text = content(path).decode()
    text = re.sub(r',\n  "manifest_xxh3_128": "[0-9a-f]{32}"\n}\n$', "\n}\n", text)
    text = text.replace("speedwell-checkpoint/2", "speedwell-checkpoint/1")
    write(path, text)
    return text


def one_error(done, status, *words):
    """Checks that there is one line of an error with these words, and this status."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("speedwell: error: ")]
    assert done.returncode == status, (done.returncode, status, done.stderr)
    assert len(lines) == 1, done.stderr
    for word in words:
        assert word in lines[0], (word, lines[0])
    return lines[0]

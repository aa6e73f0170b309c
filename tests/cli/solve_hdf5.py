#!/usr/bin/env python3
"""Tests `speedwell solve --field-format hdf5`: solve_hdf5.py PROGRAM LIBRARY H5DUMP LAUNCHER. LIBRARY is empty in a build without HDF5: the option
is then refused with status 4 before anything is written. With it, files and collections of every solver are held against those of VTK, also where a
run continues, is killed, on ranks, and on a full disk. Without H5DUMP values are not read (tests/io does), and without LAUNCHER nothing runs on ranks.
"""
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from solve_support import SOLVERS, Program, content, numbers, one_error, read_vtk, steps_in, tree, write

# The mesh moves from 0.08 on, and the cubes are removed at 0.07: files differ in mesh and fields.
MOVING = """schema = 1
[mesh]
cells = [12, 11, 10]
[fluid]
viscosity = 0.02
[cubes]
count = 3
edge = 3
[stirring]
acceleration = 5
interval = 0.02
stop = 0.05
remove = 0.07
[strain]
stretched = "x"
compressed = "z"
rate = 1
begin = 0.08
end = 0.2
[time]
end = 0.12
largest_step = 0.01
scheme = "s3"
[output]
fields_every = 0.04
checkpoint_every = 0.04
slices_y = [0.5]
slices_every = 0.06
"""
STRETCHED = """schema = 1
[mesh]
cells = [8, 11, 10]
y_spacing = "two-sided"
[edges]
y = "wall"
[fluid]
viscosity = 0.02
[start]
noise = 0.3
[time]
end = 0.05
largest_step = 0.01
[output]
fields_every = 0.05
"""


def read_xdmf(path):
    """Returns the grids of a collection: time, file, numbers of points along x, y and z, mesh as text, and shapes of the fields by name. Checks what
    all have to have."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "Xdmf" and root.get("Version") == "3.0", root.attrib
    series = root.find("Domain/Grid")
    assert (series.get("GridType"), series.get("CollectionType")) == ("Collection", "Temporal"), series.attrib
    grids = []
    for grid in series.findall("Grid"):
        topology, geometry = grid.find("Topology"), grid.find("Geometry")
        kind = {"3DCoRectMesh": "ORIGIN_DXDYDZ", "3DRectMesh": "VXVYVZ"}[topology.get("TopologyType")]
        assert geometry.get("GeometryType") == kind, geometry.attrib
        points = numbers(topology.get("Dimensions"))[::-1]
        mesh = [item.text for item in geometry.findall("DataItem")]
        files = set()
        if kind == "VXVYVZ":
            assert [numbers(item.get("Dimensions")) for item in geometry] == [[n] for n in points]
            files |= {item.text.split(":/")[0] for item in geometry}
        shapes = {}
        for attribute in grid.findall("Attribute"):
            item = attribute.find("DataItem")
            file, name = item.text.split(":/")
            assert (item.get("Format"), item.get("NumberType"), item.get("Precision"), attribute.get("Center")) == ("HDF", "Float", "4", "Cell")
            assert name == attribute.get("Name")
            files.add(file)
            shapes[name] = numbers(item.get("Dimensions"))
            components = [3] if attribute.get("AttributeType") == "Vector" else []
            assert shapes[name] == [n - 1 for n in points[::-1]] + components, (shapes, points)
        assert len(files) == 1, files
        file = files.pop()
        assert os.path.isfile(os.path.join(os.path.dirname(path), file)), file
        grids.append((float(grid.find("Time").get("Value")), file, points, (kind, mesh), shapes))
    return grids


def files_of(folder, *endings):
    """Returns those files of a tree() that have one of these endings."""
    return {path: image for path, image in folder.items() if path.endswith(endings)}


def read_pvd(path):
    return [(float(time), file) for time, file in re.findall(r'timestep="([^"]*)" file="([^"]*)"', content(path).decode())]


class Hdf5:
    def __init__(self, program, h5dump, launcher):
        self.program, self.h5dump, self.launcher = program, h5dump, launcher

    def solve(self, *words):
        return self.program.solve(*words, "--field-format", "hdf5")

    def dataset(self, file, name):
        """Returns the bytes of a dataset, as HDF5's own tool reads it."""
        subprocess.run([self.h5dump, "-d", f"/{name}", "-b", "LE", "-o", "dump.raw", file], check=True, capture_output=True, timeout=60)
        return content("dump.raw")

    def attributes(self, file):
        shown = subprocess.run([self.h5dump, "-A", file], check=True, capture_output=True, text=True, timeout=60).stdout
        return dict(re.findall(r'ATTRIBUTE "(\w+)" \{.*?\(0\): "?(.*?)"?\n', shown, re.S))

    def expect_same(self, vtk, hdf5, collection):
        """Holds the files of two runs against each other: times, meshes and values."""
        grids, files = read_xdmf(f"{hdf5}/{collection}.xdmf"), read_pvd(f"{vtk}/{collection}.pvd")
        assert [grid[0] for grid in grids] == [time for time, _ in files], (grids, files)
        assert not os.path.exists(f"{hdf5}/{collection}.pvd") and not os.path.exists(f"{vtk}/{collection}.xdmf")
        for (time, file, points, (kind, mesh), shapes), (_, of_vtk) in zip(grids, files):
            assert os.path.splitext(file)[0] == os.path.splitext(of_vtk)[0], (file, of_vtk)
            expected_points, uniform, arrays = read_vtk(f"{vtk}/{of_vtk}")
            assert points == expected_points, (points, expected_points)
            assert (kind == "ORIGIN_DXDYDZ") == (uniform is not None), (kind, of_vtk)
            if uniform:
                assert [numbers(text, float)[::-1] for text in mesh] == uniform, (mesh, uniform)
            assert shapes.keys() == arrays.keys() - {"x", "y", "z"}, (shapes, arrays.keys())
            if self.h5dump:
                for name in shapes:
                    assert self.dataset(f"{hdf5}/{file}", name) == arrays[name], f"{file}: {name} has other values"
                for name in {"x", "y", "z"} & arrays.keys():
                    assert self.dataset(f"{hdf5}/{file}", f"{name}_faces") == arrays[name], f"{file}: other {name}_faces"
                said = self.attributes(f"{hdf5}/{file}")
                assert said["schema"] == "speedwell-fields/1" and int(said["step"]) == int(re.search(r"-(\d+)\.h5", file)[1]), said
                assert abs(float(said["time"]) - time) < 1e-5 * time + 1e-12 and re.fullmatch("[0-9a-f]{32}", said["case_xxh3_128"]), said
        return grids


def files_are_those_of_vtk(hdf5):
    cases = {kind: (text.format(end=end), ["flow"]) for kind, (text, end, _) in SOLVERS.items()}
    cases["moving"] = (MOVING, ["flow", "slice-y-1"])
    cases["stretched"] = (STRETCHED, ["flow"])
    for name, (text, collections) in cases.items():
        write(f"{name}.toml", text)
        assert hdf5.program.solve(f"{name}.toml", "--output", f"{name}-vti").returncode == 0
        done = hdf5.solve(f"{name}.toml", "--output", f"{name}-h5")
        assert done.returncode == 0 and "HDF5" not in done.stderr, done
        for collection in collections:
            grids = hdf5.expect_same(f"{name}-vti", f"{name}-h5", collection)
            assert len(grids) >= 2, grids
            if (name, collection) == ("moving", "flow"):
                assert [("solid" in grid[4]) for grid in grids] == [True, True, False, False], "cubes are removed"
                assert grids[0][3] != grids[-1][3], "the mesh moves"
        histories = [content(f"{name}-{form}/history.csv") for form in ("vti", "h5")]
        assert histories[0] == histories[1]


def a_run_continues_in_its_format(hdf5):
    for name in (*SOLVERS, "moving"):
        stopped = hdf5.solve(f"{name}.toml", "--output", f"{name}-stopped", "--time-limit", "0s")
        assert stopped.returncode == 7, stopped
        done = hdf5.program.solve("--resume", "--output", f"{name}-stopped")
        assert done.returncode == 0, done
        whole, parts = tree(f"{name}-h5"), tree(f"{name}-stopped")
        steps = files_of(whole, ".h5", ".xdmf")
        assert steps and all(whole[path] == parts.get(path) for path in steps), f"{name}: a run that was stopped has other files"
        assert not files_of(parts, ".vti", ".vtr", ".pvd"), parts.keys()


def a_collection_keeps_what_it_says(hdf5):
    """After a resume the mesh and the fields of the files before it are still theirs, not those of the files after it."""
    write("shorter.toml", MOVING.replace("end = 0.12", "end = 0.04"))
    assert hdf5.solve("shorter.toml", "--output", "longer").returncode == 0
    assert hdf5.program.solve("moving.toml", "--resume", "--output", "longer").returncode == 0
    assert content("longer/flow.xdmf") == content("moving-h5/flow.xdmf"), "the collection has changed"


def a_run_may_change_its_format(hdf5):
    """Each collection has the files of its format, also those that a killed run left after its last checkpoint."""
    text, end, longer = SOLVERS["flow"]
    write("longer.toml", text.format(end=longer))
    for first, second in (("vti", "hdf5"), ("hdf5", "vti")):
        folder = f"{first}-then-{second}"
        assert hdf5.program.solve("flow.toml", "--output", folder, "--field-format", first).returncode == 0
        done = hdf5.program.solve("longer.toml", "--resume", "--output", folder, "--field-format", second)
        assert done.returncode == 0, done
        times = {"vti": [time for time, _ in read_pvd(f"{folder}/flow.pvd")], "hdf5": [grid[0] for grid in read_xdmf(f"{folder}/flow.xdmf")]}
        assert [round(time, 9) for time in times[first]] == [0, 0.1, 0.2, 0.3, 0.4], times
        assert [round(time, 9) for time in times[second]] == [0.5, 0.6, 0.7, 0.8], times


def killed_runs_leave_whole_files(hdf5):
    """Every file that is there after SIGKILL is whole, and the run continues to the files of one that was not killed."""
    long = SOLVERS["flow"][0].format(end="0.8").replace("fields_every = 0.1", "fields_every = 0.01")
    write("long.toml", long)
    assert hdf5.solve("long.toml", "--output", "not-killed").returncode == 0
    whole = files_of(tree("not-killed"), ".h5", ".xdmf")
    seen = set()
    for n in range(6):
        folder = f"killed-{n}"
        run = hdf5.program.begin("long.toml", "--output", folder, "--field-format", "hdf5")
        fields = f"{folder}/fields"
        while run.poll() is None and len(os.listdir(fields) if os.path.isdir(fields) else []) < 12 * n + 1:
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        there = files_of(tree(folder), ".h5")
        seen.add(len(there))
        assert all(whole[path] == image for path, image in there.items()), f"{folder}: a file is not that of the whole run"
        listed = {grid[1] for grid in read_xdmf(f"{folder}/flow.xdmf")} if os.path.exists(f"{folder}/flow.xdmf") else set()
        assert len(there) - len(listed) in (0, 1) and listed <= there.keys(), (listed, there.keys())
        done = hdf5.program.solve("--resume", "--output", folder) if steps_in(folder) else hdf5.solve("long.toml", "--output", folder, "--force")
        assert done.returncode == 0, done
        again = files_of(tree(folder), ".h5", ".xdmf")
        assert again == whole, [path for path in whole if whole[path] != again.get(path)]
    assert len(seen) > 2, f"the runs were not killed at different moments: {seen}"


def a_full_disk_leaves_nothing(hdf5):
    def full(bytes_of_a_file):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_of_a_file, bytes_of_a_file))

    for room in (0, 4096, 10000):
        folder = f"full-{room}"
        words = hdf5.program.words("flow.toml", "--output", folder, "--field-format", "hdf5")
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, preexec_fn=lambda: full(room))
        line = one_error(done, 5, "cannot be written")
        assert room == 0 or "fields/flow-00000000.h5: cannot be written: File too large" in line, line
        assert "HDF5-DIAG" not in done.stderr, done.stderr
        left = files_of(tree(folder), ".tmp", ".h5", ".xdmf")
        assert not left, left.keys()


def ranks_write_the_files_of_one_process(hdf5):
    for name in ("flow", "fluid"):
        done = subprocess.run([hdf5.program.path, "solve", "-q", "--ranks", "2", "--oversubscribe", f"{name}.toml", "--output", f"{name}-ranks",
                               "--field-format", "hdf5"], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done
        whole, ranks = tree(f"{name}-h5"), tree(f"{name}-ranks")
        assert whole == ranks, [path for path in whole if whole[path] != ranks.get(path)]


def refused_without_hdf5(program, launcher):
    write("a.toml", SOLVERS["flow"][0].format(end="0.1"))
    for words in ([], ["--dry-run"], ["--ranks", "2", "--oversubscribe"] if launcher else []):
        done = subprocess.run([program.path, "solve", "-q", "a.toml", "--output", "refused", "--field-format", "hdf5", *words], capture_output=True,
                              text=True, timeout=60)
        one_error(done, 4, "HDF5", "SPEEDWELL_HDF5")
        assert not os.path.exists("refused")
    # A run that wrote HDF5 elsewhere does not continue in another format unasked.
    assert program.solve("a.toml", "--output", "elsewhere").returncode == 0
    write("elsewhere/run.json", '{"schema": "speedwell-run/1", "run": 1, "fields": "hdf5"}\n')
    before = tree("elsewhere")
    one_error(program.solve("--resume", "--output", "elsewhere"), 4, "HDF5")
    assert tree("elsewhere") == before
    assert program.solve("--resume", "--output", "elsewhere", "--field-format", "vti").returncode == 0


def main():
    program, library, h5dump, launcher = Program(sys.argv[1]), *sys.argv[2:5]
    with tempfile.TemporaryDirectory(prefix="speedwell-hdf5-") as top:
        os.chdir(top)
        if library:
            hdf5 = Hdf5(program, h5dump, launcher)
            files_are_those_of_vtk(hdf5)
            a_run_continues_in_its_format(hdf5)
            a_collection_keeps_what_it_says(hdf5)
            a_run_may_change_its_format(hdf5)
            killed_runs_leave_whole_files(hdf5)
            a_full_disk_leaves_nothing(hdf5)
            if launcher:
                ranks_write_the_files_of_one_process(hdf5)
        else:
            refused_without_hdf5(program, launcher)
        one_error(program.solve("a.toml", "--field-format", "netcdf"), 2, "--field-format")
        os.chdir("/")
    print("fields in HDF5 are those of VTK" if library else "HDF5 is refused, which is not in this build")


main()

#!/usr/bin/env python3
"""Tests what tools/flow_figures.py says of domains that grow, and the planes that it keeps: flow_figures_test.py SOURCE_FOLDER"""
import os
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]


def run(*words):
    """Returns the status of the tool, and all that it said. Status 4 is that there is no gnuplot, without which numbers are printed all the same."""
    done = subprocess.run([sys.executable, f"{SOURCE}/tools/flow_figures.py", *words], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def history(folder, size_at, sites=256):
    write(f"{folder}/case.toml", f"[lattice]\nsites = [{sites}, {sites}, {sites}]\n")
    rows = "".join(f"{t},{size_at(t) if t > 0 else ''}\n" for t in range(0, 4001, 50))
    write(f"{folder}/history.csv", "t,length\n" + rows)


def fits_exponents(folder):
    for exponent, name in ((1.0, "1.00"), (2 / 3, "0.67"), (1 / 3, "0.33")):
        # Interfaces form until 1000; then domains grow from 4 to beyond an eighth of the box.
        history(f"{folder}/run", lambda t, e=exponent: 40 - 0.036 * t if t < 1000 else 4 + 40 * ((t - 900) ** e - 100 ** e) / 3100 ** e if e == 1
                else 4 * ((t - 900) / 100) ** e)
        status, said = run("growth", f"{folder}/growth.svg", f"{folder}/run")
        assert status in (0, 4) and f"exponent {name}, within " in said, said
        first, last = map(float, re.search(r"sizes from (\S+) to (\S+),", said).groups())
        assert 5 <= first < 6 and last <= 32, said
        assert (status == 0) == os.path.exists(f"{folder}/growth.svg"), said


def says_what_is_missing(folder):
    history(f"{folder}/short", lambda t: 4 + t / 4000, sites=32)
    status, said = run("growth", f"{folder}/growth.svg", f"{folder}/short")
    assert status in (0, 4) and "too few sizes between 5.02 and 4 for a fit" in said, said
    os.remove(f"{folder}/short/case.toml")
    status, said = run("growth", f"{folder}/growth.svg", f"{folder}/short")
    assert status == 3 and "not a case with lattice.sites" in said and "Traceback" not in said, said
    write(f"{folder}/short/history.csv", "t,k\n0,1\n")
    status, said = run("growth", f"{folder}/growth.svg", f"{folder}/short")
    assert status == 3 and "no column 'length'" in said, said


def keeps_planes(folder):
    shape, head = (4, 3, 2), '<DataArray type="Float32" Name="phi" NumberOfComponents="1" format="appended" offset="0"/>'
    values = [x + 10 * y + 100 * z for z in range(2) for y in range(3) for x in range(4)]
    with open(f"{folder}/phi.vti", "wb") as file:
        file.write(f'<VTKFile header_type="UInt64"><ImageData WholeExtent="0 {shape[0]} 0 {shape[1]} 0 {shape[2]}">{head}</ImageData>'
                   '<AppendedData encoding="raw">\n_'.encode() + struct.pack("<Q", 96) + struct.pack("<24f", *values))
    status, said = run("plane", f"{folder}/phi.csv", f"{folder}/phi.vti", "--component", "phi", "--axis", "x", "--cell", "3")
    assert status == 0, said
    with open(f"{folder}/phi.csv", encoding="utf-8") as file:
        assert file.read() == "# phi at x = 3 of phi.vti\n# yz\n3,13,23\n103,113,123\n"
    status, said = run("plane", f"{folder}/phi.csv", f"{folder}/phi.vti", "--component", "density")
    assert status == 3 and "no density" in said, said


def main():
    for test in (fits_exponents, says_what_is_missing, keeps_planes):
        with tempfile.TemporaryDirectory(prefix="speedwell-figures-") as folder:
            test(folder)


if __name__ == "__main__":
    main()

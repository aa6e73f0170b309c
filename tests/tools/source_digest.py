#!/usr/bin/env python3
"""Tests the digests of applications' sources (cmake/source_digest.cmake): which changes affect one, and which do not.

source_digest.py CMAKE SOURCE_DIR"""
import json
import os
import shutil
import subprocess
import sys
import tempfile


def digests(cmake, root, folder):
    out = os.path.join(folder, "digests.json")
    subprocess.run([cmake, f"-DSOURCE_DIR={root}", f"-DDIGESTS={out}", "-P", os.path.join(root, "cmake", "source_digest.cmake")], check=True)
    with open(out, encoding="utf-8") as f:
        return json.load(f)


def main():
    cmake, source = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "tree")
        os.makedirs(root)
        for part in ("speedwell", "cmake"):
            shutil.copytree(os.path.join(source, part), os.path.join(root, part))
        for part in ("CMakeLists.txt", "CMakePresets.json"):
            shutil.copy(os.path.join(source, part), root)
        before = digests(cmake, root, folder)
        assert len(before) > 10, before

        def changed(path, edit):
            """Returns the applications whose digest changes after edit(text) of the file, which is restored."""
            path = os.path.join(root, path)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            other = edit(text)
            assert other != text, path
            with open(path, "w", encoding="utf-8") as f:
                f.write(other)
            after = digests(cmake, root, folder)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            return {name for name in before if before[name] != after[name]}

        def ranks_of(*names):
            return {f"{name} on ranks" for name in names}

        def both(*names):
            return {*names} | ranks_of(*names)

        every = set(before)
        on_ranks = {name for name in every if name.endswith(" on ranks")}
        transforming = ("fft", "npb", "incompressible_flow")  # what includes numerics/fft
        cases = [
            ("a comment", "speedwell/apps/uts/verify.cpp", lambda t: t + "// Another one.\n", set()),
            ("white space", "speedwell/apps/uts/verify.cpp", lambda t: t.replace("\n", " \n\n"), set()),
            ("a statement", "speedwell/apps/uts/verify.cpp", lambda t: t + "int another;\n", both("uts")),
            ("a comment of CMake's", "speedwell/apps/uts/CMakeLists.txt", lambda t: "# Another one.\n" + t, set()),
            ("how it is compiled", "speedwell/apps/uts/CMakeLists.txt", lambda t: t + 'set(flags "-O0")\n', both("uts")),
            ("core", "speedwell/core/random.hpp", lambda t: t + "int another;\n", every),
            ("a header of numerics", "speedwell/numerics/squares.hpp", lambda t: t + "int another;\n", every),
            ("a library of numerics", "speedwell/numerics/fft/cpu/rows.cpp", lambda t: t + "int another;\n", both(*transforming)),
            ("how that is compiled", "speedwell/numerics/fft/CMakeLists.txt", lambda t: t + 'set(flags "-O0")\n', both(*transforming)),
            ("a library of numerics that another one uses", "speedwell/numerics/sparse/csr_ell.cpp", lambda t: t + "int another;\n",
             both("stencil", "spmv", "cg")),
            ("its benchmark", "speedwell/apps/fft/study.cpp", lambda t: t + "int another;\n", both("fft")),
            ("what measures", "speedwell/harness/measurement/pass.cpp", lambda t: t + "int another;\n", every),
            ("what prints", "speedwell/harness/tables/table.cpp", lambda t: t + "int another;\n", set()),
            ("what exchanges halos between GPUs", "speedwell/comm/gpu/device_halo_exchange.cu", lambda t: t + "int another;\n",
             on_ranks | {"incompressible_flow"}),  # whose solvers include its header
            ("how that is compiled", "speedwell/comm/CMakeLists.txt", lambda t: t + 'set(flags "-O0")\n', on_ranks),
            ("a variant on several GPUs", "speedwell/apps/uts/adapter_multi.cpp", lambda t: t + "int another;\n", ranks_of("uts")),
            ("its solver", "speedwell/apps/uts/gpu/distributed_search.cu", lambda t: t + "int another;\n", ranks_of("uts")),
            ("its name in a list", "speedwell/apps/uts/CMakeLists.txt", lambda t: t + "gpu/distributed_more.cu\n", ranks_of("uts")),
            ("transforms on ranks", "speedwell/numerics/fft/ranks/gpu_samples.cu", lambda t: t + "int another;\n", ranks_of(*transforming)),
            ("ranks in what a variant in one process includes", "speedwell/apps/matvec/distributed.cpp", lambda t: t + "int another;\n",
             both("matvec")),
            ("documents", "speedwell/apps/uts/README.md", lambda t: t + "Another sentence.\n", set()),
        ]
        wrong = 0
        for name, path, edit, expected in cases:
            seen = changed(path, edit)
            if seen != expected:
                print(f"{name} ({path}): changed {sorted(seen)}, expected {sorted(expected)}")
                wrong += 1
        assert digests(cmake, root, folder) == before
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

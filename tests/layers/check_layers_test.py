#!/usr/bin/env python3
"""Tests that the layer check finds each planted offence, and none in a clean tree."""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check_layers.py")
CLEAN = {
    "speedwell/core/view.hpp": "#pragma once\n",
    "speedwell/io/fasta.cpp": '#include "speedwell/core/view.hpp"\n',
    "speedwell/apps/heat/heat.cpp": '#include "speedwell/core/view.hpp"\n#include "speedwell/apps/fft/fft.hpp"\n',
    "speedwell/apps/heat/gpu.cu": '#include "speedwell/apps/fft/gpu/device.hpp"\n#include "speedwell/apps/fft/study/study.hpp"\n',
    "speedwell/apps/fft/CMakeLists.txt": (
        "speedwell_add_library(fft\n  HEADERS fft.hpp\n    # for others: hidden.hpp\n    gpu/device.hpp\n  SOURCES fft.cpp plan.hpp)\n"),
    "speedwell/apps/fft/study/CMakeLists.txt": "speedwell_add_library(fft_study HEADERS study.hpp)\n",
    "speedwell/apps/heat/adapter.cpp": '#include "speedwell/harness/measurement/application.hpp"\n',
    "speedwell/apps/stream/CMakeLists.txt": "speedwell_add_library(stream HEADERS stream.hpp SOURCES stream.cpp)\n",
    "speedwell/numerics/sums.hpp": "#pragma once\n",
    "speedwell/numerics/fft/CMakeLists.txt": "speedwell_add_library(fft HEADERS fft.hpp SOURCES fft.cpp)\n",
    "speedwell/apps/wave/wave.cpp": '#include "speedwell/numerics/fft/fft.hpp"\n#include "speedwell/numerics/sums.hpp"\n',
    "speedwell/apps/fft/adapter.cpp": '#include "speedwell/numerics/fft/gpu/method.hpp"\n',
    "speedwell/simulation/driver.cpp": '#include "speedwell/apps/heat/heat.hpp"\n#include "speedwell/io/checkpoint.hpp"\n',
    "speedwell/search/search.cpp": '#include "speedwell/apps/heat/heat.hpp"\n#include "speedwell/simulation/driver.hpp"\n',
    "speedwell/cli/align.cpp": '#include "speedwell/search/search.hpp"\n',
    "speedwell/cli/solve.cpp": '#include "speedwell/simulation/driver.hpp"\n',
    "speedwell/process/failure.cpp": '#include "speedwell/harness/records/record.hpp"\n',
    "speedwell/session/engine.cpp": '#include "speedwell/catalogue.hpp"\n#include "speedwell/process/child.hpp"\n',
    "speedwell/cli/run.cpp": '#include "speedwell/catalogue.hpp"\n',
}
OFFENCES = {
    "core includes io": ("speedwell/core/bad.hpp", '#include "speedwell/io/fasta.hpp"\n'),
    "library includes harness": ("speedwell/apps/heat/bad.cu", '#include "speedwell/harness/measurement/run.hpp"\n'),
    "angle brackets count too": ("speedwell/core/bad.cpp", "#  include <speedwell/cli/command.hpp>\n"),
    "another's private header": ("speedwell/apps/heat/bad.cpp", '#include "speedwell/apps/fft/plan.hpp"\n'),
    "a library's private header": ("speedwell/apps/wave/bad.cpp", '#include "speedwell/numerics/fft/gpu/method.hpp"\n'),
    "a library includes its benchmark": ("speedwell/numerics/fft/bad.cpp", '#include "speedwell/apps/fft/fft.hpp"\n'),
    "a header of a comment": ("speedwell/apps/heat/bad.cpp", '#include "speedwell/apps/fft/hidden.hpp"\n'),
    "a header of a library without headers": ("speedwell/apps/fft/bad.cpp", '#include "speedwell/apps/heat/heat.hpp"\n'),
    "headers of two applications": (
        "speedwell/apps/wave/bad.cpp", '#include "speedwell/apps/fft/fft.hpp"\n#include "speedwell/apps/stream/stream.hpp"\n'),
    "harness includes an application": ("speedwell/harness/bad.cpp", '#include "speedwell/apps/heat/heat.hpp"\n'),
    "machine includes io": ("speedwell/machine/bad.cpp", '#include "speedwell/io/fasta.hpp"\n'),
    "adapter includes machine": ("speedwell/apps/heat/adapter_bad.cpp", '#include "speedwell/machine/machine.hpp"\n'),
    "an application includes simulation": ("speedwell/apps/heat/bad.hpp", '#include "speedwell/simulation/driver.hpp"\n'),
    "the command line includes an application": ("speedwell/cli/bad.cpp", '#include "speedwell/apps/heat/heat.hpp"\n'),
    "the command line includes an adapter": ("speedwell/cli/bad.hpp", '#include "speedwell/apps/heat/adapter.hpp"\n'),
    "a session includes an application": ("speedwell/session/bad.cpp", '#include "speedwell/apps/heat/heat.hpp"\n'),
    "the process includes the catalogue": ("speedwell/process/bad.cpp", '#include "speedwell/catalogue.hpp"\n'),
    "a session includes the command line": ("speedwell/session/bad.cpp", '#include "speedwell/cli/command.hpp"\n'),
    "an application includes search": ("speedwell/apps/heat/bad.hpp", '#include "speedwell/search/search.hpp"\n'),
    "simulation includes search": ("speedwell/simulation/bad.cpp", '#include "speedwell/search/search.hpp"\n'),
    "no such layer": ("speedwell/util/bad.cpp", ""),
}


def status(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([sys.executable, CHECK, folder], capture_output=True).returncode


failed = 0
if status(CLEAN) != 0:
    print("a clean tree was refused")
    failed += 1
for name, (path, text) in OFFENCES.items():
    if status(CLEAN | {path: text}) != 1:
        print(f"not found: {name}")
        failed += 1
many = {f"speedwell/apps/heat/file{i}.cpp": "" for i in range(36)}
if status(CLEAN | many) != 1:
    print("not found: a folder with too many files")
    failed += 1
print(f"{2 + len(OFFENCES) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)

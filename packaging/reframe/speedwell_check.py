"""ReFrame test: applications of Speedwell, with every verdict as sanity and every median execute time as performance variable.

    reframe -c packaging/reframe/speedwell_check.py -S SpeedwellCheck.baseline=/path/to/baseline.json -r

`speedwell` has to be found in PATH (a module of the site: -S SpeedwellCheck.modules=speedwell). Its records stay in the stage folder."""
import functools
import json
import os
import sys

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import speedwell_records  # noqa: E402  (beside this file)

APPLICATIONS = ["stream", "transfer", "matvec", "alignment", "ssca1", "wavefront", "fft", "npb", "incompressible_flow", "stencil", "spmv", "cg",
                "blast_wave", "block_matvec", "vector_calculus", "two_stream", "gups", "uts", "binary_fluid"]


@rfm.simple_test
class SpeedwellCheck(rfm.RunOnlyRegressionTest):
    """One application: its problems of one size, all variants that this system can run."""

    application = parameter(APPLICATIONS)
    size = variable(str, value="headline")
    budget = variable(str, value="60s")
    baseline = variable(str, value=os.path.join(os.path.dirname(os.path.abspath(__file__)), "baseline.json"))
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "speedwell"
    records = "records.json"

    @run_after("init")
    def describe(self):
        self.descr = f"Speedwell {self.application}, size {self.size}"
        self.executable_opts = ["suite", self.application, "--size", self.size, "--budget", self.budget, "--output", "speedwell-output",
                                "--force", "--json", self.records]
        self.keep_files = [self.records]

    @run_before("run")
    def occupy_the_node(self):
        """Times on cores that other processes use are not meaningful."""
        self.exclusive_access = True

    def read_records(self):
        return speedwell_records.documents(os.path.join(self.stagedir, self.records))

    @sanity_function
    def every_verdict_passed(self):
        wrong = speedwell_records.failures(self.read_records())
        return sn.assert_eq(wrong, [], msg="; ".join(wrong))

    @run_before("performance")
    def read_performance(self):
        times = speedwell_records.times(self.read_records())
        self.perf_variables = {name: sn.make_performance_function(functools.partial(float, time), "s") for name, time in times.items()}
        with open(self.baseline, encoding="utf-8") as stream:
            baseline = json.load(stream)
        system = self.current_partition.fullname
        self.reference = {system: speedwell_records.references(baseline, system, times)}

"""Ramble application, also for Benchpark: copy this folder into a repository of applications as applications/speedwell.

Sanity is the verdicts of the records. Figures of merit are, for each problem and variant, the median execute time and, where there is
one, the rate in the application's own unit; they are taken from figures.txt, which is made of the records before the analysis."""
import json
import os

from ramble.appkit import *

RECORDS = "records.json"
FIGURES = "figures.txt"


def figures_of(document):
    """One line for each run that passed, with its values separated by tabs: problem, variant, device, seconds, rate, its unit."""
    lines = []
    for run in document["runs"]:
        time = run["phases"]["execute_s"] if run["status"] == "passed" else None
        if time:
            rates = run["rates"]
            rate, unit = (rates["rate"], rates["rate_name"]) if rates["rate"] is not None else (rates["bandwidth_GBps"], "GB/s")
            words = [run["key"], run["variant"]["name"], run["device"]["kind"], repr(time["median"])]
            lines.append("\t".join(words + ([repr(rate), unit] if rate is not None else ["", ""])))
    return lines


def verdict_of(document):
    """Whether all that ran passed, and something did. Runs that were skipped had no device or part here."""
    ran = [run for run in document["runs"] if run["status"] != "skipped"]
    return document["error"] is None and bool(ran) and all(
        run["status"] == "passed" and run["verdict"]["passed"] for run in ran)


class Speedwell(ExecutableApplication):
    """HPC codes on one core, all cores, ranks and GPUs: verified, timed, and set against the measured limits of the machine."""

    name = "speedwell"

    tags("benchmark-app", "mini-app", "hpc", "gpu", "memory-bandwidth", "sparse-linear-algebra", "fft", "bioinformatics", "cfd")

    software_spec("speedwell", pkg_spec="speedwell@main", package_manager="spack*")
    required_package("speedwell", package_manager="spack*")

    executable("suite",
               "speedwell suite {applications} --size {size} {options} --output {experiment_run_dir}/speedwell-output --force"
               f" --json {{experiment_run_dir}}/{RECORDS}",
               use_mpi=False)
    executable("ranks",
               f"speedwell run {{applications}} --size {{size}} --variant {{variants}} {{options}} --json {{experiment_run_dir}}/{RECORDS}",
               use_mpi=True)

    workload("suite", executables=["suite"])
    workload("ranks", executables=["ranks"])

    workload_variable("applications", default="", description="applications, all if empty", workloads=["suite"])
    workload_variable("applications", default="wavefront", description="one application", workloads=["ranks"])
    workload_variable("size", default="headline", description="named problems: headline, test, small, standard, large", workloads=["suite"])
    workload_variable("size", default="small", description="named problems: test, small, standard, large", workloads=["ranks"])
    workload_variable("variants", default="mpi*", description="variants that run on ranks", workloads=["ranks"])
    workload_variable("options", default="", description="further options, such as --budget 60s or --devices none",
                      workloads=["suite", "ranks"])

    run_line = r"^(?P<problem>[^\t]+)\t(?P<variant>[^\t]+)\t(?P<device>[^\t]+)\t(?P<execute_s>[^\t]+)\t"
    rate_line = run_line + r"(?P<rate>[^\t]+)\t(?P<unit>[^\t]+)$"
    figure_of_merit_context("run", regex=run_line, output_format="{problem} {variant} on {device}")
    figure_of_merit("execute time", log_file=f"{{experiment_run_dir}}/{FIGURES}", fom_regex=run_line, group_name="execute_s", units="s",
                    contexts=["run"])
    figure_of_merit("rate in {unit}", log_file=f"{{experiment_run_dir}}/{FIGURES}", fom_regex=rate_line, group_name="rate", units="",
                    contexts=["run"])

    success_criteria("verdicts", mode="application_function")

    def _read_records(self):
        folder = self.expander.expand_var("{experiment_run_dir}")
        with open(os.path.join(folder, RECORDS), encoding="utf-8") as stream:
            return folder, json.load(stream)

    def _prepare_analysis(self, workspace, app_inst=None):
        """Makes figures.txt, from which the figures of merit are taken. Nothing, where an experiment left no records."""
        try:
            folder, document = self._read_records()
        except FileNotFoundError:
            return
        with open(os.path.join(folder, FIGURES), "w", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in figures_of(document))

    def evaluate_success(self):
        try:
            _, document = self._read_records()
        except (FileNotFoundError, json.JSONDecodeError):
            return False
        return verdict_of(document)

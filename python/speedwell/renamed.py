"""Gives runs of older records the names that the applications and parameters have now (docs/records.md, "Older records").

Allocation on a host, which touches its pages, was the operation allocate of transfer, as that of a GPU, which does not.

The application stencil of version 0.1 had kernels that are applications of their own now. The values that its parameters had for the other
kernels meant nothing and are left out.
"""
import re

_TITLES = {"stencil": "7-point stencil", "spmv": "Sparse matrix-vector product", "cg": "Conjugate gradients"}
# The parameters of each application, in the order of its keys, with their names in older records.
_PARAMETERS = {
    "stencil": {name: name for name in ("kernel", "n", "nx", "ny", "nz", "boundary", "precision", "values", "steps")},
    "spmv": {name: name for name in ("n", "nx", "ny", "nz", "boundary", "precision", "values", "matrix")},
    "cg": {name: name for name in ("n", "nx", "ny", "nz", "precision", "values")}
    | {"iterations": "steps", "tolerance": "tolerance", "preconditioner": "preconditioner", "omega": "omega", "matrix": "matrix"},
}
_SIZES = {"sparse": "formats", "cg-curve": "curve"}


def rename(run):
    """Changes a run, as the schema has it, in place if it is one of stencil or transfer as it was; any other is left alone."""
    old = run["problem"]
    if run["application"] == "transfer" and old.get("operation") == "allocate" and run.get("variant", {}).get("backend") in ("serial", "openmp"):
        run.update(problem=old | {"operation": "first-touch"}, key=run["key"].replace(" operation=allocate ", " operation=first-touch ", 1))
        return
    if run["application"] != "stencil" or "preconditioner" not in old:
        return
    kernel = old.get("kernel")
    name = kernel if kernel in ("spmv", "cg") else "stencil"
    # Records before the parameter tolerance are of so many iterations.
    values = {"tolerance": 0} | old | ({"boundary": "periodic"} if old.get("boundary") == "default" else {})
    problem = {new: values[given] for new, given in _PARAMETERS[name].items() if given in values}
    names = "|".join(map(re.escape, [*old, "seed"]))  # the path of a matrix may contain spaces
    text = dict(re.findall(rf" ({names})=(.*?)(?= (?:{names})=|$)", run["key"])) | {"boundary": problem.get("boundary")}
    words = [f"{new}={text.get(given, problem[new])}" for new, given in _PARAMETERS[name].items() if new in problem]
    run.update(application=name, title=_TITLES[name], problem=problem, key=" ".join([name, *words, f"seed={run['seed']}"]))
    if name != "stencil":
        run["size"] = _SIZES.get(run["size"], run["size"])
    if name == "spmv":
        if run.get("work"):
            run["work"]["update"] = "row"
        if run.get("rates") and run["rates"].get("rate_name"):
            run["rates"]["rate_name"] = "Mrows/s"

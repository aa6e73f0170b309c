"""Medians of passes in place of single samples, for records that are to be small."""
from .model import phases_of


def keep_medians(content, above=0):
    """Replaces the samples of each phase that has more than `above` of them by the medians of its passes, in place. Medians, intervals, percentiles and
    the number of samples stay those of all. A phase that does not tell its passes apart keeps its median alone, unless `above` is given: then it stays.

    content: a document of records (docs/records.md). Returns whether anything was replaced. Throws KeyError or TypeError for what is not a record."""
    replaced = False
    for run in content["runs"]:
        for name, phase in phases_of(run["phases"]).items():
            data = run["phases"][name]
            kept = list(phase.by_pass)
            if len(data["samples"]) <= max(above, len(kept)) or not (kept or above == 0):
                continue
            data["samples"] = kept or [phase.median]
            if "sample_pass" in data:
                data.update(sample_pass=list(range(len(data["samples"]))), sample_throttled=[], sample_clock_MHz=None)
            replaced = True
    return replaced

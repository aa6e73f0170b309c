"""Short descriptions of problems for people, such as "triad, 3 x 256 MiB", made of the parameters in the record. The program's own table
takes them from its sizes, whose texts records do not hold."""
import os

from .model import value_text
from .text import digits, number_of_bytes, printable

# Parameters of the shape that another parameter gives where they are 0.
_DERIVED_IF_ZERO = {"n", "nx", "ny", "nz", "bits", "sections", "batch"}
_ELEMENT_BYTES = {"f64": 8, "f32": 4}
_EXTENTS = ("nx", "ny", "nz")
_EXTENTS_BEFORE_N = {"wavefront", "incompressible_flow"}  # where both n and an extent are set, these applications take the extent, the others n


def is_placeholder(key, value):
    """Returns whether a value says that the application chooses: nothing, -1, or a length of 0 that other parameters give."""
    if isinstance(value, bool):
        return False
    return value == "" or value == -1 or (key in _DERIVED_IF_ZERO and value == 0)


def ignored(data):
    """Returns the parameters of a run's problem that have no effect beside the others: extents of a mesh where n is set, or n where all extents are."""
    problem = data["problem"]
    if not problem.get("n"):
        return set()
    if data["application"] not in _EXTENTS_BEFORE_N:
        return {key for key in _EXTENTS if key in problem}
    return {"n"} if all(problem.get(key) for key in _EXTENTS) else set()


def _count(value):
    """Formats a whole number as "128", "256 Ki" or "4 10^6"-like digits where it is no power of two."""
    for power, prefix in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if value >= 4 << power and value % (1 << power) == 0:
            return f"{value >> power} {prefix}"
    return str(value)


def _shape(p, overridden_by_n=True):
    """Returns "128^3" or "128 x 128 x 32" of the extents of a mesh; `overridden_by_n` says whether n counts where both are set."""
    n = p.get("n") or 0
    extents = [n if overridden_by_n and n else p.get(key) or n for key in _EXTENTS]
    if not all(extents):
        return ""
    return f"{extents[0]}^3" if len(set(extents)) == 1 else " x ".join(map(str, extents))


def _stream(p):
    arrays = {"copy": 2, "scale": 2, "add": 3, "triad": 3}.get(p["kernel"], 1)
    return [p["kernel"], f"{arrays} x {number_of_bytes(p['n'] * _ELEMENT_BYTES[p['precision']])}", p["precision"] if p["precision"] != "f64" else ""]


def _fft(p):
    shape = {"1d": f"length {p['n']}", "2d": f"{p['n']}^2", "3d": f"{p['n']}^3"}.get(p["kind"], f"{p['kind']} {p['n']}")
    return [shape, f"{p['batch']} at once" if p["batch"] > 1 else "", p["data"], p["precision"]]


_WRITERS = {
    "stream": _stream,
    "transfer": lambda p: [f"{p['operation']} of {number_of_bytes(p['bytes'])}"],
    "matvec": lambda p: [f"{p.get('n') or p['rows']} x {p.get('n') or p['columns']}", p["precision"]],
    "alignment": lambda p: [f"{p['queries']} x {p['subjects']} {p['alphabet']}{'s' if p['alphabet'] == 'protein' else ''}"],
    "ssca1": lambda p: [f"kernel {p['kernel']}", f"{_count(p['main_length'])} x {_count(p['match_length'])}"],
    "wavefront": lambda p: [_shape(p, overridden_by_n=False), p["precision"], f"{p['loops']} loops" if p.get("loops") else ""],
    "fft": _fft,
    "npb": lambda p: [p["kernel"].upper(), f"class {p['class']}"],
    "stencil": lambda p: ["7-point" if p["kernel"] == "e" else p["kernel"], _shape(p), p["precision"] if p["precision"] != "f64" else ""],
    "spmv": lambda p: [os.path.basename(p["matrix"]), f"{_shape(p)} rows" if p["matrix"] in ("7-point", "27-point") else ""],
    "cg": lambda p: [p["matrix"], _shape(p)],
    "incompressible_flow": lambda p: ["vortices" if p["flow"] == "taylor-green" else p["flow"], _shape(p, overridden_by_n=False), p["precision"]],
    "blast_wave": lambda p: [_shape(p), f"{p['steps']} steps"],
    "block_matvec": lambda p: [f"{_shape(p)} points"],
    "vector_calculus": lambda p: [p["operation"], _shape(p), p["precision"]],
    "two_stream": lambda p: [p["kernel"], f"{p['columns']} x {p['layers']} x {p['points']}", p["precision"] if p["precision"] != "f64" else ""],
    "gups": lambda p: [f"{_count(p['words'])} words", f"{p['updates_per_word']} updates each"],
    "uts": lambda p: [f"tree {p['tree']}"],
    "binary_fluid": lambda p: [_shape(p), f"{p['steps']} steps"],
}


def short(data):
    """Returns the short description of the problem of a run; of an application that is not known, its parameters."""
    problem = data["problem"]
    try:
        parts = [str(part) for part in _WRITERS[data["application"]](problem) if part]
    except (KeyError, TypeError, ValueError):  # an application or a parameter that this version does not know
        parts = []
    if parts:
        return printable(", ".join(parts), 80)
    values = [f"{key}={digits(value, 4) if isinstance(value, float) else value}" for key, value in sorted(problem.items())
              if not is_placeholder(key, value)]
    return printable(", ".join(values) or data["size"] or "", 80)


def distinct_texts(problems):
    """Returns the short descriptions of the problems of a table. Those that would be alike have, after it, the parameters that differ between them."""
    texts = [short(data) for data in problems]
    of_text = {}
    for data, text in zip(problems, texts):
        of_text.setdefault((data["application"], text), []).append(data)
    return [_distinguished(data, text, of_text[data["application"], text]) for data, text in zip(problems, texts)]


def _distinguished(data, text, alike):
    differing = [key for key in sorted(data["problem"]) if len({value_text(other["problem"].get(key)) for other in alike}) > 1]
    values = [f"{key}={value_text(data['problem'][key])}" for key in differing if key not in ignored(data)]
    return ", ".join([text, *values])

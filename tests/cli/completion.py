"""Tests completion: the words that are offered, and the scripts in the shells that are installed.

Usage: completion.py SPEEDWELL
"""

import os
import re
import shutil
import subprocess
import sys

# What has been typed after the program's name, and what is offered for its last word; None: at least these.
CASES = [
    ("compl", ["completion"]),
    ("compare str", ["stream"]),
    ("ladder wave", ["wavefront"]),
    ("suite stream mat", ["matvec"]),
    ("crossover str", ["stream"]),
    ("crossover stream --bud", ["--budget"]),
    ("list si", ["sizes"]),
    ("list matv", ["matvec"]),
    ("help compl", ["completion"]),
    ("vers", ["version"]),
    ("config ", ["show"]),
    ("list sizes tran", ["transfer"]),
    ("run stream --pre", ["--precision"]),
    ("run stream --precision ", ["f64", "f32"]),
    ("run stream --precision=f3", ["--precision=f32"]),
    ("run stream --variant ser", ["serial"]),
    ("run --variant ser", []),
    ("run --variant serial str", ["stream"]),
    ("run stream ", []),
    ("run stream --variant=serial,cuda-ve", ["--variant=serial,cuda-vector"]),
    ("run wavefront --size table", ["table2", "table3", "table4"]),
    ("suite --size st", ["standard"]),
    ("run stream --set ker", ["kernel="]),
    ("run stream --set kernel=tr", ["kernel=triad"]),
    ("run stream --set=kernel=tr", ["--set=kernel=triad"]),
    ("run stream --set n=1", []),
    ("run stream --set none=", []),
    ("run stream --threads ", []),
    ("run stream --devices a", ["all"]),
    ("run stream --json ", []),
    ("diff --phase ", ["execute", "end_to_end"]),
    ("machine --format ", ["text", "json", "csv"]),
    ("run --color n", ["never"]),
    ("config show str", ["stream"]),
    ("completion ", ["bash", "zsh", "fish"]),
    ("align ", []),
    ("align --matrix PAM", ["PAM30", "PAM70", "PAM250"]),
    ("align --outfmt ", ["0", "6", "7", "17"]),
    ("align --strand ", ["both", "plus", "minus"]),
    ("align --mask=s", ["--mask=seg"]),
    ("align --columns qseqid,qco", ["qseqid,qcovs", "qseqid,qcovhsp"]),
    ("report ", []),
    ("accept --no", ["--nodes"]),
    ("compare-machines --format ", ["text", "json", "csv"]),
    ("nothing ", []),
    ("run stream --nothing ", []),
    ("run stream --nothing=", []),
]


def output(arguments, **more):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, **more)
    return done.returncode, done.stdout, done.stderr


def offered(program, line):
    status, out, error = output([program, "completion", "--words", "--", *line.split(" ")])
    if status or error:
        raise AssertionError(f"{line!r}: status {status}, {error}")
    return out.split()


def in_bash(program, script, line):
    """Returns what readline would insert for the last word, or for what follows its last '='."""
    typed = f"{program} {line}"
    code = f"{script}\nCOMP_WORDBREAKS=$' \\t\\n=' COMP_LINE={typed!r} COMP_POINT={len(typed)}; _speedwell; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return output(["bash", "--norc", "-c", code])[1].split()


def in_zsh(program, script, line):
    words = " ".join(repr(word) for word in [program, *line.split(" ")])
    code = (
        "compdef() { }; _files() { }; compadd() { print -l -- ${(P)@[-1]} }\n"
        f"{script}\nwords=({words}); CURRENT=$#words; _speedwell"
    )
    return output(["zsh", "-f", "-c", code])[1].split()


def in_fish(program, script, line):
    environment = dict(os.environ, PATH=f"{os.path.dirname(program)}:{os.environ['PATH']}")
    out = output(["fish", "--no-config", "-c", f"{script}\ncomplete -C 'speedwell {line}'"], env=environment)[1]
    return [word.split("\t")[0] for word in out.splitlines()]


def main():
    program = os.path.abspath(sys.argv[1])
    failures = []

    def expect(what, got, expected):
        if got != expected:
            failures.append(f"{what}: {got}, expected {expected}")

    for line, expected in CASES:
        expect(repr(line), offered(program, line), expected)
    names = offered(program, "")
    for name in ("run", "suite", "align", "completion"):
        if name not in names:
            failures.append(f"no command {name} among {names}")
    for shell, complete in (("bash", in_bash), ("zsh", in_zsh), ("fish", in_fish)):
        status, script, error = output([program, "completion", shell])
        expect(f"{shell}: status and standard error", (status, error), (0, ""))
        if not shutil.which(shell):
            print(f"{shell} is not here: its script is not run")
            continue
        for line, expected in CASES:
            if not expected:
                continue
            if shell == "bash":
                kept = line.split(" ")[-1].rpartition("=")
                expected = [word[len(kept[0] + kept[1]) :] for word in expected]
            expect(f"{shell}, {line!r}", sorted(complete(program, script, line)), sorted(expected))
    # What Python says of its options, where it is here.
    for command in ("report", "diff", "accept", "compare-machines"):
        status, text, error = output([program, command, "--help"])
        if status == 4:
            print(f"{command}: {error.strip()}")
        else:
            expect(f"options of {command}", sorted(offered(program, f"{command} --")), sorted(set(re.findall(r"(?<![a-z])--[a-z-]+", text))))
    status, out, error = output([program, "completion", "tcsh"])
    expect("another shell", (status, out, error.startswith("speedwell: error: ")), (2, "", True))
    status, out, error = output([program, "completion"])
    expect("no shell", (status, out), (2, ""))
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

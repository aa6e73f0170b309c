#!/usr/bin/env python3
"""Validates what the program writes against what `speedwell schema` prints.

Usage: validate_records.py PROGRAM SIZE. Exits 77 (skipped) without the module jsonschema.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: no Python module jsonschema (package python3-jsonschema)")
    sys.exit(77)


def main():
    program, size = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    schema = json.loads(subprocess.run([program, "schema"], capture_output=True, check=True).stdout)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    check = validator(schema).validate
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "suite", "--size", size, "--max-time", "10ms", "--check-time", "0s", "--format", "json", "--output", f"{folder}/out", "--json", f"{folder}/out.json"],
                              capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, f"status {done.returncode}: {done.stderr}"
        document = json.loads(done.stdout)
        check(document)
        check(json.loads(pathlib.Path(folder, "out.json").read_text()))
        lines = pathlib.Path(folder, "out/records.jsonl").read_text().splitlines()
        for line in lines:
            check(json.loads(line))
        assert len(lines) == len(document["runs"]), f"{len(lines)} lines for {len(document['runs'])} runs"
        assert pathlib.Path(folder, "out/report.html").stat().st_size > 1000
        ran = [r for r in document["runs"] if r["status"] != "skipped"]
        assert len(ran) >= 20, f"only {len(ran)} runs"
        for r in ran:
            assert r["status"] == "passed" and r["verdict"]["passed"], r["key"]
            assert r["phases"]["execute_s"]["n"] >= 1 and r["work"], r["key"]
            assert r["limit"] or r["limit_reason"], r["key"]
            assert r["source_digest"], f"{r['key']}: of which sources?"
        failure = subprocess.run([program, "run", "stream", "--sise", "test", "--format", "json"], capture_output=True, text=True)
        check(json.loads(failure.stdout))
    print(f"{len(lines)} records are valid, {len(ran)} of them ran and passed")


if __name__ == "__main__":
    main()

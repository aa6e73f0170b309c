"""Shared code of the tools that draw figures."""
import os
import subprocess
import sys
import tempfile


def draw(script):
    """Runs gnuplot on the text of a script. Ends the program with status 4 if there is no gnuplot, with 5 if it fails."""
    with tempfile.NamedTemporaryFile("w", suffix=".gp", delete=False) as f:
        f.write(script)
    try:
        if subprocess.run(["gnuplot", f.name], check=False).returncode != 0:
            sys.exit(5)
    except FileNotFoundError:
        print(f"{os.path.basename(sys.argv[0])}: error: there is no gnuplot", file=sys.stderr)
        sys.exit(4)
    finally:
        os.unlink(f.name)

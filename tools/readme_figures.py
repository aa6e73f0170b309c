#!/usr/bin/env python3
"""Puts the output of `speedwell suite`, and a picture of a report, into the documents.

    tools/readme_figures.py output FILE       FILE: standard output of `speedwell suite`; in README.md without its sentences on
                                              single applications, in docs/getting-started.md whole
    tools/readme_figures.py picture RECORDS   docs/images/report.png: the head and the first table of `speedwell report RECORDS`;
                                              it needs chromium, Pillow and the packages of docs/python.md

A document has the output between `<!-- output:run.sh -->` (`<!-- output:run.sh complete -->`) and `<!-- /output -->`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, MARGIN, MAX_BYTES = 1400, 24, 200_000
SYSTEM_PYTHON = "/usr/bin/python3"  # has Debian's packages, where another one comes first in PATH
LEFT_OUT = "[a sentence on each of these ratios is left out here: docs/getting-started.md has it all]"


def shortened(output):
    """Returns the output without the sentences that begin with an application's name and a colon, and without their continuation lines."""
    names = tuple(f"{name}: " for name in re.findall(r"^(\w+)  ", output.split("\n\n")[0], re.M))
    kept, left_out = [], False
    for line in output.splitlines():
        if line.startswith(names) or (left_out and line.startswith("  ")):
            if LEFT_OUT not in kept:
                kept.append(LEFT_OUT)
            left_out = True
        else:
            kept.append(line)
            left_out = False
    return "\n".join(kept)


def put(path, marker, content):
    """Replaces the text between a marker and the next `<!-- /output -->`."""
    text = path.read_text()
    pattern = re.compile(f"(<!-- {re.escape(marker)} -->\n).*?(<!-- /output -->)", re.S)
    if not pattern.search(text):
        sys.exit(f"{path} has no <!-- {marker} -->")
    path.write_text(pattern.sub(lambda found: f"{found[1]}```text\n{content}\n```\n{found[2]}", text, count=1))


def put_output(file):
    output = pathlib.Path(file).read_text().rstrip()
    put(ROOT / "README.md", "output:run.sh", shortened(output))
    put(ROOT / "docs" / "getting-started.md", "output:run.sh complete", output)


def take_picture(records):
    try:
        from PIL import Image, ImageChops
    except ModuleNotFoundError:
        if sys.executable == SYSTEM_PYTHON or not os.path.exists(SYSTEM_PYTHON):
            sys.exit("Pillow is missing: apt-get install python3-pil")
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("there is no chromium")
    with tempfile.TemporaryDirectory() as folder:
        page, picture = pathlib.Path(folder, "report.html"), pathlib.Path(folder, "page.png")
        subprocess.run([sys.executable, "-m", "speedwell", "report", *records, "--out", str(page)], check=True,
                       env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        # The sections after the first table are not in the picture.
        page.write_text(page.read_text().replace("</head>", "<style>#summary ~ section, footer { display: none }</style></head>", 1))
        subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},4000",
                        f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True)
        image = Image.open(picture).convert("RGB")
        drawn = ImageChops.difference(image, Image.new("RGB", image.size, image.getpixel((0, image.height - 1)))).getbbox()
        PICTURE.parent.mkdir(exist_ok=True)
        image.crop((0, 0, WIDTH, min(image.height, drawn[3] + MARGIN))).quantize(64).save(PICTURE, optimize=True)
    if PICTURE.stat().st_size > MAX_BYTES:
        sys.exit(f"{PICTURE} has {PICTURE.stat().st_size} bytes; {MAX_BYTES} are allowed")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "output":
        put_output(sys.argv[2])
    elif len(sys.argv) > 2 and sys.argv[1] == "picture":
        take_picture(sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# Generates the result tables of the documents from the records under results/, and says which records are older than the
# sources that they measured. README.md has the headline problems, from the folders headline/ (what `speedwell suite` writes);
# docs/energy.md has its tables from these and the folders energy/, all other documents from the rest; docs/studies.md and the pictures in docs/images/studies have both, by tools/studies.py and
# tools/study_figures.py, docs/targets.md too, by tools/targets.py, two tables of cg and stencil by tools/stencil_figures.py, and docs/several-devices.md what `speedwell scale` recorded, by tools/scaling.py. It needs cmake and the Python packages of docs/python.md, no build.
# Usage: tools/results.sh. Exits with 1 if some record is out of date.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t records < <(find results -name '*.json' -not -path '*/headline/*' -not -path '*/energy/*' -not -name '*-threads-*' | sort)
mapfile -t headline < <(find results -path '*/headline/records.jsonl' | sort)
python=python3  # or the system's, which has the packages where another one comes first
python3 -c 'import pandas' 2>/dev/null || python=/usr/bin/python3
[ ${#records[@]} -gt 0 ] || { echo "no records under results/" >&2; exit 0; }
digests=$(mktemp)
trap 'rm -f "$digests"' EXIT
cmake -DSOURCE_DIR="$PWD" -DDIGESTS="$digests" -P cmake/source_digest.cmake
status=0
PYTHONPATH=python "$python" -m speedwell tables "${records[@]}" --digests "$digests" --check \
  --update docs/results.md speedwell/apps/*/README.md speedwell/apps/*/*/README.md || status=$?
if [ ${#headline[@]} -gt 0 ]; then
  PYTHONPATH=python "$python" -m speedwell tables "${headline[@]}" --digests "$digests" --check --update README.md || status=$?
fi
mapfile -t energy < <(find results -name '*.json' -path '*/energy/*' | sort)
if [ ${#energy[@]} -gt 0 ]; then
  PYTHONPATH=python "$python" -m speedwell tables "${headline[@]}" "${energy[@]}" --digests "$digests" --check --update docs/energy.md || status=$?
fi
"$python" tools/stencil_figures.py solve speedwell/apps/cg/README.md results/nvidia-h200/cg-solve*.json > /dev/null || status=$?
"$python" tools/stencil_figures.py sums speedwell/apps/stencil/README.md results/nvidia-h200/stencil-sum.json > /dev/null || status=$?
PYTHONPATH=python "$python" tools/study_figures.py || status=$?
PYTHONPATH=python "$python" tools/studies.py --digests "$digests" || status=$?
PYTHONPATH=python "$python" tools/targets.py --digests "$digests" || status=$?
PYTHONPATH=python "$python" tools/scaling.py --digests "$digests" || status=$?
exit $status

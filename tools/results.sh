#!/usr/bin/env bash
# Generates the result tables of the documents from the records under results/, and says which records are older than the
# sources that they measured. Usage: tools/results.sh [PROGRAM]. Exits with 1 if some record is out of date.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release/bin/speedwell}
[ -x "$program" ] || { echo "no program $program: ./run.sh builds it" >&2; exit 4; }
mapfile -t records < <(find results -name '*.json' | sort)
[ ${#records[@]} -gt 0 ] || { echo "no records under results/" >&2; exit 0; }
for document in README.md speedwell/apps/*/README.md speedwell/apps/*/*/README.md; do
  "$program" report "${records[@]}" --update "$document"
done
"$program" report "${records[@]}" --check

#!/usr/bin/env bash
# Runs a blast and draws density and pressure in the middle of the box at six times, from the files that `speedwell solve`
# writes. Usage: tools/blast_figures.sh [FOLDER] [POINTS] [PROGRAM]
# FOLDER (blast-figures) gets the run and density.png and pressure.png; a run that was stopped is continued. POINTS (32) along each
# axis: 128 is meant for a GPU. The times are those of a blast in a box of 64 points: its step in time goes with the cells.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-blast-figures} points=${2:-32} program=${3:-build/release/bin/speedwell}
[ -x "$program" ] || { echo "no program $program: ./run.sh builds it" >&2; exit 4; }
[[ $points =~ ^[0-9]+$ ]] && [ "$points" -ge 16 ] || { echo "'$points': points along each axis, 16 and above" >&2; exit 2; }
every=$((points / 4))  # steps between two pictures
mkdir -p "$folder"
sed -e "s/^points = .*/points = [$points, $points, $points]/;s/^steps = .*/steps = $((5 * every))/" \
  -e "s/^fields_every = .*/fields_every = $every/;s/^checkpoint_every = .*/checkpoint_every = $every/" \
  examples/cases/blast.toml > "$folder/case.toml"
if [ -d "$folder/run/checkpoints" ]; then
  "$program" solve "$folder/case.toml" --output "$folder/run" --resume
else
  "$program" solve "$folder/case.toml" --output "$folder/run" --force
fi
for field in density pressure; do
  tools/flow_figures.py plane "$folder/$field.png" "$folder"/run/fields/blast-*.vti --component "$field"
done

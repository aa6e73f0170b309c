#!/usr/bin/env bash
# Makes the runs of the studies of binary fluids and draws their figures. Usage: tools/fluid_studies.sh [FOLDER] [full|small] [PROGRAM]
# FOLDER (fluid-studies) gets a folder for each run and the figures; a run that was stopped is continued. `full` is meant for a GPU with
# 16 GB; `small` runs the same cases with few sites, and shorter, on any machine.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-fluid-studies} size=${2:-small} program=${3:-build/release/bin/speedwell}
[ -x "$program" ] || { echo "no program $program: ./run.sh builds it" >&2; exit 4; }
[ "$size" = full ] || [ "$size" = small ] || { echo "'$size': full or small" >&2; exit 2; }
mkdir -p "$folder/cases"

# run NAME [SED]: with the changes of SED to the case when small; then planes of phi, as numbers and as pictures.
run() {
  local name=$1 change=${2:-} file="$folder/cases/$1.toml"
  if [ "$size" = small ]; then sed -e "$change" "examples/cases/$name.toml" > "$file"; else cp "examples/cases/$name.toml" "$file"; fi
  if [ -d "$folder/$name/checkpoints" ]; then
    "$program" solve "$file" --output "$folder/$name" --resume
  else
    "$program" solve "$file" --output "$folder/$name" --force
  fi
  local planes=() field plane
  for field in "$folder/$name"/fields/fluid-*.vti; do
    plane="$folder/$name/phi-$(basename "$field" .vti).csv"
    tools/flow_figures.py plane "$plane" "$field" --component phi
    planes+=("$plane")
  done
  tools/flow_figures.py plane "$folder/$name.png" "${planes[@]}"
}
few='s/^sites = .*/sites = [48, 48, 48]/'
run spinodal-viscous "$few;s/^steps = .*/steps = 2000/;s/^fields_every = .*/fields_every = 500/;s/^checkpoint_every = .*/checkpoint_every = 1000/"
run spinodal-inertial "$few;s/^steps = .*/steps = 2000/;s/^fields_every = .*/fields_every = 500/;s/^checkpoint_every = .*/checkpoint_every = 1000/"
run droplet "$few;s/^radius = .*/radius = 10/;s/^steps = .*/steps = 1000/;s/^fields_every = .*/fields_every = 250/;s/^checkpoint_every = .*/checkpoint_every = 500/"
tools/flow_figures.py growth "$folder/growth.svg" "$folder/spinodal-viscous" "$folder/spinodal-inertial"

#!/usr/bin/env bash
# Makes the runs of the studies of binary fluids and draws their figures. Usage: tools/fluid_studies.sh [FOLDER] [full|small] [PROGRAM]
# FOLDER (fluid-studies) gets a folder for each run and the figures; a run that was stopped is continued. `full` is meant for a GPU, on a host with
# 24 GiB; `small` runs the same cases with few sites, and shorter, on any machine.
set -euo pipefail
cd "$(dirname "$0")/.."
default_folder=fluid-studies
. tools/case_runs.sh

# run NAME [SED]: runs the case of that name, and draws planes of phi, as numbers and as pictures.
run() {
  local name=$1 planes=() field plane
  run_case "$name" "$name" "${2:-}"
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

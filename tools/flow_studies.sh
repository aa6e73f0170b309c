#!/usr/bin/env bash
# Makes the runs of the flow studies and draws their figures. Usage: tools/flow_studies.sh [FOLDER] [full|small] [PROGRAM]
# FOLDER (flow-studies) gets a folder for each run and the figures; a run that was stopped is continued. `full` is meant for a GPU;
# `small` runs the same cases with few cells, and shorter, on any machine.
set -euo pipefail
cd "$(dirname "$0")/.."
default_folder=flow-studies
. tools/case_runs.sh
cubes='s/^cells = .*/cells = [32, 32, 32]/;s/^viscosity = .*/viscosity = 0.5/;s/^count = .*/count = 12/;s/^edge = .*/edge = 4/'

run_case taylor-green-1600 taylor-green-1600 's/256/32/g;s/^end = 20/end = 10/'
vortices=("$folder/taylor-green-1600")
if [ "$size" = full ]; then
  run_case taylor-green-1600-512 taylor-green-1600-512
  vortices+=("$folder/taylor-green-1600-512")
fi
tools/flow_figures.py taylor-green "$folder/taylor-green-1600.svg" "${vortices[@]}"

run_case channel-180 channel-180 's/^cells = .*/cells = [24, 32, 24]/;s/^end = 40/end = 3/;s/^profiles_from = .*/profiles_from = 1/'
tools/flow_figures.py channel "$folder/channel-180.svg" "$folder/channel-180"

# Few cells do not resolve the derivatives whose skewness ends the development.
grids=()
for n in 256 512; do
  run_case "grid-turbulence-$n" "grid-turbulence-$n" 's/^cells = .*/cells = [32, 32, 32]/;s/^skewness = .*/skewness = 0/'
  grids+=("$folder/grid-turbulence-$n")
  [ "$size" = full ] || break
done
tools/flow_figures.py grid "$folder/grid-turbulence.svg" "${grids[@]}"

decays=()
for n in 128 256 512; do
  run_case "isotropic-decay-$n" "isotropic-decay-$n" "$cubes;s/^end = .*/end = 14/"
  decays+=("$folder/isotropic-decay-$n")
  [ "$size" = full ] || break
done
tools/flow_figures.py decay "$folder/decay.svg" "${decays[@]}"
for picture in "${decays[-1]}"/fields/flow-*.vti; do
  tools/flow_figures.py plane "$folder/u-$(basename "$picture" .vti).svg" "$picture"
done
tools/flow_figures.py spectra "$folder/spectra.svg" "${decays[-1]}"

sooner='s/^stop = .*/stop = 1/;s/^remove = .*/remove = 1.5/;s/^begin = .*/begin = 2/;s/^end = 40/end = 4/'
sooner+=';s/^end = \(32\|20\|15.2\|12.8\)/end = 2.8/;s/^rate = .*/rate = 0.625/'
strains=()
for st in 0.4 1 2.5 10; do
  run_case "plane-strain-$st" "plane-strain-$st" "$cubes;$sooner"
  strains+=("$folder/plane-strain-$st")
  [ "$size" = full ] || break
done
tools/flow_figures.py strain "$folder/plane-strain.svg" "${strains[@]}"
tools/flow_figures.py energy "$folder/plane-strain-energy.svg" "${strains[@]}"

#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing, and nothing that is there: what it takes to `build` and run, to
# `report` (Python: the report, diff, accept and compare-machines), to `test`, for tools/sanitize.sh (`sanitize`), for fuzz/run.sh (`fuzz`)
# or for tools/check_format.sh (`format`). Says what a package that cannot be had leaves out.
set -euo pipefail
what=${1:-build}
required=(pkg-config libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libfmt-dev libxxhash-dev zlib1g-dev)
optional=(libhwloc-dev libopenblas-dev libparasail-dev libfftw3-dev libhdf5-dev git)
# A compiler, CMake and ninja that did not come from packages serve as well.
command -v g++ >/dev/null || required+=(g++)
command -v cmake >/dev/null || required+=(cmake)
command -v ninja >/dev/null || required+=(ninja-build)
command -v mpicxx >/dev/null || optional+=(libopenmpi-dev openmpi-bin)  # any MPI will do
reports=(python3-pandas python3-scipy python3-matplotlib python3-jinja2 python3-jsonschema)
if [ "$what" = report ]; then
  required=() optional=("${reports[@]}")
fi
if [ "$what" = format ]; then
  required=() optional=(clang-format-14)
fi
if [ "$what" = test ] || [ "$what" = sanitize ]; then
  required+=(libgtest-dev python3)
  optional+=(parasail fasta3 samtools hdf5-tools gzip "${reports[@]}" python3-pytest)
fi
if [ "$what" = sanitize ] || [ "$what" = fuzz ]; then
  required+=(clang-19 libclang-rt-19-dev)
fi
if [ "$what" = sanitize ]; then
  required+=(libomp-19-dev)
fi

missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

command -v dpkg-query >/dev/null || { echo "no dpkg here: taking the packages that CMake finds" >&2; exit 0; }
mapfile -t need < <(missing "${required[@]}")
mapfile -t want < <(missing "${optional[@]}")
[ ${#need[@]} -eq 0 ] && [ ${#want[@]} -eq 0 ] && exit 0

if [ ${#need[@]} -gt 0 ] || [ ${#want[@]} -gt 0 ]; then
  sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install these packages first: ${need[*]} ${want[*]}" >&2; [ ${#need[@]} -eq 0 ] && exit 0; exit 4; }
    sudo=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  "${sudo[@]}" apt-get update -qq || echo "apt-get update failed: trying the lists that are here" >&2
  if [ ${#need[@]} -gt 0 ]; then
    echo "installing: ${need[*]}" >&2
    "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null ||
      { echo "could not install ${need[*]}: install what is missing of it by hand" >&2; exit 4; }
  fi
  if [ ${#want[@]} -gt 0 ]; then
    echo "installing (optional): ${want[*]}" >&2
    # All at once; one by one, if some cannot be had.
    "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${want[@]}" >/dev/null 2>&1 ||
      for package in "${want[@]}"; do
        "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
          echo "  not available here: $package (the configure step says what that leaves out)" >&2
      done
  fi
fi

#!/usr/bin/env bash
# Installs what is missing (with apt), builds, and runs speedwell. Arguments go to speedwell; without any it runs `suite`.
set -euo pipefail
cd "$(dirname "$0")"
./tools/install-packages.sh build
build=build/release
cmake --preset release ${SPEEDWELL_CMAKE_ARGUMENTS:-} >build-configure.log 2>&1 || { cat build-configure.log >&2; exit 1; }
sed -n '/^-- Speedwell/,/^$/p' build-configure.log >&2
cmake --build "$build" --target speedwell_program -j "$(nproc)" >build-compile.log 2>&1 || { cat build-compile.log >&2; exit 1; }
rm -f build-configure.log build-compile.log
if [ $# -eq 0 ]; then set -- suite; fi
unset SPEEDWELL_CMAKE_ARGUMENTS  # ours, not the program's
exec "$build/bin/speedwell" "$@"

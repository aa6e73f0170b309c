#!/usr/bin/env bash
# Installs what is missing (with apt), builds everything, and runs all tests. Arguments go to ctest. SPEEDWELL_TEST_PRESET
# selects another preset than dev, SPEEDWELL_CMAKE_ARGUMENTS goes to CMake, and with SPEEDWELL_TEST_ONLY_BUILD set it ends
# before the tests. None of them reaches the tests, since the program warns of variables that it does not know.
set -euo pipefail
cd "$(dirname "$0")"
preset=${SPEEDWELL_TEST_PRESET:-dev}
only_build=${SPEEDWELL_TEST_ONLY_BUILD:-}
arguments=${SPEEDWELL_CMAKE_ARGUMENTS:-}
unset SPEEDWELL_TEST_PRESET SPEEDWELL_TEST_ONLY_BUILD SPEEDWELL_CMAKE_ARGUMENTS
./tools/install-packages.sh test
# shellcheck disable=SC2086  # several arguments
cmake --preset "$preset" -DSPEEDWELL_TESTS=ON $arguments
cmake --build --preset "$preset" -j "$(nproc)"
[ -z "$only_build" ] || exit 0
exec ctest --test-dir "build/$preset" --output-on-failure -j "$(nproc)" "$@"

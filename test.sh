#!/usr/bin/env bash
# Installs what is missing (with apt), builds everything, and runs all tests. Arguments go to ctest. SPEEDWELL_TEST_PRESET
# selects another preset than dev, and with SPEEDWELL_TEST_ONLY_BUILD set it ends before the tests. Neither reaches the tests,
# since the program warns of variables that it does not know.
set -euo pipefail
cd "$(dirname "$0")"
preset=${SPEEDWELL_TEST_PRESET:-dev}
only_build=${SPEEDWELL_TEST_ONLY_BUILD:-}
unset SPEEDWELL_TEST_PRESET SPEEDWELL_TEST_ONLY_BUILD
./tools/install-packages.sh test
cmake --preset "$preset" -DSPEEDWELL_TESTS=ON
cmake --build --preset "$preset" -j "$(nproc)"
[ -z "$only_build" ] || exit 0
exec ctest --test-dir "build/$preset" --output-on-failure -j "$(nproc)" "$@"

#!/usr/bin/env bash
# Says which C++ and CUDA sources are not as clang-format 14 (Debian 12's) leaves them; other versions format differently.
#   tools/check_format.sh [--fix]
# Exit status: 0 when all are, or clang-format 14 is not here; 1 otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
format=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$format" ] || ! "$format" --version | grep -q 'version 14\.'; then
  echo "clang-format 14 is not here: the format is not checked" >&2
  exit 0
fi
arguments=(--dry-run --Werror)
[ "${1:-}" != --fix ] || arguments=(-i)
git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 -n 40 -P "$(nproc)" "$format" "${arguments[@]}" 2>&1 |
  sed -n 's/^\([^ ]*\):[0-9]*:[0-9]*: error: code should be clang-formatted.*/\1/p' | sort -u | {
  wrong=$(cat)
  [ -z "$wrong" ] || { echo "not formatted (tools/check_format.sh --fix):"; echo "$wrong"; exit 1; }
}

#!/usr/bin/env bash
# Runs fuzzers for N executions each (default 1000000), as many at a time as there are cores:
#   fuzz/run.sh [N [FUZZER…]]      e.g. fuzz/run.sh 1000000 sequences matrix; without names, all
# The fuzzer of command lines, each of which makes a parser of every option, does a tenth of that.
# A crash, a broken property, an input that takes over a second (five of the clock: a shared machine may stall), or more than
# 1 GiB of memory is a failure; the input is left in build/fuzz/fuzz/findings.
set -euo pipefail
all_runs=${1:-1000000}
shift || true
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/fuzz

if [[ ! -e $build/CMakeCache.txt ]]; then
  (cd "$root" && cmake --preset fuzz -B "$build" >/dev/null)
fi
names=("$@")
if (( ${#names[@]} == 0 )); then
  mapfile -t names < <(cmake --build "$build" --target help | sed -n 's/^\([a-z_]*\)_fuzzer: phony$/\1/p' | sort -u)
fi
cmake --build "$build" --target "${names[@]/%/_fuzzer}"

# fuzz NAME: whether it passed; what it printed is in NAME.log
fuzz() {
  local name=$1 runs=$all_runs done_runs
  local work=$build/fuzz/corpus-$name log=$build/fuzz/$name.log  # what libFuzzer keeps; the seeds in the tree stay as they are
  mkdir -p "$work"
  [ "$name" != options ] || runs=$((all_runs / 10))
  if ! "$build/fuzz/${name}_fuzzer" -runs="$runs" -max_total_time="${SPEEDWELL_FUZZ_SECONDS:-1800}" -timeout=5 -rss_limit_mb=1024 \
    -max_len=4096 -print_final_stats=1 -artifact_prefix="$build/fuzz/findings/$name-" \
    $([[ -e $root/fuzz/$name.dict ]] && echo "-dict=$root/fuzz/$name.dict") "$work" "$root/fuzz/corpus/$name" 2>"$log"; then
    tail -40 "$log"
    echo "FAILED  $name"
    return 1
  fi
  # Fewer executions than asked for means that the time ran out: no pass.
  done_runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if (( done_runs < runs )); then
    echo "FAILED  $name: only $done_runs of $runs executions in the time allowed"
    return 1
  fi
  echo "ok      $name: $done_runs executions, $(sed -n 's/^Done .* in \([0-9]*\) second.*/\1/p' "$log") s"
}
mkdir -p "$build/fuzz/findings"
export root build all_runs
export -f fuzz
printf '%s\n' "${names[@]}" | xargs -n 1 -P "$(nproc)" bash -c 'fuzz "$1"' fuzz

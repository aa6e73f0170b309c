#!/usr/bin/env bash
# Runs every fuzzer for N executions (default 1000000): fuzz/run.sh [N] [BUILD_FOLDER]
# The fuzzer of command lines, each of which makes a parser of every option, does a tenth of that.
# A crash, a broken property, an input that takes over a second (five of the clock: a shared machine may stall), or more than
# 1 GiB of memory is a failure; the input is left in BUILD_FOLDER/fuzz/findings.
set -euo pipefail
all_runs=${1:-1000000}
root=$(cd "$(dirname "$0")/.." && pwd)
build=${2:-$root/build/fuzz}

if [[ ! -e $build/CMakeCache.txt ]]; then
  (cd "$root" && cmake --preset fuzz -B "$build" >/dev/null)
fi
mapfile -t fuzzers < <(cmake --build "$build" --target help | sed -n 's/^\([a-z_]*_fuzzer\): phony$/\1/p' | sort -u)
(( ${#fuzzers[@]} > 0 )) || { echo "no fuzzer in $build: configure with SPEEDWELL_FUZZ=ON" >&2; exit 1; }
cmake --build "$build" --target "${fuzzers[@]}"

mkdir -p "$build/fuzz/findings"
for fuzzer in "${fuzzers[@]}"; do
  name=${fuzzer%_fuzzer}
  work=$build/fuzz/corpus-$name   # what libFuzzer finds worth keeping; the seeds in the tree stay as they are
  mkdir -p "$work"
  runs=$all_runs
  [ "$name" != options ] || runs=$((all_runs / 10))
  echo "== $name: $runs executions"
  "$build/fuzz/$fuzzer" -runs="$runs" -max_total_time="${SPEEDWELL_FUZZ_SECONDS:-1800}" -timeout=5 -rss_limit_mb=1024 \
    -max_len=4096 -print_final_stats=1 -artifact_prefix="$build/fuzz/findings/$name-" \
    $([[ -e $root/fuzz/$name.dict ]] && echo "-dict=$root/fuzz/$name.dict") \
    "$work" "$root/fuzz/corpus/$name" 2>"$build/fuzz/$name.log" || { tail -40 "$build/fuzz/$name.log" >&2; exit 1; }
  # Fewer executions than asked for means that the time ran out: no pass.
  done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$name.log")
  grep -E '^stat::' "$build/fuzz/$name.log"
  (( done >= runs )) || { echo "$name: only $done of $runs executions in the time allowed" >&2; exit 1; }
done

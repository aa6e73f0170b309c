#!/usr/bin/env bash
# For a host with an NVIDIA GPU: runs the GPU tests, compute-sanitizer and the measured suite, and writes records.
#
# Usage: tools/gpu.sh [-b BINARIES] [-r RECORDS] [-o PATTERN] [-t SECONDS] [STEP…]
#   BINARIES  a build folder with the programs (default build/gpu, built here if it is missing)
#   RECORDS   where the records go (default results/NAME-OF-THE-GPU)
#   PATTERN   of the programs and records only those with such a name (a shell pattern, as in 'alignment*')
#   SECONDS   time for records (default 7200); what is left then, another run measures (tools/measure.py)
#   STEP      tests, sanitize, measure (default: all three)
# Nothing on the machine is changed: no clocks, no power limits, no modes.
set -uo pipefail
cd "$(dirname "$0")/.."
binaries=build/gpu records= only='*' budget=7200
while getopts b:r:o:t: option; do
  case $option in
    b) binaries=$OPTARG ;;
    r) records=$OPTARG ;;
    o) only=$OPTARG ;;
    t) budget=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
steps=${*:-tests sanitize measure}
has() { case " $steps " in *" $1 "*) true ;; *) false ;; esac; }

command -v nvidia-smi >/dev/null && nvidia-smi -L || { echo "no GPU here" >&2; exit 4; }
if [ ! -x "$binaries/bin/speedwell" ]; then
  cmake --preset gpu && cmake --build --preset gpu -j "$(nproc)" || exit 1
fi
if [ -z "$records" ]; then
  name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr 'A-Z ' 'a-z-')
  records=results/$name
fi
mkdir -p "$records"
summary=() status=0
note() { summary+=("$1"); }

# Those of single applications, and the contract of all variants.
mapfile -t tests < <(find "$binaries" \( -name "${only%\*}*_gpu_test" -o -name "${only%\*}conformance_test" \) -type f -perm -u+x | sort)
if has tests; then
  for program in "${tests[@]}"; do
    log=$records/../$(basename "$program").log
    if timeout 300 "$program" --gtest_brief=1 >"$log" 2>&1; then
      note "ok      $(basename "$program"): $(grep -c . "$log") lines, $(tail -1 "$log")"
    else
      status=1
      note "FAILED  $(basename "$program"): $(grep -m3 'FAILED\|Failure\|error' "$log" | tr '\n' ' ')"
      tail -40 "$log"
    fi
    rm -f "$log"
  done
fi

if has sanitize; then
  # Resumable: what was tried of the same programs is not tried again.
  if tools/sanitize_gpu.py "$binaries" --state "$records/../sanitizers.json" --only "${only%\*}*" --limit 120; then
    note "ok      compute-sanitizer"
  else
    status=1
    note "FAILED  compute-sanitizer"
  fi
fi

if has measure; then
  # Resumable: what is up to date is not measured again.
  tools/measure.py "$binaries/bin/speedwell" "$records" --only "$only" --budget "$budget"
  case $? in
    0) note "ok      records" ;;
    7) note "left    records: the budget has ended; the same command goes on" ;;
    *) status=1 && note "FAILED  records" ;;
  esac
fi

printf '\n%s\n' "summary"
printf '  %s\n' "${summary[@]}"
exit $status

#!/usr/bin/env bash
# For a host with an NVIDIA GPU: runs the GPU tests, compute-sanitizer and the measured suite, and writes records.
#
# Usage: tools/gpu.sh [-b BINARIES] [-r RECORDS] [-o PATTERN] [STEP…]
#   BINARIES  a build folder with the programs (default build/gpu, built here if it is missing)
#   RECORDS   where the records go (default results/NAME-OF-THE-GPU)
#   PATTERN   of the programs and records only those with such a name (a shell pattern, as in 'alignment*')
#   STEP      tests, sanitize, measure (default: all three)
# Nothing on the machine is changed: no clocks, no power limits, no modes.
set -uo pipefail
cd "$(dirname "$0")/.."
binaries=build/gpu records= only='*'
while getopts b:r:o: option; do
  case $option in
    b) binaries=$OPTARG ;;
    r) records=$OPTARG ;;
    o) only=$OPTARG ;;
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

mapfile -t tests < <(find "$binaries" -name "${only%\*}*_gpu_test" -type f -perm -u+x | sort)
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
  for tool in memcheck racecheck initcheck; do
    # Not those that take minutes under the tool (racecheck looks at every access to shared memory) or that ask for speed.
    left_out='*Large*:*Ceiling*:*Fast*'
    [ "$tool" = racecheck ] && left_out+=':*Long'
    for program in "${tests[@]}"; do
      log=$(mktemp)
      if timeout 300 compute-sanitizer --tool "$tool" --error-exitcode 99 "$program" --gtest_brief=1 --gtest_filter="-$left_out" >"$log" 2>&1; then
        note "ok      $tool $(basename "$program"): $(grep -o 'ERROR SUMMARY.*\|RACECHECK SUMMARY.*' "$log" | tail -1)"
      else
        status=1
        note "FAILED  $tool $(basename "$program"): $(grep -m2 '=========' "$log" | tail -1)"
        grep '=========' "$log" | head -40
      fi
      rm -f "$log"
    done
  done
fi

measure() {  # measure NAME ARGUMENTS…: one command of speedwell, its records in NAME.json
  local name=$1
  shift
  # shellcheck disable=SC2254  # a pattern
  case $name in $only) ;; *) return ;; esac
  if "$binaries/bin/speedwell" "$@" --json "$records/$name.json" --progress never >"$records/$name.txt" 2>"$records/$name.err"; then
    note "ok      $name"
  else
    local code=$?
    status=1
    note "FAILED  $name: status $code: $(tail -1 "$records/$name.err")"
  fi
  cat "$records/$name.txt"
  rm -f "$records/$name.err" "$records/$name.txt"
}
if has measure; then
  measure machine machine
  measure stream compare stream --size standard --max-time 1s --variant 'openmp*,cuda*'
  measure stream-core compare stream --size standard --set kernel=triad --max-time 1s
  measure stream-curve compare stream --size curve --max-time 100ms --variant 'openmp,cuda*'
  measure stream-curve-repeated compare stream --size curve-repeated --max-time 100ms --variant 'cuda*'
  measure transfer compare transfer --size standard --max-time 50ms
  measure transfer-latency compare transfer --size latency --max-time 200ms
  measure matvec compare matvec --size standard --max-time 200ms
  measure matvec-4GiB compare matvec --size gemv4g --max-time 1s --variant 'openmp,openblas,cuda,cublas*'
  measure alignment compare alignment --size standard --variant 'openmp,cuda*' --max-time 1s
  measure alignment-large compare alignment --size large --variant 'cuda*' --max-time 5s
  measure alignment-uniform compare alignment --size large --set subjects=1000000 --set mean_length=512 --set spread=0 \
    --variant cuda --max-time 4s
  measure alignment-short compare alignment --size large --set queries=2 --variant cuda --max-time 2s
  measure alignment-pair compare alignment --size pair --variant 'cuda-pair' --max-time 12s
  measure alignment-relatives compare alignment --size pair-relatives --variant 'cuda-pair*' --max-time 12s
  measure ssca1 compare ssca1 --size standard --max-time 1s
  measure ssca1-large compare ssca1 --size large --variant 'openmp,cuda' --max-time 1s
  measure ssca1-strong compare ssca1 --size strong --variant 'openmp,cuda' --max-time 1s
  measure ssca1-weak compare ssca1 --size weak --variant 'openmp,cuda' --max-time 1s
fi

printf '\n%s\n' "summary"
printf '  %s\n' "${summary[@]}"
exit $status

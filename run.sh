#!/usr/bin/env bash
# Installs what is missing (with apt), builds, and runs speedwell. Arguments go to speedwell; without any it runs `suite`.
#
# Vector code is compiled for this processor, and GPU variants for the GPUs that are here; without an NVIDIA driver they are left out.
# SPEEDWELL_CMAKE_ARGUMENTS=-DSPEEDWELL_CUDA=ON compiles them all the same, for the usual architectures; whatever else it
# holds goes to CMake, too.
set -euo pipefail
cd "$(dirname "$0")"
./tools/install-packages.sh build
./tools/install-packages.sh report &  # beside the build
reports=$!
build=build/release

arguments=()
case " ${SPEEDWELL_CMAKE_ARGUMENTS:-} " in
  *SPEEDWELL_CUDA*) ;;
  *)
    if [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ]; then
      arguments+=(-DSPEEDWELL_CUDA=AUTO)
      # "9.0" of each GPU becomes 90-real.
      capabilities=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | grep -E '^[0-9]+$' | sort -u || true)
      case " ${SPEEDWELL_CMAKE_ARGUMENTS:-} " in
        *CMAKE_CUDA_ARCHITECTURES*) ;;
        *) [ -z "$capabilities" ] || arguments+=("-DCMAKE_CUDA_ARCHITECTURES=$(printf '%s-real;' $capabilities | sed 's/;$//')") ;;
      esac
    else
      echo "no NVIDIA driver here: the GPU variants are left out; SPEEDWELL_CMAKE_ARGUMENTS=-DSPEEDWELL_CUDA=ON compiles them" >&2
      arguments+=(-DSPEEDWELL_CUDA=OFF)
    fi
    ;;
esac

case " ${SPEEDWELL_CMAKE_ARGUMENTS:-} " in
  *SPEEDWELL_INSTRUCTION_SETS*) ;;
  *) arguments+=(-DSPEEDWELL_INSTRUCTION_SETS=native) ;;
esac
command -v ccache >/dev/null || arguments+=(-DSPEEDWELL_PRECOMPILE=ON)

# progress LOG: what ninja prints goes to the log, and a line of progress to standard error: on a terminal once a second,
# elsewhere every 15 seconds.
progress() {
  local log=$1 line done total elapsed left every=15 end=$'\n' last=0
  [ -t 2 ] && every=1 end=$'\r'
  SECONDS=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} elapsed=$SECONDS
    [ $((elapsed - last)) -ge $every ] || continue
    last=$elapsed left=$((elapsed * (total - done) / done))
    if [ $left -lt 90 ]; then left="$left s"; else left="$(((left + 30) / 60)) min"; fi
    printf 'building: %d of %d, about %s left    %s' "$done" "$total" "$left" "$end" >&2
  done
  [ $last -eq 0 ] || [ ! -t 2 ] || printf '\r\033[K' >&2
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # several arguments
cmake --preset release "${arguments[@]}" ${SPEEDWELL_CMAKE_ARGUMENTS:-} >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
sed -n '/^-- Speedwell/,/^$/p' "$log" >&2
targets=(speedwell_program)
grep -q '^SPEEDWELL_INSTALL:BOOL=ON' $build/CMakeCache.txt && targets+=(speedwell_texts)  # so that `cmake --install` has all of it
: >"$log"
cmake --build "$build" --target "${targets[@]}" -j "$(nproc)" 2>&1 | progress "$log" || { grep -v '^\[[0-9]*/[0-9]*\] ' "$log" >&2; exit 1; }
rm -f "$log"
if [ $# -eq 0 ]; then set -- suite; fi
unset SPEEDWELL_CMAKE_ARGUMENTS  # ours, not the program's
wait "$reports" || true  # without it the report is not made, and the program says so
exec "$build/bin/speedwell" "$@"

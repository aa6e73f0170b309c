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

launch=()
measure() {  # measure NAME ARGUMENTS…: one command of speedwell, its records in NAME.json
  local name=$1
  shift
  # shellcheck disable=SC2254  # a pattern
  case $name in $only) ;; *) return ;; esac
  if "${launch[@]}" "$binaries/bin/speedwell" "$@" --json "$records/$name.json" --progress never >"$records/$name.txt" 2>"$records/$name.err"; then
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
  measure stream compare stream --size standard --max-time 300ms --variant 'openmp*,cuda*'
  measure stream-core compare stream --size standard --set kernel=triad --max-time 300ms
  measure stream-curve compare stream --size curve --max-time 50ms --variant 'openmp,cuda*'
  measure stream-curve-repeated compare stream --size curve-repeated --max-time 50ms --variant 'cuda*'
  measure transfer compare transfer --size standard --max-time 50ms
  measure transfer-latency compare transfer --size latency --max-time 200ms
  measure matvec compare matvec --size standard --max-time 200ms
  measure matvec-4GiB compare matvec --size gemv4g --max-time 1s --variant 'openmp,openblas,cuda,cublas*'
  measure alignment compare alignment --size standard --variant 'openmp,parasail,cuda*' --max-time 1s
  for threads in 1 2 4 8 16; do
    [ "$threads" -gt "$(nproc)" ] || measure "alignment-threads-$threads" compare alignment --size standard \
      --set subjects=1000 --variant 'openmp,parasail' --threads "$threads" --max-time 500ms
  done
  measure alignment-large compare alignment --size large --variant 'cuda*' --max-time 3s
  measure alignment-uniform compare alignment --size large --set subjects=1000000 --set mean_length=512 --set spread=0 \
    --variant cuda --max-time 3s
  measure alignment-short compare alignment --size large --set queries=2 --variant cuda --max-time 1s
  measure alignment-pair compare alignment --size pair --variant 'cuda-pair' --max-time 6s
  measure alignment-relatives compare alignment --size pair-relatives --variant 'cuda-pair*' --max-time 6s
  # Two sweeps of some minutes: one for itself, one end to end.
  measure alignment-huge compare alignment --size pair-huge --variant 'cuda-pair' --warmup 0 --repeat 1
  measure ssca1 compare ssca1 --size standard --max-time 1s
  measure ssca1-large compare ssca1 --size large --variant 'openmp,cuda' --max-time 1s
  measure ssca1-ladder ladder ssca1 --size large --set kernel=1 --variant 'cuda-sweeps,cuda-rows,cuda-sections,cuda' --max-time 2s
  measure ssca1-strong compare ssca1 --size strong --variant 'openmp,cuda' --max-time 1s
  measure ssca1-weak compare ssca1 --size weak --variant 'openmp,cuda' --max-time 1s
  measure npb compare npb --size standard --set kernel=ep --variant 'openmp,cuda*' --max-time 1s
  # The study's steps of FT take seconds for a sweep of class C.
  measure npb-ft compare npb --size standard --set kernel=ft --variant 'openmp,cuda-layouts,cuda' --max-time 1s
  measure npb-ft-ladder compare npb --size small --set kernel=ft --variant 'serial,openmp,cuda*' --max-time 500ms
  measure npb-D compare npb --size D --variant 'cuda*' --max-time 2s
  measure fft compare fft --size standard --variant 'serial,openmp,cuda*,cufft' --max-time 1s
  # FFTW plans patiently: a minute for each problem.
  measure fft-fftw compare fft --size standard --set data=complex --precision f64 --variant 'openmp,fftw' --max-time 1s
  measure fft-large compare fft --size large --set n=512 --variant 'cuda*,cufft' --max-time 500ms
  measure fft-batched compare fft --size batched --variant 'openmp,cuda,cufft' --max-time 500ms
  measure fft-lengths compare fft --size lengths --variant 'openmp,fftw,cuda,cufft' --max-time 500ms
  measure fft-long compare fft --size long --variant 'cuda,cufft' --max-time 500ms
  measure fft-study-largest compare fft --size study --set n=16777216 --precision f32 --threads 1 --variant bit-reversed-1 --max-time 100ms
  measure fft-study compare fft --size study --threads 1 --variant 'recursive,radix*,bit*,serial' --max-time 100ms
  measure incompressible_flow compare incompressible_flow --size standard --variant 'openmp,cuda' --max-time 500ms
  measure incompressible_flow-large compare incompressible_flow --size large --variant cuda --max-time 500ms
  measure incompressible_flow-channel compare incompressible_flow --size channel --variant 'openmp,cuda' --max-time 500ms
  measure incompressible_flow-channel-large compare incompressible_flow --size channel-large --variant cuda --max-time 500ms
  # The oracle is most of the time: all rows take a few steps, the best ones and all cores the whole run.
  measure blast_wave-steps compare blast_wave --size standard --set steps=5 --variant 'serial,openmp,cuda*,cusparse' --warmup 0 --max-time 300ms
  measure blast_wave-large compare blast_wave --size large --set steps=1 --variant 'cuda-streamed,cuda-f32-blocks,cuda,cusparse' --max-time 300ms
  measure blast_wave compare blast_wave --size standard --variant 'openmp,cuda-concurrent,cuda-streamed,cuda,cusparse' --warmup 0 --max-time 500ms
  measure blast_wave-f32-blocks compare blast_wave --size standard --variant cuda-f32-blocks --warmup 0 --max-time 500ms
  measure block_matvec compare block_matvec --size standard --max-time 100ms
  measure block_matvec-large compare block_matvec --size large --variant 'openmp,cuda,cusparse' --max-time 200ms
  measure binary_fluid compare binary_fluid --size standard --variant 'openmp,cuda-resident,cuda-in-place,cuda' --max-time 500ms
  measure binary_fluid-precisions compare binary_fluid --size precisions --variant 'cuda-in-place,cuda' --max-time 300ms
  measure binary_fluid-ladder compare binary_fluid --size small --variant 'serial,openmp,cuda*' --max-time 300ms
  measure binary_fluid-study compare binary_fluid --size study --variant 'openmp,cuda-ported,cuda-coalesced,cuda' --max-time 200ms
  measure binary_fluid-channel compare binary_fluid --size channel --variant 'openmp,cuda' --max-time 200ms
  measure stencil compare stencil --size standard --variant 'openmp*,cuda*' --max-time 200ms
  measure stencil-128 compare stencil --size 128 --variant 'openmp*,cuda*' --max-time 100ms
  measure stencil-512 compare stencil --size large --variant 'openmp,cuda*' --max-time 200ms
  measure stencil-odd compare stencil --size odd --variant 'openmp,cuda*' --max-time 100ms
  measure stencil-sum compare stencil --size sum --variant 'openmp*,cuda*' --max-time 50ms
  measure stencil-parts compare stencil --size parts-curve --variant 'openmp,cuda,cuda-tile*,cuda-stages*' --max-time 30ms
  # The study's figure 5.6: cores in place of tiles.
  for threads in 1 2 4 8 16; do
    [ "$threads" -gt "$(nproc)" ] || measure "stencil-threads-$threads" compare stencil --size study --threads "$threads" \
      --variant 'openmp*,cuda' --max-time 100ms
  done
  measure spmv compare spmv --size standard --variant 'openmp*,cuda*,cusparse*' --max-time 200ms
  measure spmv-128 compare spmv --size 128 --variant 'openmp*,cuda*,cusparse*' --max-time 100ms
  measure spmv-formats compare spmv --size formats --variant 'openmp*,cuda*,cusparse*' --max-time 50ms
  measure cg compare cg --size standard --variant 'openmp*,cuda*' --max-time 200ms
  measure cg-128 compare cg --size 128 --variant 'openmp*,cuda*' --max-time 100ms
  # Its figures 7.5 to 7.9: one core takes seconds for an iteration.
  measure cg-curve compare cg --size curve --variant 'openmp,cuda*' --max-time 50ms
  measure cg-curve-core compare cg --size curve --set iterations=4 --variant serial --warmup 0 --repeat 1
  measure cg-solve compare cg --size solve --variant 'cuda,cuda-passes,cuda-mixed' --max-time 200ms
  measure cg-solve-host compare cg --size solve --set n=128 --variant 'openmp*' --warmup 0 --max-time 200ms
  measure vector_calculus compare vector_calculus --size standard --variant 'openmp*,cuda,cuda-unfused,cublas' --max-time 60ms
  measure vector_calculus-f32 compare vector_calculus --size standard --precision f32 --variant 'cuda,cuda-unfused' --max-time 40ms
  measure vector_calculus-study compare vector_calculus --size study --variant 'serial,openmp,cuda*' --max-time 60ms
  measure vector_calculus-scaling compare vector_calculus --size study-scaling --variant 'cuda-z-loop,cuda' --max-time 20ms
  measure vector_calculus-cublas compare vector_calculus --set operation=dot --set n=32 --variant 'cuda*,cublas' --max-time 300ms
  measure two_stream compare two_stream --size standard --variant 'openmp,cuda*' --max-time 200ms
  measure two_stream-segment compare two_stream --size segment --max-time 100ms
  measure two_stream-small compare two_stream --size small --max-time 200ms
  measure two_stream-rrtmgp compare two_stream --size rrtmgp --variant 'openmp,cuda*' --max-time 200ms
  measure gups compare gups --size standard --variant 'serial,openmp*,cuda*' --max-time 500ms
  measure gups-weak compare gups --size weak --variant 'serial,openmp,cuda*' --max-time 100ms
  measure gups-curve compare gups --size curve --variant 'openmp,cuda-atomic,cuda-binned,cuda' --max-time 50ms
  measure gups-large compare gups --size large --variant 'openmp,cuda-atomic,cuda-binned,cuda' --max-time 500ms
  measure gups-thread compare gups --size large --set rule=thread --variant 'cuda-atomic,cuda-binned' --max-time 300ms
  # The oracle's pass over 2^34 updates is most of the time.
  measure gups-huge compare gups --size huge --variant 'cuda-atomic,cuda-binned' --warmup 1 --repeat 3
  measure uts compare uts --size standard --variant 'serial,openmp,cuda*' --max-time 500ms
  measure uts-small compare uts --size small --variant 'serial,openmp,cuda*' --max-time 200ms
  measure uts-curve compare uts --size curve --variant 'openmp,cuda*' --max-time 50ms
  measure uts-large compare uts --size large --variant 'cuda*' --warmup 1 --max-time 500ms
  measure uts-huge run uts --size huge --variant cuda --warmup 1 --max-time 500ms
  measure wavefront compare wavefront --size standard --set loops=0 --variant 'openmp,cuda*' --max-time 200ms
  measure wavefront-small compare wavefront --size small --set n=160 --set loops=0 --variant 'serial,openmp,cuda*' --max-time 200ms
  measure wavefront-loops compare wavefront --size standard --set n=640 --set loops=10 --variant 'openmp,cuda' --max-time 500ms
  if command -v mpirun >/dev/null; then
    launch=(mpirun -n "$(nproc)" --bind-to core)
    measure wavefront-ranks run wavefront --size standard --set n=640 --set loops=0 --variant mpi --max-time 300ms
    launch=()
  fi
  # The paper's tables: one core once, since it takes seconds.
  measure wavefront-table2 compare wavefront --size table2 --variant 'serial' --warmup 0 --repeat 1
  measure wavefront-table3 compare wavefront --size table3 --variant 'openmp,cuda*' --max-time 100ms
  measure wavefront-table4 compare wavefront --size table4 --variant 'openmp,cuda-shared,cuda' --max-time 100ms
  measure wavefront-table4-core compare wavefront --size table4 --set n=160 --variant serial --warmup 0 --repeat 1
fi

printf '\n%s\n' "summary"
printf '  %s\n' "${summary[@]}"
exit $status

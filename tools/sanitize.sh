#!/usr/bin/env bash
# The test suite under AddressSanitizer and UndefinedBehaviorSanitizer, and everything that starts threads under
# ThreadSanitizer, also on ranks: tools/sanitize.sh [asan] [tsan] [tsan-ranks]
# ThreadSanitizer needs an OpenMP runtime that tells it of barriers and tasks: clang's with Archer (packages clang-19,
# libomp-19-dev). GCC's would be reported as one race after another.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${*:-asan tsan tsan-ranks}
has() { case " $what " in *" $1 "*) true ;; *) false ;; esac; }
jobs=$(nproc)

if has asan; then
  # Without `install`, which builds outside projects that know nothing of the sanitizers. An allocation that cannot be
  # has to fail as it does without a sanitizer.
  cmake --preset asan -DSPEEDWELL_TESTS=ON >/dev/null
  cmake --build --preset asan -j "$jobs"
  ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
    ctest --test-dir build/asan --output-on-failure -j "$jobs" -LE install
fi

archer=/usr/lib/llvm-19/lib/libarcher.so
if has tsan || has tsan-ranks; then
  [ -e "$archer" ] || { echo "no $archer: install libomp-19-dev" >&2; exit 4; }
  cmake --preset tsan -DSPEEDWELL_TESTS=ON >/dev/null
fi
# Modules that are not instrumented (the runtime itself, OpenBLAS's, hwloc's and MPI's own threads) are left out.
options="allocator_may_return_null=1 ignore_noninstrumented_modules=1 halt_on_error=1 second_deadlock_stack=1"

if has tsan; then
  cmake --build --preset tsan -j "$jobs" --target core_test machine_test harness_test stream_test transfer_test matvec_test \
    alignment_test alignment_tile_test alignment_band_test ssca1_test ssca1_adapter_test wavefront_test npb_test fft_test \
    fft_benchmark_test stencil_test sparse_test krylov_test spmv_test cg_test vector_calculus_test incompressible_flow_test blast_wave_test binary_fluid_test two_stream_test gups_test \
    block_matvec_test uts_test database_search_test search_test cli_align_test cli_solve_test simulation_test
  OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS=$options OMP_NUM_THREADS=4 ctest --test-dir build/tsan --output-on-failure -j "$jobs" -LE 'install|compare|cli' -E _NOT_BUILT
fi

if has tsan-ranks; then
  # Two threads of each of three ranks: exchanges that are begun beside loops of threads, and what ranks of a host share.
  mapfile -t programs < <(cmake --build --preset tsan --target help | sed -n 's/^\([a-z0-9_]*_ranks_test\): phony$/\1/p' | sort -u)
  cmake --build --preset tsan -j "$jobs" --target "${programs[@]}"
  failed=()
  for program in "${programs[@]}"; do
    path=$(find build/tsan/tests -name "$program" -type f)
    OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS=$options OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
      OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none \
      timeout 900 mpirun -n 3 "$path" --gtest_brief=1 && echo "ok      $program" || failed+=("$program")
  done
  [ ${#failed[@]} -eq 0 ] || { echo "FAILED  ${failed[*]}" >&2; exit 1; }
fi

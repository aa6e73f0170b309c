#!/bin/sh
# Compiles the sources and installs them: compile.sh SOURCES PREFIX. The GPU variants are compiled where there is nvcc, for
# CUDA_ARCHITECTURES; JOBS is the number of processes (all cores), COMMIT what `speedwell info` names. Without FFTW, which is GPL.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 SOURCES PREFIX" >&2; exit 2; }
cuda=OFF
if command -v nvcc >/dev/null; then
  cuda=ON
fi
cmake -S "$1" -B /tmp/speedwell-build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$2" -DSPEEDWELL_COMMIT="${COMMIT:-}" \
  -DSPEEDWELL_CUDA=$cuda "-DCMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES:-80-real;90-real;90-virtual}" \
  -DSPEEDWELL_MPI=ON -DSPEEDWELL_OPENMP=ON -DSPEEDWELL_HWLOC=ON -DSPEEDWELL_BLAS=ON -DSPEEDWELL_FFTW=OFF -DSPEEDWELL_PARASAIL=OFF \
  -DSPEEDWELL_HDF5=ON -DSPEEDWELL_TESTS=OFF -DSPEEDWELL_EXAMPLES=OFF
cmake --build /tmp/speedwell-build --target speedwell_program speedwell_texts -j "${JOBS:-$(nproc)}"
cmake --install /tmp/speedwell-build --strip
rm -rf "$2/include" "$2"/lib/*.a "$2/lib/cmake" "$2/lib/pkgconfig" /tmp/speedwell-build  # an image that runs, not one to build on

#include "speedwell/apps/blast_wave/gpu_library_scalars.hpp"

namespace speedwell::blast_wave {
namespace {

__global__ void begin(LibraryScalars* s) {
  s->rho_before = s->alpha = s->omega = 1;
  s->minus_omega = -1;
  s->one = 1;
  s->minus_one = -1;
}

__global__ void direction(LibraryScalars* s) {
  s->beta = s->rho / s->rho_before * (s->alpha / s->omega);
  s->rho_before = s->rho;
}

__global__ void half_step(LibraryScalars* s) {
  s->alpha = s->rho / s->shadow_v;
  s->minus_alpha = -s->alpha;
}

__global__ void stabilise(LibraryScalars* s) {
  s->omega = s->tt > 0 ? s->tr / s->tt : 0;
  s->minus_omega = -s->omega;
}

template <class Kernel>
void launch(Kernel kernel, LibraryScalars* scalars, const core::Stream& stream) {
  kernel<<<1, 1, 0, stream.get()>>>(scalars);
  core::check(cudaGetLastError());
}

}  // namespace

void begin_scalars(LibraryScalars* scalars, const core::Stream& stream) { launch(begin, scalars, stream); }
void make_beta(LibraryScalars* scalars, const core::Stream& stream) { launch(direction, scalars, stream); }
void make_alpha(LibraryScalars* scalars, const core::Stream& stream) { launch(half_step, scalars, stream); }
void make_omega(LibraryScalars* scalars, const core::Stream& stream) { launch(stabilise, scalars, stream); }

}  // namespace speedwell::blast_wave

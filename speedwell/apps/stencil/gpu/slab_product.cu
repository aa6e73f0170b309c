// One product on a slab whose neighbouring planes other GPUs store: the pass of product.cu.
#include "speedwell/apps/stencil/gpu/launch.hpp"
#include "speedwell/apps/stencil/gpu/march.hpp"
#include "speedwell/apps/stencil/gpu/store.hpp"

namespace speedwell::stencil {

template <class T>
void slab_multiply(const Operator<T>& a, const T* x, const comm::HaloArrival<T>& below,
                   const comm::HaloArrival<T>& above, T* y, const core::Stream& stream) {
  const device::SlabPlain<T> source{{x}, below, above};
  const device::Store<T> sink{y, device::streams<T>(a.grid)};
  with_form(a.form, [&]<Form form>() {
    const auto run = [&]<int width>() { device::march<form, width>(a, source, sink, all_planes(a.grid), stream); };
    a.grid.nx % device::widest<T> == 0 ? run.template operator()<device::widest<T>>() : run.template operator()<1>();
  });
}

#define SPEEDWELL_SLAB(T)                                                                                             \
  template void slab_multiply(const Operator<T>&, const T*, const comm::HaloArrival<T>&, const comm::HaloArrival<T>&, \
                              T*, const core::Stream&);
SPEEDWELL_SLAB(float)
SPEEDWELL_SLAB(double)
#undef SPEEDWELL_SLAB

}  // namespace speedwell::stencil

// The best GPU variant: which of the kernel's shapes.
#include "speedwell/apps/npb/ep/gpu/kernel.hpp"

namespace speedwell::npb::ep {

// Two blocks of 512 threads leave each thread 64 registers, which four pairs side by side fill. A block has eight
// copies of the table where a multiprocessor has room for them, as those of compute capability 9.0 have; two elsewhere.
void launch(const Operands& p, const core::Stream& stream) {
  constexpr int threads = 512, blocks = 2, reserved_bytes_of_block = 4096;
  if (p.shared_bytes >= blocks * (SharedTable<8>::bytes + reserved_bytes_of_block))
    launch_short<8, 4, threads, blocks>(p, stream);
  else
    launch_short<2, 4, threads, blocks>(p, stream);
}

}  // namespace speedwell::npb::ep

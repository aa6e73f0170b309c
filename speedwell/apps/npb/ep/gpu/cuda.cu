// The best GPU variant: the choice of the kernel's parameters.
#include "speedwell/apps/npb/ep/gpu/kernel.hpp"

namespace speedwell::npb::ep {

// Two blocks of 512 threads leave 64 registers per thread, enough for four independent pairs. A block has eight copies
// of the table if the shared memory of a multiprocessor suffices, as in compute capability 9.0, and otherwise two.
void launch(const Operands& p, const core::Stream& stream) {
  constexpr int threads = 512, blocks = 2, reserved_bytes_of_block = 4096;
  if (p.shared_bytes >= blocks * (SharedTable<8>::bytes + reserved_bytes_of_block))
    launch_table_kernel<8, 4, threads, blocks>(p, stream);
  else
    launch_table_kernel<2, 4, threads, blocks>(p, stream);
}

}  // namespace speedwell::npb::ep

#include "speedwell/apps/npb/ep/gpu/kernel.hpp"
#include "tests/apps/npb/tuning.hpp"

namespace speedwell::npb::ep {
namespace {

constexpr Alternative table[] = {
    {"8 copies, 1 pair, 2 blocks of 576", launch_table_kernel<8, 1, 576, 2>},
    {"8 copies, 2 pairs, 2 blocks of 384", launch_table_kernel<8, 2, 384, 2>},
    {"8 copies, 2 pairs, 2 blocks of 512", launch_table_kernel<8, 2, 512, 2>},
    {"8 copies, 2 pairs, 2 blocks of 640", launch_table_kernel<8, 2, 640, 2>},
    {"8 copies, 4 pairs, 2 blocks of 384", launch_table_kernel<8, 4, 384, 2>},
    {"8 copies, 2 pairs, 2 blocks of 576", launch_table_kernel<8, 2, 576, 2>},
    {"8 copies, 3 pairs, 2 blocks of 512", launch_table_kernel<8, 3, 512, 2>},
    {"8 copies, 4 pairs, 1 block of 1024", launch_table_kernel<8, 4, 1024, 1>},
    {"8 copies, 2 pairs, 1 block of 1024", launch_table_kernel<8, 2, 1024, 1>},
    {"4 copies, 4 pairs, 2 blocks of 512", launch_table_kernel<4, 4, 512, 2>},
    {"2 copies, 4 pairs, 2 blocks of 512", launch_table_kernel<2, 4, 512, 2>},
    {"1 copy, 4 pairs, 2 blocks of 512", launch_table_kernel<1, 4, 512, 2>},
};

}  // namespace

std::span<const Alternative> alternatives() { return table; }

}  // namespace speedwell::npb::ep

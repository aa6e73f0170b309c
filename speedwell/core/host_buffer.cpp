#include "speedwell/core/host_buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace speedwell::core::detail {
namespace {
constexpr std::size_t ordinary_page = 4096, large_page = std::size_t{2} << 20;
}

void* allocate_pages(std::size_t bytes, Pages pages) {
  // Less than two large pages: nothing would be gained.
  const bool large = pages == Pages::large && bytes >= 2 * large_page;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? large_page : ordinary_page, bytes) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (large) (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_pages(void* memory) noexcept { std::free(memory); }

}  // namespace speedwell::core::detail

// The first rank creates a file without a name, which lives in memory, and the others open it through the first one's
// list of open files. No folder of the system has to have room for it, and nothing is left behind by a job that ends in
// any way.
#include "speedwell/comm/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace speedwell::comm {
#ifdef __linux__
namespace {

/// Closes a file when it goes out of scope.
struct File {
  int descriptor = -1;
  explicit File(int opened) : descriptor(opened) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
};

/// Random numbers at the end of the memory, by which a rank knows that it has mapped the file of the first one.
using Mark = std::array<std::uint64_t, 2>;

Mark random_mark() {
  std::random_device device;
  Mark mark;
  for (std::uint64_t& word : mark) word = std::uint64_t{device()} << 32 | device();
  return mark;
}

bool agree(const Communicator& ranks, bool here) {
  return ranks.reduce(std::int64_t{here ? 1 : 0}, Reduction::minimum) == 1;
}

/// Where to find the file of the first rank.
struct Origin {
  std::int64_t process = 0, descriptor = -1;
  Mark mark{};
};

}  // namespace

#endif

std::optional<SharedMemory> SharedMemory::allocate(const Communicator& ranks, std::size_t bytes) {
  if (ranks.size() == 1) {
    SharedMemory memory(nullptr, bytes);
    memory.of_one_ = core::HostBuffer<std::byte>(bytes, core::Pages::large);
    memory.data_ = memory.of_one_.data();
    return memory;
  }
#ifdef __linux__
  const int on_this_host = ranks.split_by_host().size();
  const char* const wanted = std::getenv("SPEEDWELL_SHARED_MEMORY");
  const bool is_off = wanted && std::string_view(wanted) == "off";
  if (!agree(ranks, on_this_host == ranks.size() && !is_off)) return {};

  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mark_at = (bytes + page - 1) / page * page, mapped = mark_at + page;
  const bool is_first = ranks.rank() == 0;
  File own(is_first ? memfd_create("speedwell", MFD_CLOEXEC) : -1);
  Origin origin;
  if (is_first && own.descriptor >= 0 && ftruncate(own.descriptor, static_cast<off_t>(mapped)) == 0)
    origin = {getpid(), own.descriptor, random_mark()};
  origin = ranks.broadcast(origin);
  if (!is_first && origin.descriptor >= 0) {
    const std::string path = "/proc/" + std::to_string(origin.process) + "/fd/" + std::to_string(origin.descriptor);
    own.descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  }

  // A file that is not the first rank's, of a process that has its number elsewhere, may be shorter: to read beyond its
  // end would end this process.
  const bool is_long_enough = own.descriptor >= 0 && lseek(own.descriptor, 0, SEEK_END) == static_cast<off_t>(mapped);
  void* const map = is_long_enough && origin.descriptor >= 0
                        ? mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, own.descriptor, 0)
                        : MAP_FAILED;
  std::optional<SharedMemory> memory;
  if (map != MAP_FAILED) {
    memory = SharedMemory(static_cast<std::byte*>(map), bytes);
    memory->mapped_ = mapped;
    madvise(map, mapped, MADV_HUGEPAGE);  // where the system has large pages for shared memory
    if (is_first) std::memcpy(memory->data_ + mark_at, &origin.mark, sizeof origin.mark);
  }
  ranks.barrier();  // the mark is there, and the first rank's file is open until all have mapped it
  const bool is_same = memory && std::memcmp(memory->data_ + mark_at, &origin.mark, sizeof origin.mark) == 0;
  if (!agree(ranks, is_same)) return {};
  return memory;
#else
  return {};
#endif
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)),
      of_one_(std::move(other.of_one_)) {}
SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  std::swap(of_one_, other.of_one_);
  return *this;
}
SharedMemory::~SharedMemory() {
#ifdef __linux__
  if (mapped_ > 0) munmap(data_, mapped_);
#endif
}

}  // namespace speedwell::comm

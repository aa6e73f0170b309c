#include "tests/apps/binary_fluid/planted_faults.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <list>
#include <map>
#include <utility>
#include <vector>

namespace speedwell::binary_fluid::test_faults {
namespace {

/// What is planted, and what has been sent since it was. Only the first rank's messages are watched.
struct Planted {
  Kind kind = Kind::none;
  int tag = -1;
  std::int64_t tags_sent = 0;
  std::map<int, int> sends;
  std::map<int, std::vector<std::byte>> previous;
  std::list<std::vector<std::byte>> replaced;  // messages that may still be under way
};
Planted planted;
constexpr int faulty_send = 2;  // the third message with the tag

const void* message_of(const void* bytes, std::size_t count, int tag) {
  if (tag >= halo_tags || test::ranks().rank() != 0) return bytes;
  planted.tags_sent |= std::int64_t{1} << tag;
  const auto* const begin = static_cast<const std::byte*>(bytes);
  std::vector<std::byte> sent(begin, begin + count);
  const void* result = bytes;
  if (tag == planted.tag && planted.sends[tag]++ == faulty_send) {
    std::vector<std::byte>& wrong = planted.replaced.emplace_back(sent);
    if (planted.kind == Kind::zeros) std::fill(wrong.begin(), wrong.end(), std::byte{0});
    if (planted.kind == Kind::stale) {
      wrong = planted.previous.at(tag);
      wrong.resize(count);
    }
    for (std::size_t at = 0; planted.kind == Kind::sign && at + sizeof(double) <= count; at += sizeof(double)) {
      double value;
      std::memcpy(&value, wrong.data() + at, sizeof value);
      value = -value;
      std::memcpy(wrong.data() + at, &value, sizeof value);
    }
    result = wrong.data();
  }
  planted.previous[tag] = std::move(sent);
  return result;
}

}  // namespace

void plant(Kind kind, int tag) {
  planted = {};
  planted.kind = kind;
  planted.tag = tag;
}
std::int64_t tags_sent() { return planted.tags_sent; }

}  // namespace speedwell::binary_fluid::test_faults

extern "C" int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const void* const message =
      speedwell::binary_fluid::test_faults::message_of(bytes, static_cast<std::size_t>(count), tag);
  return PMPI_Isend(message, count, type, to, tag, comm, request);
}

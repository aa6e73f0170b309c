// transfer for the harness: parameters, sizes, work, the table of variants, and the host's runs.
#include "speedwell/apps/transfer/adapter.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::transfer {
namespace {

constexpr std::array<std::pair<const char*, Operation>, 12> operations = {{{"upload", Operation::upload},
                                                                           {"download", Operation::download},
                                                                           {"duplex", Operation::duplex},
                                                                           {"peer", Operation::peer},
                                                                           {"peer-duplex", Operation::peer_duplex},
                                                                           {"copy", Operation::copy},
                                                                           {"allocate", Operation::allocate},
                                                                           {"allocate-kept", Operation::allocate_kept},
                                                                           {"free", Operation::free},
                                                                           {"first-touch", Operation::first_touch},
                                                                           {"launch", Operation::launch},
                                                                           {"synchronise", Operation::synchronise}}};

Problem problem_of(const harness::Problem& problem) {
  Problem p;
  for (const auto& [word, operation] : operations)
    if (problem.get<std::string>("operation") == word) p.operation = operation;
  p.bytes = problem.get<std::int64_t>("bytes");
  p.repeats = problem.get<std::int64_t>("repeats");
  p.seed = problem.seed();
  return p;
}

// Over the link, up is read and down is written; what goes to another GPU is written and what comes from it is read. An
// allocation, a launch and a synchronisation move nothing.
harness::Work work(const harness::Problem& problem) {
  const Problem p = problem_of(problem);
  const double bytes = static_cast<double>(p.bytes) * static_cast<double>(p.repeats);
  harness::Work w;
  w.updates = static_cast<double>(p.repeats);
  w.working_set = static_cast<double>(p.payload_bytes()) * (p.operation == Operation::copy ? 2 : 1);
  switch (p.operation) {
    case Operation::upload:
      w.bytes_read = bytes;
      break;
    case Operation::download:
    case Operation::peer:
      w.bytes_written = bytes;
      break;
    case Operation::duplex:
    case Operation::peer_duplex:
    case Operation::copy:
      w.bytes_read = w.bytes_written = bytes;
      break;
    case Operation::allocate:
    case Operation::allocate_kept:
    case Operation::free:
    case Operation::first_touch:
    case Operation::launch:
    case Operation::synchronise:
      break;
  }
  w.between_gpus = p.operation == Operation::peer || p.operation == Operation::peer_duplex;
  w.over_link = w.between_gpus || p.operation == Operation::upload || p.operation == Operation::download ||
                p.operation == Operation::duplex;
  return w;
}

/// serial and openmp: copies in the host's memory.
class HostCopyRun : public harness::Run {
 public:
  HostCopyRun(std::shared_ptr<const TransferCase> prepared, int threads)
      : case_(std::move(prepared)), threads_(threads) {}

  void allocate() override {
    from_ = core::HostBuffer<unsigned char>(static_cast<std::size_t>(case_->problem.bytes));
    to_ = core::HostBuffer<unsigned char>(block_bytes(case_->problem.bytes));
    fill_pattern(from_.span(), case_->problem.seed, threads_);
    touch(to_.span(), threads_);
  }
  void reset() override { guard_block(to_.span()); }
  void poison() override { poison_block(to_.span(), threads_); }
  void execute() override {
    for (std::int64_t r = 0; r < case_->problem.repeats; ++r)
      host_copy(from_.span(), to_.span().subspan(guard_bytes, from_.size()), threads_);
  }
  core::Verdict verify() override { return transfer::verify(case_->problem, {to_.span()}); }
  std::vector<harness::Output> outputs() override {
    return {{"block", harness::ElementType::u8, to_.data(), to_.size()}};
  }

 private:
  std::shared_ptr<const TransferCase> case_;
  int threads_;
  core::HostBuffer<unsigned char> from_, to_;
};

/// serial and openmp: each execute takes a block, touches its pages, and gives back the block of the time before. The
/// block that is left is written and read over its whole length.
class HostAllocateRun : public harness::Run {
 public:
  HostAllocateRun(std::shared_ptr<const TransferCase> prepared, int threads)
      : case_(std::move(prepared)), threads_(threads) {}

  void allocate() override { result_ = core::HostBuffer<unsigned char>(block_bytes(case_->problem.bytes)); }
  void reset() override {
    if (held_.span().empty()) held_ = take();
    guard_block(result_.span());
  }
  void poison() override {
    fresh_ = false;
    poison_block(result_.span(), threads_);
  }
  void execute() override {
    for (std::int64_t r = 0; r < case_->problem.repeats; ++r) {
      NewPages block = take();
      std::swap(held_, block);
    }
    fresh_ = true;
  }
  void download() override {
    if (!fresh_) return;
    fill_pattern(held_.span(), case_->problem.seed, threads_);
    host_copy(held_.span(), result_.span().subspan(guard_bytes, held_.span().size()), threads_);
  }
  core::Verdict verify() override { return transfer::verify(case_->problem, {result_.span()}); }
  std::vector<harness::Output> outputs() override {
    return {{"block", harness::ElementType::u8, result_.data(), result_.size()}};
  }

 private:
  NewPages take() const {
    NewPages block(static_cast<std::size_t>(case_->problem.bytes));
    touch(block.span(), threads_);
    return block;
  }

  std::shared_ptr<const TransferCase> case_;
  int threads_;
  bool fresh_ = false;
  NewPages held_;
  core::HostBuffer<unsigned char> result_;
};

harness::Variant::Make host_runs(bool serial) {
  return [serial](std::shared_ptr<const harness::Workload> prepared,
                  const harness::Context& context) -> std::unique_ptr<harness::Run> {
    auto own = std::static_pointer_cast<const TransferCase>(std::move(prepared));
    const int threads = serial ? 1 : context.threads;
    if (own->problem.operation == Operation::first_touch)
      return std::make_unique<HostAllocateRun>(std::move(own), threads);
    return std::make_unique<HostCopyRun>(std::move(own), threads);
  };
}

harness::Footprint host_footprint(const harness::Problem& problem) {
  return {.host_bytes = 3.0 * static_cast<double>(block_bytes(problem_of(problem).bytes)), .device_bytes = 0};
}
/// The memory of the largest variant: two blocks on the device, or those that are kept and one for checking; as many in
/// use and two for checking on the host.
harness::Footprint device_footprint(const harness::Problem& problem) {
  const Problem p = problem_of(problem);
  const double block = static_cast<double>(block_bytes(p.payload_bytes()));
  const double blocks = std::max(2.0, static_cast<double>(p.kept_blocks()) + 1);
  return {.host_bytes = (blocks + 2) * block, .device_bytes = blocks * block};
}

/// A GPU variant: the operations that it supports, and the reason for the others.
struct VariantRow {
  const char* name;
  const char* description;
  std::initializer_list<Operation> does;
  const char* otherwise;
  bool page_locks;
};
constexpr std::initializer_list<Operation> up_and_down = {Operation::upload, Operation::download};
constexpr std::initializer_list<Operation> up = {Operation::upload};
constexpr std::initializer_list<Operation> pinned = {Operation::upload,   Operation::download,      Operation::duplex,
                                                     Operation::allocate, Operation::allocate_kept, Operation::free};
constexpr std::initializer_list<Operation> mapped = {Operation::upload, Operation::download, Operation::synchronise};
constexpr std::initializer_list<Operation> device = {Operation::copy, Operation::allocate, Operation::allocate_kept,
                                                     Operation::free, Operation::launch,   Operation::synchronise};
constexpr std::initializer_list<Operation> between_gpus = {Operation::peer, Operation::peer_duplex};
constexpr std::initializer_list<Operation> pool = {Operation::allocate, Operation::allocate_kept, Operation::free};
constexpr std::initializer_list<Operation> graph = {Operation::launch};
constexpr std::initializer_list<Operation> event = {Operation::synchronise};

constexpr const char* only_between_gpus = "it moves data from one GPU to another";

constexpr VariantRow variant_rows[] = {
    {"cuda-pageable", "from and to ordinary host memory, which the driver stages on one thread", up_and_down,
     "ordinary host memory only goes up or down, one at a time", false},
    {"cuda-staged", "from and to ordinary host memory, which all cores stage through page-locked buffers", up_and_down,
     "ordinary host memory only goes up or down, one at a time", false},
    {"cuda-pinned", "page-locked host memory, copied by the device's copy engines", pinned,
     "page-locked memory is for uploads, downloads, both at once, allocation and freeing", true},
    {"cuda-write-combined", "page-locked host memory past the host's caches", up,
     "the host reads write-combined memory too slowly for anything but uploads", true},
    {"cuda-mapped", "a kernel reads or writes page-locked host memory itself; the host waits by watching a word there",
     mapped, "mapped memory is for uploads, downloads and synchronisation", true},
    {"cuda-device", "device memory, and kernels one by one on a stream", device,
     "nothing crosses the link within a device", false},
    {"cuda-peer-copy", "from GPU to GPU, copied by the copy engines", between_gpus, only_between_gpus, false},
    {"cuda-peer-load", "from GPU to GPU, by a kernel that loads from the memory of the other GPU", between_gpus,
     only_between_gpus, false},
    {"cuda-peer-store", "from GPU to GPU, by a kernel that stores into the memory of the other GPU", between_gpus,
     only_between_gpus, false},
    {"cuda-pool", "blocks from a memory pool that keeps what it is given back, in stream order", pool,
     "the pool only allocates and frees", false},
    {"cuda-graph", "kernels recorded once and replayed", graph, "the graph only launches", false},
    {"cuda-event", "the host waits for an event instead of the stream", event, "an event only synchronises", false},
};

std::string refused_share(double wanted, double share) {
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (wanted <= share * memory) return {};
  return core::format_bytes(wanted) +
         " of page-locked memory are more than pinned_share = " + core::format_number(share) + " of this host's " +
         core::format_bytes(memory);
}

std::optional<std::string> unsupported_reason(const VariantRow& row, const harness::Problem& problem) {
  const Problem p = problem_of(problem);
  if (std::find(row.does.begin(), row.does.end(), p.operation) == row.does.end()) return row.otherwise;
  if (row.page_locks) {
    const bool two = p.operation == Operation::duplex || p.operation == Operation::allocate;
    const std::int64_t blocks = std::max<std::int64_t>(two ? 2 : 1, p.kept_blocks() + (p.operation == Operation::free));
    const double wanted = static_cast<double>(blocks) * static_cast<double>(block_bytes(p.payload_bytes()));
    if (const std::string reason = refused_share(wanted, problem.get<double>("pinned_share")); !reason.empty())
      return reason;
  }
  return std::nullopt;
}

std::vector<harness::Variant> variants() {
  const auto on_host = [](std::string name, harness::Backend backend, std::string description, bool serial) {
    return harness::Variant{.name = std::move(name),
                            .backend = backend,
                            .role = harness::Role::plain,
                            .description = std::move(description),
                            .lineage = {},
                            .make = host_runs(serial),
                            .unavailable_reason = {},
                            .footprint = host_footprint,
                            .unsupported_reason = [](const harness::Problem& problem) -> std::optional<std::string> {
                              const Operation o = problem_of(problem).operation;
                              if (o == Operation::copy || o == Operation::first_touch) return std::nullopt;
                              return "the host only copies, and takes memory by touching it first";
                            }};
  };
  std::vector<harness::Variant> rows = {
      on_host("serial", harness::Backend::serial, "memcpy, and the first touch of new pages, by one core", true),
      on_host("openmp", harness::Backend::openmp, "memcpy, and the first touch of new pages, by all cores", false),
  };
  for (const VariantRow& row : variant_rows)
    rows.push_back(
        {.name = row.name,
         .backend = harness::Backend::cuda,
         .role = harness::Role::plain,
         .description = row.description,
         .lineage = {},
         .make = {},
         .unavailable_reason = {},
         .footprint = device_footprint,
         .unsupported_reason = [&row](const harness::Problem& problem) { return unsupported_reason(row, problem); }});
  return rows;
}

std::vector<harness::Size> sizes() {
  constexpr std::int64_t KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30;
  const std::vector<harness::Value> moves = {"upload", "download", "duplex",        "peer", "peer-duplex",
                                             "copy",   "allocate", "allocate-kept", "free", "first-touch"};
  return {
      {"test",
       "every operation that moves bytes, at three sizes",
       {},
       {{"operation", moves}, {"bytes", {1, 4 * KiB, MiB + 3}}}},
      {"headline", "copy of 128 MiB", {{"operation", "copy"}, {"bytes", 128 * MiB}}, {}},
      {"small", "4 KiB to 16 MiB", {}, {{"operation", moves}, {"bytes", {4 * KiB, 64 * KiB, MiB, 16 * MiB}}}},
      {"standard",
       "the curve from 64 B to 1 GiB",
       {},
       {{"operation", moves}, {"bytes", {64, 512, 4 * KiB, 32 * KiB, 256 * KiB, 2 * MiB, 16 * MiB, 128 * MiB, GiB}}}},
      {"blocks",
       "64-byte blocks that are kept, up to 10,000, and freed",
       {{"bytes", 64}},
       {{"operation", {"allocate-kept", "free"}}, {"repeats", {1, 16, 128, 1024, 10000}}}},
      {"large", "8 GiB", {{"bytes", 8 * GiB}}, {{"operation", moves}}},
      {"latency",
       "launches and synchronisations, single and a hundred in a row",
       {},
       {{"operation", {"launch", "synchronise"}}, {"repeats", {1, 100}}}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::choice("operation", "upload", "what is done",
                      {"upload", "download", "duplex", "peer", "peer-duplex", "copy", "allocate", "allocate-kept",
                       "free", "first-touch", "launch", "synchronise"}),
      harness::integer("bytes", 1 << 26, "length of each block, in bytes", {1, 0x1p42}),
      harness::integer("repeats", 1, "operations in a row that one execute does", {.minimum = 1, .maximum = 10000}),
      harness::real("pinned_share", 0.25, "largest share of the host's memory that may be page-locked",
                    {.minimum = 0, .maximum = 1}),
  };
}

harness::Footprint inputs_footprint(const harness::Problem&) { return harness::Footprint{}; }

}  // namespace

harness::Application application() {
  return {.name = "transfer",
          .title = "Transfers and latencies",
          .summary = "What allocation, copies, launches and synchronisation cost, against size.",
          .source =
              "Richardson, dissertation, Edinburgh 2009, app. A; Khajeh-Saeed, dissertation, UMass Amherst 2012, ch. "
              "2.2, 7.2",
          .update = "operation",
          .parameters = parameters(),
          .sizes = sizes(),
          .variants = variants(),
          .footprint = inputs_footprint,
          .work = work,
          .prepare = [](const harness::Problem& problem) -> std::shared_ptr<const harness::Workload> {
            auto prepared = std::make_shared<TransferCase>();
            prepared->problem = problem_of(problem);
            return prepared;
          }};
}

}  // namespace speedwell::transfer

// uts for the harness: parameters, sizes, work, and the table of variants.
#include "speedwell/apps/uts/adapter.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/uts/adapter_workload.hpp"
#include "speedwell/apps/uts/hashing.hpp"
#include "speedwell/apps/uts/ladder.hpp"
#include "speedwell/apps/uts/uts.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::uts {
namespace {

using harness::Backend;
using harness::Role;

constexpr const char* named = "named";
constexpr double of_named = -1;  // of a number: what the named tree has

Kind kind_of(const std::string& word) {
  for (const Kind kind : {Kind::binomial, Kind::geometric, Kind::hybrid, Kind::balanced})
    if (word == to_string(kind)) return kind;
  return Kind::uniform;
}
Shape shape_of(const std::string& word) {
  for (const Shape shape : {Shape::linear, Shape::expdec, Shape::cyclic})
    if (word == to_string(shape)) return shape;
  return Shape::fixed;
}

/// The named tree, with what the user changes of it.
Tree tree_of(const harness::Problem& p) {
  const std::string& name = p.get<std::string>("tree");
  Tree tree = name == "default" ? Tree{} : published(name)->tree;
  if (p.get<std::string>("kind") != named) tree.kind = kind_of(p.get<std::string>("kind"));
  if (p.get<std::string>("shape") != named) tree.shape = shape_of(p.get<std::string>("shape"));
  if (p.get<double>("b0") != of_named) tree.b0 = p.get<double>("b0");
  if (p.get<double>("q") != of_named) tree.q = p.get<double>("q");
  if (p.get<double>("shift") != of_named) tree.shift = p.get<double>("shift");
  if (p.get<std::int64_t>("m") != -1) tree.m = static_cast<int>(p.get<std::int64_t>("m"));
  if (p.get<std::int64_t>("depth") != -1) tree.depth = static_cast<int>(p.get<std::int64_t>("depth"));
  if (p.get<std::int64_t>("root_seed") != -1) tree.seed = static_cast<std::uint32_t>(p.get<std::int64_t>("root_seed"));
  require_valid(tree);
  return tree;
}

// Logic operations of SHA-1's compression of a child's message, where any function of three words counts as one: two
// rotations and a function per round, except for five of these whose operands are constants of the initial state; and
// for each of the 64 words of the schedule a rotation and the exclusive ors of its words that are not 0, 177 in all.
// Additions do not count on a GPU, which executes them in the multiply-add units, which are idle otherwise: README.md,
// section Limits.
constexpr double logic_of_node = 80 * 3 - 5 + 177;
// Additions, which count on a CPU: four per round (of w, the constant, the function and the rotation to e), and five at
// the end.
constexpr double sums_of_node = 80 * 4 + 5;

harness::Work work_of_nodes(double nodes, double operations_of_node) {
  return {.operations = operations_of_node * nodes, .arithmetic = harness::Arithmetic::int32, .updates = nodes};
}
/// The published number of nodes, or its expected value for other trees.
double nodes_of(const harness::Problem& p) {
  const Tree tree = tree_of(p);
  if (const auto known = published(tree)) return static_cast<double>(known->counts.nodes);
  ChildRule rule(tree);
  if (rule.unbounded()) rule.extend(4096);
  return rule.expected_nodes().front();
}
harness::Work work(const harness::Problem& p) { return work_of_nodes(nodes_of(p), logic_of_node); }
double nodes_of(const harness::Workload& prepared) {
  return static_cast<double>(static_cast<const UtsWorkload&>(prepared).expected().nodes);
}
/// `source`: a problem or its workload.
template <class Source>
harness::Work host_work(const Source& source) {
  harness::Work all = work_of_nodes(nodes_of(source), logic_of_node + sums_of_node);
  if (hashers().front().name.find("sha") != std::string_view::npos)
    all.no_limit = "the rate of the SHA instructions is not measured";
  return all;
}

enum class HostMethod { serial, threads };

class HostSearch {
 public:
  HostSearch(const UtsWorkload& workload, const harness::Context& context, HostMethod method)
      : workload_(workload), threads_(context.threads), method_(method) {}

  void execute(UtsWorkload::Answer& answer) {
    progress_ = 0;
    const Tree& tree = workload_.tree();
    answer = answer_of(method_ == HostMethod::serial ? search_serially(tree, &progress_)
                                                     : search_in_threads(tree, threads_, &progress_));
  }
  std::optional<double> updates_so_far() const { return static_cast<double>(progress_.load()); }
  harness::Choices choices() const { return {{"hash", std::string(hashers().front().name)}}; }

 private:
  const UtsWorkload& workload_;
  int threads_;
  HostMethod method_;
  ProgressCounter progress_{0};
};

harness::Variant host_row(std::string name, Backend backend, HostMethod method, std::string description) {
  return {.name = std::move(name),
          .backend = backend,
          .description = std::move(description),
          .make = harness::host_solver<UtsWorkload, HostSearch>(method),
          .work = host_work<harness::Problem>,
          .work_of = host_work<harness::Workload>};
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows;
  rows.push_back(host_row("serial", Backend::serial, HostMethod::serial,
                          "depth first, 64 children hashed at once in SIMD lanes or by the SHA instructions"));
  rows.push_back(
      host_row("openmp", Backend::openmp, HostMethod::threads,
               "a stack per thread; idle threads receive every other one of the oldest nodes of another thread"));
  rows.push_back(
      {.name = "mpi",
       .backend = Backend::mpi,
       .description = "a stack per rank; idle ranks request nodes from others, and a token detects termination",
       .work = host_work<harness::Problem>,
       .work_of = host_work<harness::Workload>});
  for (const Step& step : steps) rows.push_back(harness::ladder_variant(step));
  rows.push_back(
      {.name = "multi",
       .backend = Backend::multi,
       .role = Role::best,
       .description = "as cuda on each GPU; one without nodes interrupts the others, and the open nodes are dealt anew",
       .unsupported_ranks_reason = [](const harness::Problem&, int ranks) -> std::optional<std::string> {
         if (ranks <= max_gpus) return std::nullopt;
         return "it runs on " + std::to_string(max_gpus) + " GPUs at most";
       }});
  harness::set_algorithm(rows, "breadth first", {"cuda-levels"});
  return rows;
}

std::vector<harness::Size> sizes() {
  std::vector<harness::Value> depths;
  for (std::int64_t d = 2; d <= 11; ++d) depths.emplace_back(d);
  const harness::Setting geometric = {"tree", "T1"};
  return {
      {"test",
       "the dissertation's trees: 1.2 10^5 and 1.1 10^6 nodes",
       {},
       {{"tree", {"dissertation-geometric", "dissertation-binary"}}}},
      {"headline", "T1, 4 10^6 nodes", {{"tree", "T1"}}, {}},
      {"small", "T1 to T5: 4 10^6 nodes each", {}, {{"tree", {"T1", "T2", "T3", "T4", "T5"}}}},
      {"standard", "T1L, T2L and T3L: 10^8 nodes each", {}, {{"tree", {"T1L", "T2L", "T3L"}}}},
      {"large", "T1XL, T1XXL and T3XXL: 1.6 to 4.2 10^9 nodes", {}, {{"tree", {"T1XL", "T1XXL", "T3XXL"}}}},
      {"huge", "T2XXL: 1.1 10^10 nodes, 216370 deep", {{"tree", "T2XXL"}}, {}},
      {"curve", "T1 ended at depths 2 to 11: 10 to 2 10^7 nodes", {geometric}, {{"depth", depths}}},
      {"crossover", "T1 ended at depths 2 to 11: 10 to 2 10^7 nodes", {geometric}, {{"depth", depths}}},
  };
}

std::vector<harness::Parameter> parameters() {
  std::vector<std::string> names = {"default"};
  for (const Published& p : published()) names.emplace_back(p.name);
  return {
      harness::choice("tree", "T1", "a published tree, or the benchmark's default one; what follows changes it", names),
      harness::hidden(harness::choice("kind", named,
                                      "distribution of the number of children; named: that of the named tree",
                                      {named, "binomial", "geometric", "hybrid", "balanced", "uniform"})),
      harness::hidden(harness::choice("shape", named, "how a geometric tree's mean depends on the depth",
                                      {named, "linear", "expdec", "cyclic", "fixed"})),
      harness::hidden(harness::real("b0", of_named, "children of the root, or their mean; -1: as the named tree",
                                    {.minimum = of_named})),
      harness::hidden(harness::integer("depth", -1,
                                       "depth of geometric, balanced and uniform trees; -1: as the named tree",
                                       {.minimum = -1, .maximum = 1 << 16})),
      harness::hidden(harness::real("q", of_named, "probability of children in a binomial tree; -1: as the named tree",
                                    {of_named, 1})),
      harness::hidden(harness::integer("m", -1, "how many children these are; -1: as the named tree",
                                       {.minimum = -1, .maximum = ChildRule::max_graded})),
      harness::hidden(harness::real("shift", of_named,
                                    "part of the depth after which a hybrid tree is binomial; -1: as the named tree",
                                    {of_named, 1})),
      harness::hidden(harness::integer("root_seed", -1, "the benchmark's seed of the root; -1: as the named tree",
                                       {.minimum = -1, .maximum = 4294967295.0})),
  };
}

harness::Footprint inputs_footprint(const harness::Problem& p) {
  tree_of(p);
  return harness::Footprint{};
}

}  // namespace

harness::Application application() {
  return {.name = "uts",
          .title = "Unbalanced tree search",
          .summary =
              "Counts the nodes, leaves and levels of an implicit tree whose nodes are SHA-1 digests, each of which "
              "determines the number of its children: work that cannot be divided in advance.",
          .source = "dissertation 2012, section 3.2; Unbalanced Tree Search, LCPC 2006",
          .update = "node",
          .rate_name = "Gnodes/s",
          .bandwidth_rate = false,
          .parameters = parameters(),
          .sizes = sizes(),
          .variants = variants(),
          .footprint = inputs_footprint,
          .work = work,
          .work_of = [](const harness::Workload& prepared) { return work_of_nodes(nodes_of(prepared), logic_of_node); },
          .prepare = harness::make_workload<UtsWorkload>(tree_of)};
}

}  // namespace speedwell::uts

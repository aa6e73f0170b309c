// Trees of the Unbalanced Tree Search benchmark: their parameters, the published ones, and the rule for the number of
// children. A tree is not stored: a node is a SHA-1 digest (sha1.hpp) and a depth, which determine its children.
// Source: Olivier et al., LCPC 2006, and the samples of the authors' distribution.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace speedwell::uts {

enum class Kind {
  binomial,   // the root has floor(b0) children, another node m with probability q, else none
  geometric,  // geometrically distributed, with a mean that depends on the depth by the shape
  hybrid,     // geometric above depth shift * depth, binomial below
  balanced,   // floor(b0) children above `depth`
  uniform,    // the 2012 dissertation's: the root 4, nodes above `depth` 1 to 4 alike, none there
};
enum class Shape {
  linear,  // b0 (1 - i / depth)
  expdec,  // b0 i^(-ln b0 / ln depth)
  cyclic,  // b0^sin(2 pi i / depth), none below 5 depth
  fixed,   // b0 above `depth`
};
std::string_view to_string(Kind kind);
std::string_view to_string(Shape shape);

/// Parameters of a tree: the benchmark's options -t -a -b -d -q -m -f -r with their defaults.
struct Tree {
  Kind kind = Kind::geometric;
  Shape shape = Shape::linear;
  double b0 = 4;
  int depth = 6;
  double q = 15.0 / 64;
  int m = 4;
  double shift = 0.5;
  std::uint32_t seed = 0;
  bool operator==(const Tree&) const = default;
};

/// Result of a search. `depth` is the largest depth of a node; that of the root is 0.
struct Counts {
  std::uint64_t nodes = 0, leaves = 0, depth = 0;
  bool operator==(const Counts&) const = default;
};

/// A tree whose counts are known: those of the benchmark's distribution, and two like the dissertation's.
struct Published {
  std::string_view name;
  Tree tree;
  Counts counts;
};
std::span<const Published> published();
/// By name, or by everything that the kind of the tree depends on.
std::optional<Published> published(std::string_view name);
std::optional<Published> published(const Tree& tree);

/// Throws std::invalid_argument, naming the value and what is allowed. A tree that need not end (a binomial part with
/// q m of 1 or more, exponential decay from b0 below 1) is refused unless it is published: T3L has q m = 1.00007 and
/// ends all the same.
void require_valid(const Tree& tree);

/// The number of children of a node, found by comparing its 31-bit value with integer thresholds. The logarithms of the
/// formulas are evaluated in the constructor alone, so that every machine obtains the same counts.
class ChildRule {
 public:
  static constexpr int max_graded = 100;             // largest number of children of a geometric distribution
  static constexpr std::uint32_t values = 1u << 31;  // values of nodes are below

  /// The rule of one depth. A node has children if first <= value < first + width: `max_children` of them if `begin` is
  /// -1, otherwise one, and one more for each of the max_children - 1 thresholds from graded()[begin] that the value
  /// reaches.
  struct Row {
    std::uint32_t first = 0, width = 0;
    std::int32_t max_children = 0, begin = -1;
  };

  /// Throws as require_valid().
  explicit ChildRule(const Tree& tree);

  /// For 0 <= value < 2^31.
  int children(std::int64_t depth, std::uint32_t value) const {
    const auto at = static_cast<std::size_t>(depth);
    return at < rows_.size() ? children(rows_[at], value) : children_below_rows(depth, value);
  }
  /// One row per depth from 0. Deeper nodes follow the last row, unless the rule is unbounded(): extend() adds their
  /// rows.
  std::span<const Row> rows() const { return rows_; }
  std::span<const std::uint32_t> graded() const { return graded_; }
  bool unbounded() const;
  /// Expected number of nodes in the subtree of a node at each depth of rows(), the node included; may be infinite.
  /// unbounded() trees are taken to end below the last row.
  std::vector<double> expected_nodes() const;
  /// Makes rows for at least `depths` depths. Not thread-safe.
  void extend(std::size_t depths);

 private:
  int children(const Row& row, std::uint32_t value) const {
    if (value - row.first >= row.width) return 0;
    if (row.begin < 0) return row.max_children;
    const std::uint32_t* const thresholds = graded_.data() + row.begin;
    int low = 0, high = row.max_children - 1;  // thresholds[low - 1] <= value < thresholds[high]
    while (low < high) {
      const int middle = (low + high) / 2;
      if (thresholds[middle] <= value)
        low = middle + 1;
      else
        high = middle;
    }
    return 1 + low;
  }
  int children_below_rows(std::int64_t depth, std::uint32_t value) const;
  Row geometric_row(double mean);
  Row row_of(std::int64_t depth);

  Tree tree_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> graded_;
  std::vector<std::pair<double, Row>> made_;  // geometric rows by mean: few differ
};

}  // namespace speedwell::uts

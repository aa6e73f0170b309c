// Trees of the Unbalanced Tree Search benchmark: what a tree is, the published ones, and how many children a node has.
// A tree is not stored: a node is a SHA-1 digest (sha1.hpp) and a depth, and its children follow from these.
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

/// What the benchmark's options -t -a -b -d -q -m -f -r set, with its defaults.
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

/// The largest depth of a node, with the root at 0.
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

/// How many children a node has, decided by comparing its 31-bit value with integers: the formulas' logarithms are
/// evaluated here alone, so that every machine counts alike.
class ChildRule {
 public:
  static constexpr int most_graded = 100;            // children by a geometric distribution
  static constexpr std::uint32_t values = 1u << 31;  // a node's value is below

  /// Of the nodes at a depth: children where first <= value < first + width, none elsewhere. There, `most` of them
  /// where `begin` is -1, or else one, and one more for each of the most - 1 integers at graded()[begin] that the value
  /// reaches.
  struct Row {
    std::uint32_t first = 0, width = 0;
    std::int32_t most = 0, begin = -1;
  };

  /// Throws as require_valid().
  explicit ChildRule(const Tree& tree);

  /// For 0 <= value < 2^31.
  int children(std::int64_t depth, std::uint32_t value) const {
    const auto at = static_cast<std::size_t>(depth);
    return at < rows_.size() ? children(rows_[at], value) : children_below_rows(depth, value);
  }
  /// One for each depth from 0; what is deeper has the last one's, unless it is `unbounded()`: then it has a row of its
  /// own, which extend() makes.
  std::span<const Row> rows() const { return rows_; }
  std::span<const std::uint32_t> graded() const { return graded_; }
  bool unbounded() const;
  /// Nodes to be expected in the subtree of a node at each depth of rows(), with itself; perhaps infinite. Of
  /// unbounded() trees as if they ended below the rows.
  std::vector<double> expected_nodes() const;
  /// Rows for so many depths at least. Not while another thread asks.
  void extend(std::size_t depths);

 private:
  int children(const Row& row, std::uint32_t value) const {
    if (value - row.first >= row.width) return 0;
    if (row.begin < 0) return row.most;
    const std::uint32_t* const least = graded_.data() + row.begin;
    int low = 0, high = row.most - 1;  // least[low - 1] <= value < least[high]
    while (low < high) {
      const int middle = (low + high) / 2;
      if (least[middle] <= value)
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

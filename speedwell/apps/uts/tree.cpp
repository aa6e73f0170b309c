#include "speedwell/apps/uts/tree.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>

namespace speedwell::uts {
namespace {

constexpr int max_depth = 1 << 16;
constexpr double pi = 3.141592653589793;  // the benchmark's

constexpr Tree binomial(double b0, double q, int m, std::uint32_t seed) {
  return {.kind = Kind::binomial, .b0 = b0, .q = q, .m = m, .seed = seed};
}
constexpr Tree geometric(Shape shape, int depth, double b0, std::uint32_t seed) {
  return {.kind = Kind::geometric, .shape = shape, .b0 = b0, .depth = depth, .seed = seed};
}

constexpr Published all_published[] = {
    {"T1", geometric(Shape::fixed, 10, 4, 19), {4130071, 3305118, 10}},
    {"T5", geometric(Shape::linear, 20, 4, 34), {4147582, 2181318, 20}},
    {"T2", geometric(Shape::cyclic, 16, 6, 502), {4117769, 2342762, 81}},
    {"T3", binomial(2000, 0.124875, 8, 42), {4112897, 3599034, 1572}},
    {"T4",
     {.kind = Kind::hybrid, .shape = Shape::linear, .b0 = 6, .depth = 16, .q = 0.234375, .m = 4, .seed = 1},
     {4132453, 3108986, 134}},
    {"T1L", geometric(Shape::fixed, 13, 4, 29), {102181082, 81746377, 13}},
    {"T2L", geometric(Shape::cyclic, 23, 7, 220), {96793510, 53791152, 67}},
    {"T3L", binomial(2000, 0.200014, 5, 7), {111345631, 89076904, 17844}},
    {"T1XL", geometric(Shape::fixed, 15, 4, 29), {1635119272, 1308100063, 15}},
    {"T1XXL", geometric(Shape::fixed, 15, 4, 19), {4230646601, 3384495738, 15}},
    {"T3XXL", binomial(2000, 0.499995, 2, 316), {2793220501, 1396611250, 99049}},
    {"T2XXL", binomial(2000, 0.499999995, 2, 0), {10612052303, 5306027151, 216370}},
    {"T1WL", geometric(Shape::fixed, 18, 4, 19), {270751679750, 216601257283, 18}},
    {"T2WL", binomial(2000, 0.4999999995, 2, 559), {295393891003, 147696946501, 1021239}},
    {"T3WL", binomial(2000, 0.4999995, 2, 559), {157063495159, 78531748579, 758577}},
    {"dissertation-binary", binomial(5000, 0.12443, 8, 337), {1131849, 990992, 651}},
    {"dissertation-geometric", {.kind = Kind::uniform, .depth = 12, .seed = 0}, {120506, 72225, 12}},
};

/// What the kind does not depend on, at its default.
Tree canonical(const Tree& tree) {
  Tree t;
  t.kind = tree.kind;
  t.seed = tree.seed;
  if (t.kind != Kind::uniform) t.b0 = tree.b0;
  if (t.kind != Kind::binomial) t.depth = tree.depth;
  if (t.kind == Kind::geometric || t.kind == Kind::hybrid) t.shape = tree.shape;
  if (t.kind == Kind::binomial || t.kind == Kind::hybrid) {
    t.q = tree.q;
    t.m = tree.m;
  }
  if (t.kind == Kind::hybrid) t.shift = tree.shift;
  return t;
}

void require(bool holds, const char* name, double value, const char* allowed) {
  if (holds) return;
  char number[32];
  std::snprintf(number, sizeof number, "%.10g", value);
  throw std::invalid_argument(std::string("uts: ") + name + " is " + number + "; allowed: " + allowed);
}

/// The mean number of children at a depth, of the geometric rule.
double branching(const Tree& t, std::int64_t depth) {
  if (depth == 0) return t.b0;
  const auto i = static_cast<double>(depth), d = static_cast<double>(t.depth);
  switch (t.shape) {
    case Shape::linear:
      return depth < t.depth ? t.b0 * (1 - i / d) : 0;
    case Shape::expdec:
      return t.b0 * std::pow(i, -std::log(t.b0) / std::log(d));
    case Shape::cyclic:
      return depth > 5 * static_cast<std::int64_t>(t.depth) ? 0 : std::pow(t.b0, std::sin(2 * pi * i / d));
    case Shape::fixed:
      return depth < t.depth ? t.b0 : 0;
  }
  return 0;
}

/// The formula, whole.
int geometric_children(double mean, std::uint32_t value) {
  const double p = 1 / (1 + mean), u = static_cast<double>(value) / 2147483648.0;
  const double children = std::floor(std::log(1 - u) / std::log(1 - p));
  return children < ChildRule::max_graded ? static_cast<int>(children) : ChildRule::max_graded;
}

/// The least value from `low` for which `holds`, which then holds for all above it; 2^31 where there is none.
template <class Holds>
std::uint32_t min_value(std::uint32_t low, const Holds& holds) {
  std::uint32_t high = ChildRule::values;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// How many values are those of a node with m children.
std::uint32_t binomial_width(const Tree& t) {
  return min_value(0, [&](std::uint32_t value) { return static_cast<double>(value) / 2147483648.0 >= t.q; });
}

ChildRule::Row constant_row(double children) { return {0, ChildRule::values, static_cast<std::int32_t>(children), -1}; }

bool is_geometric(const Tree& t, std::int64_t depth) {
  return t.kind == Kind::geometric || (t.kind == Kind::hybrid && static_cast<double>(depth) < t.shift * t.depth) ||
         (t.kind == Kind::hybrid && depth == 0);
}

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::string_view names[] = {"binomial", "geometric", "hybrid", "balanced", "uniform"};
  return names[static_cast<int>(kind)];
}
std::string_view to_string(Shape shape) {
  constexpr std::string_view names[] = {"linear", "expdec", "cyclic", "fixed"};
  return names[static_cast<int>(shape)];
}

std::span<const Published> published() { return all_published; }

std::optional<Published> published(std::string_view name) {
  for (const Published& p : all_published)
    if (p.name == name) return p;
  return std::nullopt;
}

std::optional<Published> published(const Tree& tree) {
  for (const Published& p : all_published)
    if (canonical(p.tree) == canonical(tree)) return p;
  return std::nullopt;
}

void require_valid(const Tree& t) {
  if (published(t)) return;
  const bool shaped = t.kind == Kind::geometric || t.kind == Kind::hybrid;
  const bool branches = t.kind == Kind::binomial || t.kind == Kind::hybrid;
  if (t.kind != Kind::binomial) require(t.depth >= 1 && t.depth <= max_depth, "depth", t.depth, "1 to 65536");
  if (shaped) {
    if (t.shape == Shape::expdec) {
      require(t.b0 >= 1 && t.b0 <= 1e6, "b0", t.b0, "1 to 10^6 (exponential decay from less than 1 is growth)");
      require(t.depth >= 2, "depth", t.depth, "2 and above (exponential decay)");
    } else if (t.shape == Shape::cyclic) {
      require(t.b0 >= 1e-6 && t.b0 <= 1e6, "b0", t.b0, "10^-6 to 10^6 (cyclic)");
    } else {
      require(t.b0 >= 0 && t.b0 <= 1e6, "b0", t.b0, "0 to 10^6");
    }
  } else if (t.kind != Kind::uniform) {
    require(t.b0 >= 0 && t.b0 < 2147483648.0, "b0", t.b0, "0 to below 2^31");
  }
  if (t.kind == Kind::hybrid) require(t.shift >= 0 && t.shift <= 1, "shift", t.shift, "0 to 1");
  if (branches) {
    require(t.q >= 0 && t.q <= 1, "q", t.q, "0 to 1");
    require(t.m >= 0 && t.m <= ChildRule::max_graded, "m", t.m, "0 to 100");
    const double growth = static_cast<double>(binomial_width(t)) / 2147483648.0 * t.m;
    require(growth < 1, "q m", growth, "below 1: the tree would not end");
  }
  if (t.kind == Kind::balanced) {
    double nodes = 1, level = 1;
    for (int i = 0; i < t.depth && nodes < 0x1p63; ++i) nodes += level *= std::floor(t.b0);
    require(nodes < 0x1p63, "the number of nodes", nodes, "below 2^63");
  }
}

ChildRule::ChildRule(const Tree& tree) : tree_(tree) {
  require_valid(tree);
  std::size_t depths = 2;
  switch (tree.kind) {
    case Kind::binomial:
      break;
    case Kind::geometric:
      depths = static_cast<std::size_t>(tree.depth) * (tree.shape == Shape::cyclic ? 5 : 1) + 2;
      break;
    case Kind::hybrid:
    case Kind::balanced:
    case Kind::uniform:
      depths = static_cast<std::size_t>(tree.depth) + 2;
  }
  extend(depths);
}

bool ChildRule::unbounded() const { return tree_.kind == Kind::geometric && tree_.shape == Shape::expdec; }

void ChildRule::extend(std::size_t depths) {
  while (rows_.size() < depths) rows_.push_back(row_of(static_cast<std::int64_t>(rows_.size())));
}

std::vector<double> ChildRule::expected_nodes() const {
  const auto mean_children = [this](const Row& row) {
    if (row.begin < 0) return static_cast<double>(row.max_children) * row.width / values;
    double sum = row.width;
    for (int i = 0; i < row.max_children - 1; ++i) sum += values - graded_[static_cast<std::size_t>(row.begin + i)];
    return sum / values;
  };
  std::vector<double> below(rows_.size());
  const double last = mean_children(rows_.back());
  double deeper = unbounded() ? 0 : last < 1 ? 1 / (1 - last) : std::numeric_limits<double>::infinity();
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const double mean = mean_children(rows_[i]);
    below[i] = deeper = mean == 0 ? 1 : 1 + mean * deeper;
  }
  return below;
}

int ChildRule::children_below_rows(std::int64_t depth, std::uint32_t value) const {
  return unbounded() ? geometric_children(branching(tree_, depth), value) : children(rows_.back(), value);
}

ChildRule::Row ChildRule::row_of(std::int64_t depth) {
  const Tree& t = tree_;
  if (is_geometric(t, depth)) return geometric_row(branching(t, depth));
  switch (t.kind) {
    case Kind::balanced:
      return depth < t.depth ? constant_row(std::floor(t.b0)) : Row{};
    case Kind::uniform:
      if (depth == 0) return constant_row(4);
      if (depth >= t.depth) return {};
      graded_.insert(graded_.end(), {1u << 29, 2u << 29, 3u << 29});
      return {0, values, 4, static_cast<std::int32_t>(graded_.size()) - 3};
    default:
      if (t.kind == Kind::binomial && depth == 0) return constant_row(std::floor(t.b0));
      return {0, binomial_width(t), t.m, -1};
  }
}

ChildRule::Row ChildRule::geometric_row(double mean) {
  for (const auto& [known, row] : made_)
    if (known == mean) return row;
  Row row;
  std::uint32_t least = 0;
  for (int n = 1; n <= max_graded; ++n) {
    least = min_value(least, [&](std::uint32_t value) { return geometric_children(mean, value) >= n; });
    if (least == values) break;
    if (n == 1) {
      row = {least, values - least, 1, static_cast<std::int32_t>(graded_.size())};
    } else {
      graded_.push_back(least);
      row.max_children = n;
    }
  }
  made_.emplace_back(mean, row);
  return row;
}

}  // namespace speedwell::uts

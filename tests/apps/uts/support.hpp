// Trees of all kinds for the tests, small enough for the reference.
#pragma once

#include <cstdint>
#include <ostream>
#include <random>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts {

inline std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.nodes << " nodes, " << c.leaves << " leaves, depth " << c.depth;
}
inline std::ostream& operator<<(std::ostream& out, const Tree& t) {
  return out << to_string(t.kind) << " " << to_string(t.shape) << " b0=" << t.b0 << " depth=" << t.depth << " q=" << t.q
             << " m=" << t.m << " shift=" << t.shift << " seed=" << t.seed;
}

/// A tree of any kind, of which at most about so many nodes are to be expected.
inline Tree random_tree(std::mt19937& random, double max_nodes) {
  const auto below = [&](double least, double end) {
    return std::uniform_real_distribution<double>(least, end)(random);
  };
  const auto any = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  while (true) {
    Tree t;
    t.kind = static_cast<Kind>(any(0, 4));
    t.shape = static_cast<Shape>(any(0, 3));
    t.depth = any(2, 24);
    t.b0 = t.kind == Kind::binomial ? any(0, 3000) : below(1, 8);
    t.m = any(1, 12);
    t.q = below(0, 1.0 / t.m);
    t.shift = below(0, 1);
    t.seed = static_cast<std::uint32_t>(random());
    try {
      require_valid(t);
    } catch (const std::invalid_argument&) {
      continue;
    }
    if (ChildRule(t).expected_nodes().front() <= max_nodes) return t;
  }
}

/// One of each kind and shape, of 1 to 10^5 nodes.
inline std::vector<Tree> small_trees() {
  std::vector<Tree> trees;
  for (const Shape shape : {Shape::linear, Shape::expdec, Shape::cyclic, Shape::fixed})
    for (const std::uint32_t seed : {0u, 7u}) {
      trees.push_back({.kind = Kind::geometric, .shape = shape, .b0 = 3, .depth = 7, .seed = seed});
      trees.push_back({.kind = Kind::hybrid, .shape = shape, .b0 = 3, .depth = 8, .q = 0.2, .m = 4, .seed = seed});
    }
  trees.push_back({.kind = Kind::binomial, .b0 = 0.5});
  trees.push_back({.kind = Kind::binomial, .b0 = 1, .q = 0, .m = 3});
  trees.push_back({.kind = Kind::binomial, .b0 = 5000, .q = 0.1, .m = 8, .seed = 4294967295u});
  trees.push_back({.kind = Kind::binomial, .b0 = 3, .q = 0.999, .m = 1, .seed = 5});
  trees.push_back({.kind = Kind::balanced, .b0 = 3.9, .depth = 8});
  trees.push_back({.kind = Kind::balanced, .b0 = 20000, .depth = 1});
  trees.push_back({.kind = Kind::balanced, .b0 = 1, .depth = 5000});
  trees.push_back({.kind = Kind::uniform, .depth = 9, .seed = 3});
  return trees;
}

}  // namespace speedwell::uts

// What the study of 2009 left on the host: sites with a halo around them, z fastest, 38 numbers side by side each.
#pragma once

#include <vector>

#include "speedwell/apps/binary_fluid/problem.hpp"

namespace speedwell::binary_fluid {

template <class S>
class StudyHost {
 public:
  StudyHost(const Problem& problem, int threads);

  void set(const State& state);
  void get(State& state) const;
  /// phi, its gradient and its Laplacian, from g.
  void differentiate();
  /// The halo, and what every site sends.
  void propagate();
  /// Populations of the sites without their halo, one after the other, x fastest, rows `pitch` apart; and back.
  void to_slots(std::vector<S>& slots, std::int64_t pitch) const;
  void from_slots(const std::vector<S>& slots, std::int64_t pitch);
  void differences_to_slots(std::vector<S>& slots, std::int64_t pitch) const;

  std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const Extents& e = extents_;
    return static_cast<std::size_t>(((i + 1) * (e.ny + 2) + j + 1) * (e.nz + 2) + k + 1);
  }
  std::size_t sites_with_halo() const {
    const Extents& e = extents_;
    return static_cast<std::size_t>((e.nx + 2) * (e.ny + 2) * (e.nz + 2));
  }

  std::vector<S> sites;        // 38 each: f, then g
  std::vector<S> differences;  // 4 each: the gradient of phi and its Laplacian
  std::vector<S> velocity;     // 3 each

 private:
  template <class Body>
  void each(const Body& body) const;
  /// Fills the halo of `width` numbers a site from the other side of the box.
  void exchange(std::vector<S>& values, std::size_t width) const;

  Extents extents_;
  Stencil stencil_;
  int threads_;
  std::vector<S> phi_, next_;
};

}  // namespace speedwell::binary_fluid

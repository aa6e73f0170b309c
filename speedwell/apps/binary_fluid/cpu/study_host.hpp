// The part of the study of 2009 that stays on the host: sites with a halo, z fastest, the 38 numbers of a site
// adjacent.
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
  /// Computes phi, its gradient and its Laplacian from g.
  void differentiate();
  /// Fills the halo and propagates.
  void propagate();
  /// Copies the populations of the sites without their halo to a structure of arrays, x fastest, rows `pitch` apart;
  /// and back.
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

  std::vector<S> sites;        // 38 per site: f, then g
  std::vector<S> differences;  // 4 per site: the gradient of phi and its Laplacian
  std::vector<S> velocity;     // 3 per site

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

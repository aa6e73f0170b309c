// What holds of the work of every application whose best algorithm is known.
#pragma once

#include <gtest/gtest.h>

#include "speedwell/harness/problems.hpp"

namespace speedwell::test {

/// No variant claims fewer bytes or operations than the best known algorithm, on any problem of any size.
inline void expect_no_variant_below_the_best(const harness::Application& app) {
  for (const harness::Size& size : app.sizes)
    for (const harness::Problem& p : harness::problems(app, size, {}, 1))
      for (const harness::Variant& variant : app.variants) {
        if (variant.unsupported_reason && variant.unsupported_reason(p)) continue;
        const harness::Work own = variant.work(p), best = app.work(p);
        EXPECT_GE(own.bytes_read + own.bytes_written, (best.bytes_read + best.bytes_written) * (1 - 1e-12))
            << variant.name << " " << harness::key_of(p);
        EXPECT_GE(own.operations, best.operations) << variant.name << " " << size.name;
      }
}

}  // namespace speedwell::test

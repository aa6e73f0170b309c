// Each line repeats what the application's README and verify.cpp derive, for an element of typical size. An amplitude
// of ten times as much has to be rejected: a verdict that accepts it admits more than it says.
#include "tests/campaign/stated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::campaign {
namespace {

double epsilon(const harness::Output& output) {
  return output.type == harness::ElementType::f32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                                  : std::numeric_limits<double>::epsilon();
}

bool has(const harness::Problem& problem, const char* key) {
  return std::any_of(problem.settings().begin(), problem.settings().end(),
                     [&](const harness::Setting& s) { return s.key == key; });
}

double stencil(const harness::Problem& p, const harness::Output& output, const core::Verdict& control) {
  const double eps = epsilon(output), rms = magnitude(output).root_mean_square;
  const std::string& kernel = p.get<std::string>("kernel");
  if (kernel == "sum") return control.tolerance * rms;  // relative to the sum
  if (kernel == "jacobi") return control.tolerance;     // absolute: of values of order 1; 0 where sums are exact
  return 16 * eps / 2 * 2 * rms;  // gamma_16 of the sum of magnitudes, which is twice the result's size in random data
}

double cg(const harness::Problem& p, const harness::Output& output) {
  // 16 k u ||A|| ||x|| of the residual after k iterations, or the tolerance that was asked for; of x as much of ||x||.
  const double asked = p.get<double>("tolerance");
  const double sums = 4 * (256 + static_cast<double>(output.count) * 0x1p-18) * 0x1p-53;  // in double
  const double drift = 16 * static_cast<double>(p.get<std::int64_t>("iterations")) * epsilon(output) / 2;
  return magnitude(output).root_mean_square * (asked > 0 ? asked : drift + sums);
}

double incompressible_flow(const harness::Problem& p, const harness::Output& output,
                           const std::vector<harness::Output>& all) {
  const double eps = epsilon(output), parts = 3 * static_cast<double>(p.get<std::int64_t>("steps"));
  const bool direct = p.get<std::string>("pressure") != "cg" && p.get<std::string>("flow") != "cubes",
             f64 = output.type == harness::ElementType::f64;
  const double part = p.get<std::string>("diffusion") == "explicit" ? 1.6 : 41.6;
  const double velocity = direct ? parts * part * eps : parts * (10 * eps + (f64 ? 1e-10 : 1e-5));
  const Magnitude own = magnitude(output);
  if (output.name != "p") {
    double squares = 0;  // relative to all three components together
    for (int c = 0; c < 3; ++c) {
      const double rms = magnitude(all[static_cast<std::size_t>(c)]).root_mean_square;
      squares += rms * rms;
    }
    return velocity * std::sqrt(squares);
  }
  const double n = static_cast<double>(*std::max_element(output.extents.begin(), output.extents.end()));
  // The terms that need no step in time: of transforms, and of systems of n rows.
  if (direct) return own.root_mean_square * (eps * (3 * std::log2(n + 1) + n) + n * std::sqrt(n) * eps);
  return own.root_mean_square * velocity * 4 * n;
}

double everywhere(const harness::Problem& p, const harness::Output& output, const std::vector<harness::Output>& all,
                  const core::Verdict& control) {
  if (is_integer(output.type)) return 0;
  const Magnitude size = magnitude(output);
  const double eps = epsilon(output), rms = size.root_mean_square;
  const std::string& app = p.application();
  // Compared bit by bit, or with the exact result rounded: a rounding is what there is.
  if (control.tolerance == 0) return eps * rms;
  if (app == "stream") return p.get<std::string>("kernel") == "dot" ? control.tolerance : control.tolerance * rms;
  if (app == "matvec") {
    // gamma of 128 roundings, or of as many as there are columns, of a row's sum of magnitudes: 1/4 for each column.
    const auto columns = static_cast<double>(p.get<std::int64_t>("columns"));
    return std::min(columns, 128.0) * eps / 2 * columns / 4;
  }
  if (app == "fft" || app == "npb") return control.tolerance * rms;  // in the norm, and of each sum
  if (app == "stencil") return stencil(p, output, control);
  if (app == "spmv") return 16 * eps / 2 * 2 * rms;  // a bound as that of a product of stencil
  if (app == "cg") return cg(p, output);
  if (app == "incompressible_flow") return incompressible_flow(p, output, all);
  if (app == "blast_wave") {
    // The bound of the error, in the norm of the state: two residuals per step, and rounding errors; times 10 for their
    // growth in the flow.
    const double norm = rms * std::sqrt(static_cast<double>(output.count));
    const double allowed = 10 * static_cast<double>(p.get<std::int64_t>("steps")) *
                           (2 * std::sqrt(p.get<double>("tolerance")) + 1e-14 * norm);
    return allowed / std::sqrt(static_cast<double>(output.count));
  }
  if (app == "block_matvec") return 35 * eps * 7 * rms;  // 35 products, whose magnitudes are some 7 times the sum
  if (app == "vector_calculus") {
    // At most 30 roundings of terms twice the result's size; the curl of a gradient is what they leave of eight terms.
    if (p.get<std::string>("operation") != "curl_grad") return 30 * eps / 2 * 2 * rms;
    const double h = std::min({p.get<double>("dx") * p.get<double>("dy"), p.get<double>("dy") * p.get<double>("dz"),
                               p.get<double>("dx") * p.get<double>("dz")});
    return 30 * eps / 2 * 8 / (4 * h);
  }
  if (app == "two_stream") {
    if (p.get<std::string>("kernel") == "coefficients") return control.tolerance;  // coefficients: absolute
    double largest = 0;
    for (const harness::Output& o : all) largest = std::max(largest, magnitude(o).largest);
    return control.tolerance * largest;  // of the column's largest flux
  }
  if (app == "binary_fluid") {
    double largest = 0;
    for (const harness::Output& o : all) largest = std::max(largest, magnitude(o).largest);
    const double unit =
        0x1p-53 * std::max(1.0 / 3, largest) + (p.get<std::string>("precision") != "f64" ? 0x1p-24 * largest : 0);
    return 40 * static_cast<double>(p.get<std::int64_t>("steps")) * unit;
  }
  throw std::logic_error(app + (has(p, "kernel") ? " kernel=" + p.get<std::string>("kernel") : std::string()) +
                         ": no stated tolerance for the output " + output.name);
}

}  // namespace

Stated stated_tolerance(const harness::Problem& problem, const harness::Output& output,
                        const std::vector<harness::Output>& all, const core::Verdict& control) {
  const double error = everywhere(problem, output, all, control);
  // The norm of the state is all that BiCGSTAB's tolerance bounds: one element may have all of it.
  const bool norm = problem.application() == "blast_wave";
  return {error, norm ? error * std::sqrt(static_cast<double>(output.count)) : error};
}

}  // namespace speedwell::campaign

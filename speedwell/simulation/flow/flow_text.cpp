#include "speedwell/simulation/flow/flow_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "speedwell/io/error.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// A number in a history; 0 for a field that is none. It does not depend on the locale of the program, unlike atof().
double value_of(const std::string& field) {
  double value = 0;
  std::from_chars(field.data(), field.data() + field.size(), value);
  return value;
}

std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.9g}", x) : std::string(); }

}  // namespace

std::string scales_header() {
  return "t,step,k,L11,taylor_length,kolmogorov_length,kappa_max_eta,spectrum_energy,file";
}

std::string scales_line(const flow::Moment& moment, const flow::Statistics& s, const flow::Spectrum& spectrum,
                        const flow::Problem& problem, const std::string& file) {
  double widest = 0;
  for (const auto& f : problem.faces) widest = std::max(widest, f[1] - f[0]);
  const double nu = problem.viscosity, eta = s.kolmogorov_length(nu);
  return fmt::format("{:.17g},{},{:.17g},{},{},{},{},{:.17g},{}", moment.time, moment.step, s.turbulent_energy,
                     number(spectrum.integral_length()), number(s.taylor_length(nu)), number(eta),
                     number(std::numbers::pi / widest * eta), spectrum.energy_in_all(), file);
}

std::string decay_text(const std::string& history, double from) {
  const std::vector<std::string> lines = split(history, '\n');
  const std::vector<std::string> names = split(lines.front(), ',');
  const auto column = [&](const char* name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw io::InputError("input.history.column", "history.csv", 1, 0, fmt::format("there is no column '{}'", name));
    return static_cast<std::size_t>(at - names.begin());
  };
  const std::size_t t_at = column("t"), k_at = column("k"), loss_at = column("dissipation");
  std::vector<double> t, k, loss;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const std::vector<std::string> values = split(lines[n], ',');
    if (values.size() <= std::max({t_at, k_at, loss_at})) continue;
    const double time = value_of(values[t_at]);
    if (time < from) continue;
    t.push_back(time);
    k.push_back(value_of(values[k_at]));
    loss.push_back(value_of(values[loss_at]));
  }
  const std::vector<double> exponents = flow::decay_exponents(t, k, loss);
  std::string text = "t,k,dissipation,n,n0\n";
  for (std::size_t i = 0; i < t.size(); ++i)
    text += fmt::format("{:.17g},{:.17g},{:.17g},{},{}\n", t[i], k[i], loss[i], number(exponents[i]),
                        number(loss[i] * t[i] / k[i]));
  return text;
}

}  // namespace speedwell::simulation

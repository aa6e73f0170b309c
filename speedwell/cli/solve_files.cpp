#include "speedwell/cli/solve_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <ostream>
#include <vector>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
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

std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.9g}", x) : std::string(); }

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw io::InputError("input.open", path, 0, 0, "cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void resume_from(const std::string& folder, const std::map<std::string, std::string>& settings,
                 const std::function<void(const io::Checkpoint&, const nlohmann::json&)>& read, std::ostream& err) {
  const auto all = io::checkpoints_in(folder);
  if (all.empty()) throw io::InputError("input.checkpoint.none", folder, 0, 0, "there is no checkpoint to go on from");
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto details = nlohmann::json::parse(all[n].details());
    const auto made_with = details.value("settings", nlohmann::json::object());
    for (const auto& [key, value] : settings)
      if (made_with.value(key, std::string()) != value)
        throw io::InputError("input.checkpoint.case", all[n].path(), 0, 0,
                             fmt::format("it was made with {} = '{}', and the case says '{}'", key,
                                         made_with.value(key, std::string()), value));
    try {
      return read(all[n], details);
    } catch (const io::InputError& e) {
      if (n + 1 == all.size()) throw;
      err << "speedwell: warning: " << io::escape(e.what()) << "; going back to the checkpoint before\n";
    }
  }
}

void cut_history(const std::string& path, const std::string& header, std::int64_t last_step) {
  const std::string old = std::filesystem::exists(path) ? read_text(path) : std::string();
  std::string kept;
  for (std::size_t at = 0; at < old.size();) {
    const std::size_t end = std::min(old.find('\n', at), old.size());
    const std::string line = old.substr(at, end - at);
    const std::size_t comma = line.find(',');
    if (kept.empty() || (comma != std::string::npos && std::atoll(line.c_str() + comma + 1) <= last_step))
      kept += line + "\n";
    at = end + 1;
  }
  io::write_file(path, kept.empty() ? header + "\n" : kept);
}

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
    const double time = std::atof(values[t_at].c_str());
    if (time < from) continue;
    t.push_back(time);
    k.push_back(std::atof(values[k_at].c_str()));
    loss.push_back(std::atof(values[loss_at].c_str()));
  }
  const std::vector<double> exponents = flow::decay_exponents(t, k, loss);
  std::string text = "t,k,dissipation,n,n0\n";
  for (std::size_t i = 0; i < t.size(); ++i)
    text += fmt::format("{:.17g},{:.17g},{:.17g},{},{}\n", t[i], k[i], loss[i], number(exponents[i]),
                        number(loss[i] * t[i] / k[i]));
  return text;
}

}  // namespace speedwell::cli

#include "speedwell/simulation/history.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::simulation {

std::string read_text(const std::string& path) { return io::read_file(path, std::numeric_limits<std::size_t>::max()); }

void cut_history(const std::string& path, const std::string& header, std::int64_t last_step) {
  const std::string old = io::is_there(path) ? read_text(path) : std::string();
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

}  // namespace speedwell::simulation

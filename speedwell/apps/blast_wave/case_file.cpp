#include "speedwell/apps/blast_wave/case_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "speedwell/core/nearest.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::blast_wave {
namespace {

// Outputs may change when a run is resumed, and so may its end.
const std::set<std::string> free_keys = {"time.steps", "output.history_every", "output.fields_every",
                                         "output.checkpoint_every"};

/// One table of the file: values are asked for by key, and keys that nobody asked for are refused.
class Table {
 public:
  Table(const std::string& file, const toml::table* table, std::string name,
        std::map<std::string, std::string>& settings)
      : file_(file), table_(table), name_(std::move(name)), settings_(settings) {}

  void number(const std::string& key, double& value) {
    if (const toml::node* node = find(key)) {
      const auto found = node->value<double>();
      if (!found) refuse(node, key, "a number is wanted");
      value = *found;
    }
    note(key, fmt::format("{}", value));
  }
  template <class Integer>
  void count(const std::string& key, Integer& value, std::int64_t least) {
    if (const toml::node* node = find(key)) {
      const auto found = node->value_exact<std::int64_t>();
      if (!found || *found < least || *found > std::numeric_limits<int>::max())
        refuse(node, key, fmt::format("a whole number from {} to 2^31 - 1 is wanted", least));
      value = static_cast<Integer>(*found);
    }
    note(key, fmt::format("{}", value));
  }
  void flag(const std::string& key, bool& value) {
    if (const toml::node* node = find(key)) {
      const auto found = node->value_exact<bool>();
      if (!found) refuse(node, key, "true or false is wanted");
      value = *found;
    }
    note(key, value ? "true" : "false");
  }
  void text(const std::string& key, std::string& value) {
    if (const toml::node* node = find(key)) {
      const auto found = node->value_exact<std::string>();
      if (!found) refuse(node, key, "a text is wanted");
      value = *found;
    }
    note(key, value);
  }
  void points(const std::string& key, Extents& e) {
    if (const toml::node* node = find(key)) {
      const toml::array* array = node->as_array();
      if (!array || array->size() != 3) refuse(node, key, "three whole numbers are wanted");
      std::int64_t* const to[] = {&e.nx, &e.ny, &e.nz};
      for (std::size_t d = 0; d < 3; ++d) {
        const auto found = array->get(d)->value_exact<std::int64_t>();
        if (!found) refuse(node, key, "three whole numbers are wanted");
        *to[d] = *found;
      }
    }
    note(key, fmt::format("{} {} {}", e.nx, e.ny, e.nz));
  }
  /// Throws unless every key of the table has been asked for.
  void finish() const {
    if (!table_) return;
    for (const auto& [key, node] : *table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        throw io::InputError("input.case.key", file_, key.source().begin.line, key.source().begin.column,
                             core::unknown_name("key", name, known_));
    }
  }
  void know(const std::string& key) { known_.push_back(key); }

 private:
  const toml::node* find(const std::string& key) {
    know(key);
    return table_ ? table_->get(key) : nullptr;
  }
  [[noreturn]] void refuse(const toml::node* node, const std::string& key, const std::string& what) const {
    const auto place = node->source().begin;
    throw io::InputError("input.case.value", file_, place.line, place.column,
                         fmt::format("{}{}: {}", prefix(), key, what));
  }
  std::string prefix() const { return name_.empty() ? "" : name_ + "."; }
  void note(const std::string& key, const std::string& value) {
    if (!free_keys.contains(prefix() + key)) settings_[prefix() + key] = value;
  }

  const std::string& file_;
  const toml::table* table_;
  std::string name_;
  std::map<std::string, std::string>& settings_;
  std::vector<std::string> known_;
};

}  // namespace

bool is_blast_case(const std::string& text) {
  try {
    const toml::table file = toml::parse(text);
    return file["solver"].value<std::string>() == "blast";
  } catch (const toml::parse_error&) {
    return false;
  }
}

BlastCase read_case(const std::string& file, const std::string& text) {
  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw io::InputError("input.case.syntax", file, e.source().begin.line, e.source().begin.column,
                         std::string(e.description()));
  }
  if (root["schema"].value_exact<std::int64_t>() != 1)
    throw io::InputError("input.case.schema", file, 1, 1, "a case begins with schema = 1");
  BlastCase c;
  std::map<std::string, std::string>& settings = c.settings;
  Table top(file, &root, "", settings);
  for (const char* key : {"schema", "solver"}) top.know(key);
  const auto table = [&](const std::string& name, const auto& body) {
    top.know(name);
    const toml::node* node = root.get(name);
    if (node && !node->is_table())
      throw io::InputError("input.case.value", file, node->source().begin.line, node->source().begin.column,
                           fmt::format("{}: a table is wanted", name));
    Table t(file, node ? node->as_table() : nullptr, name, settings);
    body(t);
    t.finish();
  };
  Problem& p = c.problem;
  table("mesh", [&](Table& t) { t.points("points", p.extents); });
  table("gas", [&](Table& t) {
    t.number("gamma", p.gas.gamma);
    t.number("reynolds", p.gas.reynolds);
    t.number("prandtl", p.gas.prandtl);
    t.flag("viscous", p.gas.viscous);
  });
  table("blast", [&](Table& t) {
    t.number("pressure", p.blast.pressure);
    t.number("density", p.blast.density);
    t.number("radius", p.blast.radius);
    t.number("width", p.blast.width);
    t.text("start_file", c.start_file);
  });
  table("scheme", [&](Table& t) {
    t.number("cfl", p.cfl);
    t.number("theta", p.theta);
    t.number("kappa2", p.kappa2);
    t.number("kappa4", p.kappa4);
    t.number("tolerance", p.tolerance);
    t.count("iterations", p.most_iterations, 1);
  });
  table("time", [&](Table& t) { t.count("steps", p.steps, 1); });
  table("output", [&](Table& t) {
    t.count("history_every", c.history_every, 1);
    t.count("fields_every", c.fields_every, 0);
    t.count("checkpoint_every", c.checkpoint_every, 0);
  });
  top.finish();
  try {
    require_valid(p);
  } catch (const std::invalid_argument& e) {
    throw io::InputError("input.case.value", file, 0, 0, e.what());
  }
  return c;
}

State beginning(const BlastCase& c) {
  if (c.start_file.empty()) return blast(c.problem);
  const auto refuse = [&](const std::string& what) -> void {
    throw io::InputError("input.case.start", c.start_file, 0, 0, what);
  };
  const std::size_t bytes = 5 * static_cast<std::size_t>(c.problem.extents.points()) * sizeof(double);
  std::error_code error;
  const auto size = std::filesystem::file_size(c.start_file, error);
  if (error) refuse("cannot be read: " + error.message());
  if (size != bytes) refuse(fmt::format("{} bytes where the mesh has {}: 5 variables in f64", size, bytes));
  State s{c.problem.extents, std::vector<double>(bytes / sizeof(double))};
  std::ifstream in(c.start_file, std::ios::binary);
  in.read(reinterpret_cast<char*>(s.q.data()), static_cast<std::streamsize>(bytes));
  if (!in) refuse("cannot be read");
  try {
    require_admissible(c.problem, s);
  } catch (const std::invalid_argument& e) {
    refuse(e.what());
  }
  return s;
}

}  // namespace speedwell::blast_wave

#include "speedwell/apps/npb/adapter_rows.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

namespace speedwell::npb {
namespace {

// What the kernels have under one name, in their order.
template <class Entry>
struct Shared {
  std::string name;
  std::vector<std::pair<std::string_view, Entry>> of_kernel;

  const Entry* of(std::string_view kernel) const {
    for (const auto& [owner, entry] : of_kernel)
      if (owner == kernel) return &entry;
    return nullptr;
  }
};

template <class Entry>
void add(std::vector<Shared<Entry>>& all, const std::string& name, std::string_view kernel, Entry entry) {
  auto at = std::find_if(all.begin(), all.end(), [&](const Shared<Entry>& s) { return s.name == name; });
  if (at == all.end()) at = all.insert(all.end(), {name, {}});
  at->of_kernel.emplace_back(kernel, std::move(entry));
}

// The factory of a single kernel needs no workload to be chosen by.
harness::Variant::Make make_of(const Shared<harness::Variant::Make>& makes) {
  if (makes.of_kernel.size() == 1) return makes.of_kernel.front().second;
  return [makes](std::shared_ptr<const harness::Workload> prepared, const harness::Context& context) {
    const std::string_view kernel = static_cast<const KernelWorkload&>(*prepared).kernel;
    const harness::Variant::Make* const make = makes.of(kernel);
    if (!make) throw std::logic_error(std::string(kernel) + " has no variant '" + makes.name + "'");
    return (*make)(std::move(prepared), context);
  };
}

// The work of the best known algorithm of each kernel.
using Works = std::map<std::string_view, harness::Work (*)(Class), std::less<>>;

harness::Variant row_of(const Shared<harness::Variant>& variants, const Works& kernels) {
  harness::Variant row = variants.of_kernel.front().second;
  row.description.clear();
  row.lineage.clear();
  Shared<harness::Variant::Make> makes{row.name, {}};
  for (const auto& [kernel, variant] : variants.of_kernel) {
    row.description += (row.description.empty() ? "" : "; ") + title_of(kernel) + ": " + variant.description;
    if (!variant.lineage.empty()) row.lineage += (row.lineage.empty() ? "" : "; ") + variant.lineage;
    if (variant.make) makes.of_kernel.emplace_back(kernel, variant.make);
  }
  if (row.make) row.make = make_of(makes);
  // For a kernel without such a variant, which does not support its problems, the work is that of the application.
  row.work = [variants, kernels](const harness::Problem& p) {
    const harness::Variant* const own = variants.of(kernel_of(p));
    return own && own->work ? own->work(p) : kernels.at(kernel_of(p))(class_of(p));
  };
  row.footprint = [variants](const harness::Problem& p) {
    const harness::Variant* const own = variants.of(kernel_of(p));
    return own && own->footprint ? own->footprint(p) : harness::Footprint{};
  };
  row.unsupported_reason = [variants](const harness::Problem& p) -> std::optional<std::string> {
    const harness::Variant* const own = variants.of(kernel_of(p));
    if (!own) return title_of(kernel_of(p)) + " has no " + variants.name;
    return own->unsupported_reason ? own->unsupported_reason(p) : std::nullopt;
  };
  row.unsupported_ranks_reason = [variants](const harness::Problem& p, int ranks) -> std::optional<std::string> {
    const harness::Variant* const own = variants.of(kernel_of(p));
    return own && own->unsupported_ranks_reason ? own->unsupported_ranks_reason(p, ranks) : std::nullopt;
  };
  return row;
}

}  // namespace

std::vector<harness::Variant> rows_of(const std::vector<Kernel>& kernels) {
  std::vector<Shared<harness::Variant>> all;
  for (const Kernel& kernel : kernels)
    for (harness::Variant& variant : kernel.variants()) {
      const std::string name = variant.name;
      add(all, name, kernel.name, std::move(variant));
    }
  Works works;
  for (const Kernel& kernel : kernels) works.emplace(kernel.name, kernel.work);
  std::vector<harness::Variant> rows;
  for (const auto& variants : all) rows.push_back(row_of(variants, works));
  std::stable_partition(rows.begin(), rows.end(),
                        [](const harness::Variant& row) { return row.role != harness::Role::best; });
  return rows;
}

std::vector<harness::Binding> bindings_of(const std::vector<KernelBindings>& kernels) {
  std::vector<Shared<harness::Variant::Make>> all;
  for (const auto& [kernel, bindings] : kernels)
    for (const harness::Binding& binding : bindings) add(all, binding.variant, kernel, binding.make);
  std::vector<harness::Binding> merged;
  for (const auto& makes : all) merged.push_back({makes.name, make_of(makes)});
  return merged;
}

}  // namespace speedwell::npb

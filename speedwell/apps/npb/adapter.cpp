// npb for the harness: parameters, sizes, and what the kernels say of their problems and variants.
#include "speedwell/apps/npb/adapter.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>

#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/blocks.hpp"
#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/harness/division_model.hpp"

namespace speedwell::npb {

Class class_of(const harness::Problem& problem) { return class_named(problem.get<std::string>("class")); }
const std::string& kernel_of(const harness::Problem& problem) { return problem.get<std::string>("kernel"); }

std::string title_of(std::string_view kernel) {
  std::string title(kernel);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return title;
}

namespace {

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {ep::kernel(), ft::kernel()};
  return all;
}

const Kernel& find_kernel(const harness::Problem& problem) {
  return *std::find_if(kernels().begin(), kernels().end(),
                       [&](const Kernel& k) { return k.name == kernel_of(problem); });
}

std::string name_of(Class c) { return std::string(1, letter(c)); }

harness::Size size(std::string name, std::initializer_list<Class> classes) {
  harness::Sweep all_kernels{"kernel", {}}, sweep{"class", {}};
  for (const Kernel& k : kernels()) all_kernels.values.push_back(std::string(k.name));
  std::string summary;
  for (const Class c : classes) {
    summary += (summary.empty() ? "class " : " and ") + name_of(c);
    sweep.values.push_back(name_of(c));
  }
  return {std::move(name), std::move(summary), {}, {std::move(all_kernels), std::move(sweep)}};
}

std::vector<harness::Size> sizes() {
  std::vector<harness::Size> all = {size("test", {Class::S}),
                                    size("small", {Class::W, Class::A}),
                                    {"headline", "EP, class W", {{"kernel", "ep"}, {"class", name_of(Class::W)}}, {}},
                                    size("standard", {Class::B, Class::C}),
                                    size("large", {Class::D})};
  for (const Class c : all_classes()) all.push_back(size(name_of(c), {c}));
  return all;
}

std::vector<harness::Parameter> parameters() {
  std::vector<std::string> names, classes;
  for (const Kernel& k : kernels()) names.emplace_back(k.name);
  for (const Class c : all_classes()) classes.push_back(name_of(c));
  return {harness::choice("kernel", names.front(), "which benchmark", names),
          harness::choice("class", "S", "of the problem", classes)};
}

harness::Footprint inputs_footprint(const harness::Problem&) { return harness::Footprint{}; }

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "npb",
      .title = "NAS Parallel Benchmarks",
      .summary =
          "EP: Gaussian deviates, summed and counted. FT: the heat equation by Fourier transforms in three dimensions.",
      .source = "Bailey et al., RNR-94-007; Araujo, Griebler, Fernandes 2018",
      .update = "operation",
      .rate_name = "Mop/s",
      .rate_scale = 1e6,
      .bandwidth_rate = false,
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = rows_of(kernels()),
      .footprint = inputs_footprint,
      .work = [](const harness::Problem& p) { return find_kernel(p).work(class_of(p)); },
      .prepare = [](const harness::Problem& p) { return find_kernel(p).prepare(class_of(p)); },
      .npb_title = [](const harness::Problem& p) { return find_kernel(p).title(class_of(p)); }};
  harness::set_division_model(app, [](const harness::Problem& p, const harness::Variant& variant, int parts) {
    if (kernel_of(p) == "ft") {  // an exchange of the slabs in the first transform and in each time step
      const ft::Problem problem = ft::problem_of(class_of(p));
      const double exchanges = problem.iterations + 1, others = parts - 1;
      harness::Division d = harness::division_of_items(problem.nz, parts);
      d.messages = exchanges * others;
      d.bytes = exchanges * d.share * 16 * static_cast<double>(ft::points(problem)) * others / parts;
      d.sums = 1;
      // On GPUs the exchange of each step is beside the passes of the one before.
      if (variant.backend == harness::Backend::multi) d.hiding = problem.iterations / exchanges;
      return d;
    }
    harness::Division d = harness::division_of_items(ep::block_count(ep::problem_of(class_of(p))), parts);
    d.sums = 1;
    return d;
  });
  return app;
}

}  // namespace speedwell::npb

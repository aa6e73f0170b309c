#include "tests/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/campaign/stated.hpp"
#include "tests/campaign/striking_run.hpp"

namespace speedwell::campaign {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr double times_stated = 10;  // the amplitude of a planted Fourier mode, in tolerances of an element
constexpr int race_period = 20;      // executes of which one is struck

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// One variant on one problem.
struct Cell {
  const harness::Application* application;
  harness::Problem problem;
  const harness::Variant* variant;
  std::size_t round;
};

std::vector<Cell> cells_of(const std::vector<harness::Application>& catalogue, const Options& options) {
  std::vector<const harness::Application*> chosen;
  for (const std::string& name : split(options.applications))
    chosen.push_back(&harness::find_application(catalogue, name));
  if (chosen.empty())
    for (const harness::Application& a : catalogue) chosen.push_back(&a);
  std::vector<Cell> cells;
  bool any = false;
  for (const harness::Application* a : chosen) {
    std::vector<const harness::Variant*> variants;
    for (const std::string& glob : split(options.variants)) {
      try {
        for (const auto* v : harness::select_variants(*a, glob))
          if (std::find(variants.begin(), variants.end(), v) == variants.end()) variants.push_back(v);
      } catch (const std::invalid_argument&) {
        if (chosen.size() == 1) throw;  // of all applications some have no such variant
      }
    }
    std::size_t round = 0;
    for (const harness::Problem& p : harness::problems(*a, harness::find_size(*a, options.size), {}, options.seed)) {
      for (const auto* v : harness::variants_of(p, variants, options.variants)) cells.push_back({a, p, v, round});
      ++round;
    }
    any = any || !variants.empty();
  }
  if (!any) throw std::invalid_argument("no application has a variant '" + options.variants + "'");
  std::stable_sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.round < b.round; });
  return cells;
}

class Campaign {
 public:
  Campaign(const Options& options, const machine::Machine& machine, const std::function<void(const Finding&)>& say)
      : options_(options), machine_(machine), say_(say) {
    for (const std::string& name : options.faults)
      if (name != race && !fault_named(name))
        throw std::invalid_argument("--fault " + name + ": there is no such fault");
    measurement_.threads = options.threads > 0 ? options.threads : machine.cpu.threads;
    measurement_.repeat = 2 * race_period;
    measurement_.check_seconds = 300;  // as many as it takes: one in race_period is wrong
    if (!machine.gpus.empty()) measurement_.devices = {machine.gpus.front().index};
  }

  void run(const Cell& cell) {
    cell_ = &cell;
    if (left() <= 0) return report({}, control, Result::not_run, "no time left");
    if (const auto reason = harness::skip_reason(*cell.application, cell.problem, *cell.variant, measurement_, place()))
      return report({}, control, Result::not_run, *reason);
    bool sound = false;
    try {
      sound = plant_all();
    } catch (const std::exception& e) {
      return report({}, control, Result::control_failed, e.what());
    }
    if (sound && wanted(race)) strike();
  }

 private:
  harness::ExecutionEnvironment place() const { return {.machine = &machine_, .ceilings = &ceilings_, .stop = &stop_}; }
  double left() const { return options_.budget - seconds_since(begin_); }
  bool wanted(const std::string& fault) const {
    return options_.faults.empty() ||
           std::find(options_.faults.begin(), options_.faults.end(), fault) != options_.faults.end();
  }

  void report(const std::string& output, const std::string& fault, Result result, const std::string& note,
              const std::string& place = {}, const core::Verdict& verdict = {}, double seconds = 0) {
    say_({.application = cell_->application->name,
          .problem = harness::key_of(cell_->problem),
          .variant = cell_->variant->name,
          .output = output,
          .fault = fault,
          .place = place,
          .result = result,
          .error = verdict.error,
          .tolerance = verdict.tolerance,
          .seconds = seconds,
          .note = note});
  }

  /// The case, which the variants of a problem share.
  const std::shared_ptr<const harness::Workload>& prepared() {
    const std::string key = harness::key_of(cell_->problem);
    if (key != key_) {
      case_.reset();
      case_ = cell_->application->prepare(cell_->problem);
      key_ = key;
    }
    return case_;
  }
  harness::Context context() const {
    return {.threads = measurement_.threads,
            .device = measurement_.devices.empty() ? -1 : measurement_.devices.front()};
  }

  // Whether the right answer passed, so that the verdicts on the wrong ones mean anything.
  bool plant_all() {
    const auto run = cell_->variant->make(prepared(), context());
    run->allocate();
    run->plan();
    run->upload();
    run->reset();
    run->poison();
    run->execute();
    run->synchronize();
    run->download();
    const auto begin = Clock::now();
    const core::Verdict right = run->verify();
    const bool passed = right.passed && std::isfinite(right.error);
    report({}, control, passed ? Result::control_passed : Result::control_failed, right.oracle, {}, right,
           seconds_since(begin));
    if (!passed) return false;
    const std::vector<harness::Output> outputs = run->outputs();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const Stated admitted = stated_tolerance(cell_->problem, outputs[o], outputs, right);
      Planter planter(outputs[o], admitted.element);
      for (const Fault fault : all_faults())
        if (wanted(to_string(fault)))
          plant(*run, planter, outputs[o].name, fault, times_stated * admitted.everywhere, o);
    }
    if (const core::Verdict again = run->verify(); !again.passed)
      report({}, control, Result::control_failed, "after all faults were taken back", {}, again);
    return true;
  }

  void plant(harness::Run& run, Planter& planter, const std::string& output, Fault fault, double amplitude,
             std::size_t number) {
    const std::string name = to_string(fault);
    if (left() <= 0) return report(output, name, Result::not_run, "no time left");
    const auto seed = options_.seed + 1000 * number + static_cast<std::uint64_t>(fault);
    const Planted planted = planter.plant(fault, seed, amplitude);
    if (!planted.done) return report(output, name, Result::not_applicable, planted.text);
    const auto begin = Clock::now();
    core::Verdict verdict;
    std::string note;
    try {
      verdict = run.verify();
    } catch (const std::exception& e) {
      note = std::string("verify() threw: ") + e.what();
    }
    const double seconds = seconds_since(begin);
    planter.restore();
    const bool passed = verdict.passed && std::isfinite(verdict.error);
    report(output, name, passed ? Result::accepted : Result::rejected, note, planted.text, verdict, seconds);
  }

  // The race, which takes a whole experiment, with the oracle's answers of the other faults.
  void strike() {
    if (left() <= 0) return report({}, race, Result::not_run, "no time left");
    const auto begin = Clock::now();
    const auto strikes = std::make_shared<std::atomic<int>>(0);
    const harness::Variant variant = striking(*cell_->variant, race_period, options_.seed, strikes);
    harness::Application application = *cell_->application;
    application.prepare = [this](const harness::Problem&) { return case_; };
    const auto outcomes = harness::run_experiment(application, cell_->problem, {&variant}, measurement_, place());
    const harness::Outcome& outcome = outcomes.front();
    const double seconds = seconds_since(begin);
    const core::Verdict verdict = outcome.verdict.value_or(core::Verdict{});
    const std::string times = fmt::format("{} of {} downloads were struck", strikes->load(), outcome.execute.size());
    if (outcome.status == harness::Status::skipped) return report({}, race, Result::not_run, outcome.reason);
    report({}, race, outcome.status == harness::Status::passed ? Result::accepted : Result::rejected,
           outcome.reason.empty() ? times : outcome.reason, "one execute of " + std::to_string(race_period), verdict,
           seconds);
  }

  const Options& options_;
  const machine::Machine& machine_;
  const std::function<void(const Finding&)>& say_;
  const Clock::time_point begin_ = Clock::now();
  machine::Ceilings ceilings_;  // none: limits are no part of this
  std::atomic<bool> stop_{false};
  harness::Measurement measurement_;
  const Cell* cell_ = nullptr;
  std::string key_;
  std::shared_ptr<const harness::Workload> case_;
};

}  // namespace

std::string to_string(Result result) {
  switch (result) {
    case Result::rejected:
      return "rejected";
    case Result::accepted:
      return "accepted";
    case Result::control_passed:
      return "control_passed";
    case Result::control_failed:
      return "control_failed";
    case Result::not_applicable:
      return "not_applicable";
    case Result::not_run:
      return "not_run";
  }
  throw std::logic_error("a result without a name");
}

void run_campaign(const std::vector<harness::Application>& catalogue, const Options& options,
                  const machine::Machine& machine, const std::function<void(const Finding&)>& say) {
  Campaign campaign(options, machine, say);
  const std::vector<Cell> cells = cells_of(catalogue, options);
  for (const Cell& cell : cells)
    if (!options.known.contains(cell_name(harness::key_of(cell.problem), cell.variant->name))) campaign.run(cell);
}

std::string cell_name(const std::string& problem, const std::string& variant) { return variant + " of " + problem; }

std::set<std::string> known_cells(const std::string& path) {
  std::ifstream in(path);
  const std::string header = csv_header();
  std::string line;
  if (!std::getline(in, line) || line + "\n" != header)
    throw std::invalid_argument(path + ": cannot be read, or is no file of planted_faults --csv");
  std::map<std::string, std::set<std::string>> results;  // and faults, of each cell
  while (std::getline(in, line)) {
    std::vector<std::string> fields = {""};
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;  // a doubled one twice
      else if (c == ',' && !quoted)
        fields.emplace_back();
      else
        fields.back() += c;
    }
    if (fields.size() < 7) continue;  // a run that was killed while it wrote
    auto& of_cell = results[cell_name(fields[1], fields[2])];
    of_cell.insert({fields[4], fields[6]});
  }
  std::set<std::string> known;
  for (const auto& [cell, seen] : results)
    if (seen.contains(race) && !seen.contains(to_string(Result::not_run)) &&
        !seen.contains(to_string(Result::accepted)))
      known.insert(cell);
  return known;
}

std::string csv_header() {
  return "application,problem,variant,output,fault,place,result,error,tolerance,seconds,note,machine,commit\n";
}
std::string csv_line(const Finding& f, const std::string& machine, const std::string& commit) {
  const auto text = [](const std::string& field) {
    std::string quoted = "\"";
    for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  };
  return fmt::format("{},{},{},{},{},{},{},{:.6g},{:.6g},{:.4f},{},{},{}\n", f.application, text(f.problem), f.variant,
                     text(f.output), f.fault, text(f.place), to_string(f.result), f.error, f.tolerance, f.seconds,
                     text(f.note), text(machine), commit);
}

}  // namespace speedwell::campaign

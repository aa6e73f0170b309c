#include "speedwell/harness/report/analysis.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace speedwell::harness::report {
namespace {

using records::Document;
using records::Phase;
using records::Run;

using Identity = std::tuple<std::string, std::string, std::string, std::string>;
Identity identity(const Run& run) { return {run.key, run.variant.name, run.device.kind, run.device.name}; }

std::optional<double> number(const records::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// Appends to the group of this key, or opens one: groups keep the order in which their keys were first seen.
template <class Key, class Member>
class Groups {
 public:
  std::vector<Member>& operator[](const Key& key) {
    const auto [found, fresh] = index_.try_emplace(key, groups_.size());
    if (fresh) groups_.emplace_back();
    return groups_[found->second];
  }
  std::vector<std::vector<Member>>& all() { return groups_; }

 private:
  std::map<Key, std::size_t> index_;
  std::vector<std::vector<Member>> groups_;
};

// One problem of an application on its way into a family.
struct Case {
  const Run* first;
  std::vector<const Run*> runs;
  double at(const std::string& key) const { return *number(first->problem.at(key)); }
};

// Each record lists variants of a problem in the order of the application's own table, but perhaps only some of them.
// The order in which records were first seen says little then: here all variants stand as every record has them.
class VariantOrder {
 public:
  explicit VariantOrder(const std::vector<const Document*>& sessions) {
    for (const Document* session : sessions) {
      Groups<std::string, const Run*> problems;
      for (const Run& run : session->runs) problems[run.key].push_back(&run);
      for (const auto& runs : problems.all()) add(runs);
    }
    for (std::size_t n = 0; n < names_.size(); ++n) places_.emplace(next(), n);
  }
  void sort(std::vector<const Run*>& runs) const {
    std::stable_sort(runs.begin(), runs.end(), [&](const Run* a, const Run* b) { return place(*a) < place(*b); });
  }

 private:
  using Name = std::pair<std::string, std::string>;  // of the application, of the variant
  static Name name_of(const Run& run) { return {run.application, run.variant.name}; }
  std::size_t place(const Run& run) const { return places_.at(name_of(run)); }

  void add(const std::vector<const Run*>& runs) {
    for (std::size_t n = 0; n < runs.size(); ++n) {
      const auto [at, fresh] = before_.try_emplace(name_of(*runs[n]));
      if (fresh) names_.push_back(at->first);
      if (n > 0 && name_of(*runs[n - 1]) != at->first) at->second.insert(name_of(*runs[n - 1]));
    }
  }
  // The first seen of those for which all before it are placed; of all that are left, should records contradict.
  Name next() const {
    const auto is_left = [&](const Name& name) { return !places_.contains(name); };
    const auto may_come = [&](const Name& name) {
      const auto& before = before_.at(name);
      return is_left(name) && std::none_of(before.begin(), before.end(), is_left);
    };
    const auto free = std::find_if(names_.begin(), names_.end(), may_come);
    return free != names_.end() ? *free : *std::find_if(names_.begin(), names_.end(), is_left);
  }

  std::vector<Name> names_;  // as first seen
  std::map<Name, std::set<Name>> before_;
  std::map<Name, std::size_t> places_;
};

// The numeric parameters, with how many values each takes.
std::map<std::string, std::set<double>> values_of(const std::vector<Case>& cases) {
  std::map<std::string, std::set<double>> values;
  for (const Case& c : cases)
    for (const auto& [key, value] : c.first->problem)
      if (const auto x = number(value)) values[key].insert(*x);
  return values;
}

bool all_grow_together(std::vector<Case> cases, const std::vector<std::string>& keys) {
  std::sort(cases.begin(), cases.end(), [&](const Case& a, const Case& b) { return a.at(keys[0]) < b.at(keys[0]); });
  for (std::size_t i = 1; i < cases.size(); ++i)
    for (const std::string& key : keys)
      if (!(cases[i - 1].at(key) < cases[i].at(key))) return false;
  return true;
}

Family family_of(std::vector<Case> cases, const std::vector<std::string>& sweep) {
  Family family;
  const std::set<std::string> swept(sweep.begin(), sweep.end());
  family.label = label_of(*cases.front().first, swept);
  if (!sweep.empty()) {
    for (const std::string& key : sweep) family.sweep += (family.sweep.empty() ? "" : ", ") + key;
    std::stable_sort(cases.begin(), cases.end(),
                     [&](const Case& a, const Case& b) { return a.at(sweep[0]) < b.at(sweep[0]); });
  }
  for (Case& c : cases)
    family.problems.push_back(
        {label_of(*c.first, {}), sweep.empty() ? std::nullopt : std::optional(c.at(sweep[0])), std::move(c.runs)});
  return family;
}

// `cases` agree in every word and in the names of their parameters.
void add_families(const std::vector<Case>& cases, std::vector<Family>& families) {
  std::vector<std::string> varying;
  std::size_t most = 0;
  std::string sweep;
  for (const auto& [key, values] : values_of(cases))
    if (values.size() > 1) {
      varying.push_back(key);
      if (values.size() > most) {
        most = values.size();
        sweep = key;
      }
    }
  if (varying.empty() || all_grow_together(cases, varying)) {
    families.push_back(family_of(cases, varying));
    return;
  }
  Groups<std::string, Case> groups;
  for (const Case& c : cases) groups[label_of(*c.first, {sweep})].push_back(c);
  for (auto& group : groups.all()) {
    if (group.size() > 1)
      families.push_back(family_of(group, {sweep}));
    else
      families.push_back(family_of(group, {}));
  }
}

std::vector<Family> families_of(const std::vector<const Run*>& runs, const VariantOrder& order) {
  Groups<std::string, const Run*> problems;
  for (const Run* run : runs) problems[run->key].push_back(run);
  Groups<std::string, Case> alike;
  for (auto& problem : problems.all()) {
    order.sort(problem);
    std::string words = "seed=" + std::to_string(problem.front()->seed);
    for (const auto& [key, value] : problem.front()->problem)
      words += '\n' + key + '=' + (number(value) ? std::string() : records::to_string(value));
    alike[words].push_back({problem.front(), problem});
  }
  std::vector<Family> families;
  for (const auto& cases : alike.all()) add_families(cases, families);
  return families;
}

std::vector<ApplicationRuns> applications_of(const std::vector<const Run*>& runs, const VariantOrder& order) {
  Groups<std::string, const Run*> groups;
  for (const Run* run : runs) groups[run->application].push_back(run);
  std::vector<ApplicationRuns> applications;
  for (auto& group : groups.all())
    applications.push_back({group.front()->application, group.front()->title, group, families_of(group, order)});
  return applications;
}

// Each ceiling from the latest session that measured it, in the order of first appearance.
std::vector<records::Ceiling> latest_ceilings(const std::vector<const Document*>& sessions) {
  std::vector<records::Ceiling> ceilings;
  std::map<std::string, std::pair<std::size_t, std::string>> found;  // name: place, begin of the session
  for (const Document* session : sessions)
    for (const records::Ceiling& ceiling : session->machine->ceilings) {
      const auto [entry, fresh] = found.try_emplace(ceiling.name, ceilings.size(), session->session.started);
      if (fresh) {
        ceilings.push_back(ceiling);
      } else if (session->session.started >= entry->second.second) {
        ceilings[entry->second.first] = ceiling;
        entry->second.second = session->session.started;
      }
    }
  return ceilings;
}

// Of several records of one run, the one of the latest session; a later one in the input wins a tie.
void add_latest(const std::vector<const Document*>& sessions, MachineRuns& machine) {
  struct Found {
    const Run* run;
    const std::string* started;
  };
  std::map<Identity, std::size_t> index;
  std::vector<Found> found;
  for (const Document* document : sessions)
    for (const Run& run : document->runs) {
      const auto [at, fresh] = index.try_emplace(identity(run), found.size());
      if (fresh) {
        found.push_back({&run, &document->session.started});
      } else if (Found& old = found[at->second]; document->session.started < *old.started) {
        machine.superseded.push_back(&run);
      } else {
        machine.superseded.push_back(old.run);
        old = {&run, &document->session.started};
      }
    }
  for (const Found& f : found) machine.runs.push_back(f.run);
}

}  // namespace

std::string label_of(const Run& run, const std::set<std::string>& without) {
  std::string text;
  for (const auto& [key, value] : run.problem)
    if (const std::string word = records::to_string(value); !without.contains(key) && !word.empty())
      text += (text.empty() ? "" : " ") + key + "=" + word;
  if (run.seed != 1) text += (text.empty() ? "" : " ") + ("seed=" + std::to_string(run.seed));
  return text;
}

Labels::Labels(const std::vector<const Run*>& runs) : first_(runs.empty() ? nullptr : runs.front()) {
  if (!first_) return;
  const auto value_in = [](const Run& run, const std::string& key) {
    for (const auto& [k, value] : run.problem)
      if (k == key) return std::optional(records::to_string(value));
    return std::optional<std::string>();
  };
  for (const auto& [key, value] : first_->problem) {
    const std::string text = records::to_string(value);
    if (std::all_of(runs.begin(), runs.end(), [&](const Run* run) { return value_in(*run, key) == text; }))
      shared_.insert(key);
  }
}

std::string Labels::of(const ProblemRuns& problem) const {
  const std::string label = label_of(*problem.runs.front(), shared_);
  return label.empty() ? problem.runs.front()->size : label;
}

std::string Labels::everywhere() const {
  std::string text;
  if (first_)
    for (const auto& [key, value] : first_->problem)
      if (const std::string word = records::to_string(value); shared_.contains(key) && !word.empty())
        text += (text.empty() ? "" : ", ") + key + "=" + word;
  return text;
}

std::optional<Ratio> speedup(const std::optional<Phase>& base, const std::optional<Phase>& now) {
  if (!base || !now || !(base->median > 0) || !(now->median > 0)) return std::nullopt;
  Ratio ratio{base->median / now->median, std::nullopt};
  if (base->interval && now->interval && now->interval->first > 0)
    ratio.interval = {base->interval->first / now->interval->second, base->interval->second / now->interval->first};
  return ratio;
}

std::string card_of(const Document& document) {
  for (const Run& run : document.runs)
    if (!run.device.uuid.empty()) return run.device.uuid;
  return document.machine && !document.machine->gpus.empty() ? document.machine->gpus.front().uuid : std::string();
}

std::vector<MachineRuns> by_machine(const std::vector<Document>& documents) {
  Groups<std::string, const Document*> groups;
  for (const Document& document : documents)
    if (document.machine) groups[document.machine->id + " " + card_of(document)].push_back(&document);
  std::vector<MachineRuns> machines;
  for (const auto& sessions : groups.all()) {
    MachineRuns machine;
    machine.sessions = sessions;
    machine.latest = *std::max_element(sessions.begin(), sessions.end(), [](const Document* a, const Document* b) {
      return a->session.started < b->session.started;
    });
    machine.machine = *machine.latest->machine;
    machine.machine.ceilings = latest_ceilings(sessions);
    add_latest(sessions, machine);
    machine.applications = applications_of(machine.runs, VariantOrder(sessions));
    machines.push_back(std::move(machine));
  }
  return machines;
}

const Run* fastest(const std::vector<const Run*>& runs, std::string_view kind, Whose whose, PhaseOf phase,
                   const std::optional<std::string>& algorithm) {
  const Run* best = nullptr;
  for (const Run* run : runs)
    if (run->timed() && run->phases.*phase && run->device.kind == kind &&
        (run->variant.role == "peer") == (whose == Whose::peer) &&
        (!algorithm || run->variant.algorithm == *algorithm) &&
        (!best || (run->phases.*phase)->median < (best->phases.*phase)->median))
      best = run;
  return best;
}

const Run* fastest_on_host(const std::vector<const Run*>& runs, PhaseOf phase,
                           const std::optional<std::string>& algorithm) {
  const Run* cores = fastest(runs, "cores", Whose::own, phase, algorithm);
  return cores ? cores : fastest(runs, "core", Whose::own, phase, algorithm);
}

namespace {

Comparison compare(const Run* host, const Run* gpu, PhaseOf phase) {
  return {host, gpu, host && gpu ? speedup(host->phases.*phase, gpu->phases.*phase) : std::nullopt};
}

const Run* faster(const Run* a, const Run* b, PhaseOf phase) {
  if (!a || !b) return a ? a : b;
  return (b->phases.*phase)->median < (a->phases.*phase)->median ? b : a;
}

}  // namespace

Comparison same_algorithm(const std::vector<const Run*>& runs, PhaseOf phase) {
  const Run* gpu = fastest(runs, "gpu", Whose::own, phase);
  const Run* host = gpu ? fastest_on_host(runs, phase, gpu->variant.algorithm) : fastest_on_host(runs, phase);
  return compare(host, gpu, phase);
}

Comparison best_against_best(const std::vector<const Run*>& runs, PhaseOf phase) {
  const auto best = [&](std::string_view kind) {
    return faster(fastest(runs, kind, Whose::own, phase), fastest(runs, kind, Whose::peer, phase), phase);
  };
  return compare(faster(best("cores"), best("core"), phase), best("gpu"), phase);
}

std::vector<Step> ladder(const std::vector<const Run*>& runs) {
  for (const char* kind : {"gpu", "cores", "core"}) {
    std::vector<Step> steps;
    for (const Run* run : runs) {
      if (!run->timed() || run->device.kind != kind) continue;
      if (run->variant.role != "step" && run->variant.role != "best") continue;
      const Run* before = steps.empty() ? nullptr : steps.back().run;
      steps.push_back({run, before, before ? speedup(before->phases.execute, run->phases.execute) : std::nullopt});
    }
    if (steps.size() > 1) return steps;
  }
  return {};
}

Merit merit_of(const std::vector<const Run*>& runs) {
  bool rate = true, bandwidth = true, operations = true, any = false;
  for (const Run* run : runs) {
    if (!run->timed()) continue;
    any = true;
    const auto positive = [](const std::optional<double>& value) { return value && *value > 0; };
    rate = rate && positive(run->rates.rate);
    bandwidth = bandwidth && positive(run->rates.bandwidth_GBps);
    operations = operations && positive(run->rates.operations_Gops);
  }
  if (!any) return Merit::time;
  return rate ? Merit::rate : bandwidth ? Merit::bandwidth : operations ? Merit::operations : Merit::time;
}

std::optional<Ratio> merit(const Run& run, Merit which) {
  if (!run.timed()) return std::nullopt;
  const Phase& time = *run.phases.execute;
  if (which == Merit::time) return Ratio{time.median, time.interval};
  const auto& value = which == Merit::rate        ? run.rates.rate
                      : which == Merit::bandwidth ? run.rates.bandwidth_GBps
                                                  : run.rates.operations_Gops;
  if (!value) return std::nullopt;
  Ratio merit{*value, std::nullopt};
  if (time.interval && time.interval->first > 0)
    merit.interval = {*value * time.median / time.interval->second, *value * time.median / time.interval->first};
  return merit;
}

std::string merit_unit(const std::vector<const Run*>& runs, Merit which) {
  switch (which) {
    case Merit::bandwidth:
      return "GB/s";
    case Merit::operations:
      return "Gop/s";
    case Merit::time:
      return "s";
    case Merit::rate:
      break;
  }
  for (const Run* run : runs)
    if (run->timed() && !run->rates.rate_name.empty()) return run->rates.rate_name;
  return "updates/s";
}

}  // namespace speedwell::harness::report

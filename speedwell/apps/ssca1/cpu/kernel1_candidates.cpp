#include "speedwell/apps/ssca1/cpu/kernel1_candidates.hpp"

#include <algorithm>
#include <cstdlib>

#include "speedwell/core/random.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::size_t min_limit = 4096;

}  // namespace

std::size_t Separation::Hash::operator()(const Box& box) const {
  return core::random_bits(static_cast<std::uint64_t>(box.main), static_cast<std::uint64_t>(box.match));
}

bool Separation::take(const Endpoint& endpoint) {
  if (distance_ <= 1) return true;  // two endpoints are always different cells
  const Box here{endpoint.main / distance_, endpoint.match / distance_};
  for (std::int64_t a = -1; a <= 1; ++a) {
    if (!may_have(here.main + a)) continue;
    for (std::int64_t b = -1; b <= 1; ++b) {
      const auto found = boxes_.find({here.main + a, here.match + b});
      if (found != boxes_.end() && std::abs(found->second.main - endpoint.main) < distance_ &&
          std::abs(found->second.match - endpoint.match) < distance_)
        return false;
    }
  }
  boxes_.emplace(here, endpoint);
  filter_.set(filter_bit(here.main));
  return true;
}

Candidates::Candidates(const EndpointRules& rules, const OwnedColumns& owned)
    : rules_(rules), owned_(owned), kept_score_(rules.minimum_score), limit_(min_limit) {}

void Candidates::add(const Candidates& others) {
  found_ += others.found_;
  for (const Endpoint& endpoint : others.kept_) keep(endpoint);
}

void Candidates::clear() { *this = Candidates(rules_, owned_); }

void Candidates::drop() {
  std::sort(kept_.begin(), kept_.end(), comes_before);
  if (rules_.count == 0) {
    kept_.clear();
    return;
  }
  Separation apart(2 * separation() - 1);
  std::size_t taken = 0;
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    taken += apart.take(kept_[k]);
    if (taken < rules_.count) continue;
    bound_ = kept_[k];
    kept_score_ = bound_->score;
    kept_.resize(k + 1);
    break;
  }
  limit_ = std::max(min_limit, 2 * kept_.size());
}

bool Candidates::has_enough_from(std::int32_t score) {
  if (!bound_ || bound_->score < score) drop();
  return rules_.count == 0 || (bound_ && bound_->score >= score);
}

SectionCandidates Candidates::of_section() {
  drop();
  return {kept_, rules_.count_candidates ? found_ : -1};
}

Endpoints Candidates::finish() {
  std::sort(kept_.begin(), kept_.end(), comes_before);
  Endpoints made;
  made.candidates = rules_.count_candidates ? found_ : -1;
  Separation apart(separation());
  for (const Endpoint& endpoint : kept_) {
    if (made.accepted.size() >= rules_.count) break;
    if (apart.take(endpoint)) made.accepted.push_back(endpoint);
  }
  return made;
}

}  // namespace speedwell::ssca1

#include "tests/compare/campaign_gpu.hpp"

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_search.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell {
namespace {

using namespace alignment;

class Gpu : public CampaignGpu {
 public:
  std::vector<std::int32_t> search(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                                   std::size_t variant) override {
    using Lanes = GpuSearch::Lanes;
    constexpr Lanes lanes[] = {Lanes::best, Lanes::eleven_bits, Lanes::sixteen_bits};
    return GpuSearch(subjects, 0, lanes[variant % std::size(lanes)]).search(queries, scoring);
  }
  std::optional<EndPoint> find_end(Codes query, Codes subject, const Scoring& scoring) override {
    const bool fits =  // gpu_pair.hpp
        639 * (scoring.matrix.highest() + scoring.gap_extend) + 10 * scoring.gap_open + 4 * scoring.gap_extend <= 32767;
    if (!fits) return std::nullopt;
    return pair_.find_end(query, subject, scoring);
  }

 private:
  GpuPair pair_;
};

}  // namespace

std::unique_ptr<CampaignGpu> campaign_gpu() {
  if (!core::have_device()) return nullptr;
  return std::make_unique<Gpu>();
}

}  // namespace speedwell

// Queries of the campaign about the GPU; campaign_without_gpu.cpp stands in for it in a build without CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell {

class CampaignGpu {
 public:
  virtual ~CampaignGpu() = default;
  /// `variant`: any number, which selects one of GpuSearch::Lanes.
  virtual std::vector<std::int32_t> search(const alignment::SequenceSet& queries,
                                           const alignment::SequenceSet& subjects, const alignment::Scoring& scoring,
                                           std::size_t variant) = 0;
  /// Nothing for a scoring that GpuPair refuses because 16 bits do not hold it.
  virtual std::optional<alignment::EndPoint> find_end(alignment::Codes query, alignment::Codes subject,
                                                      const alignment::Scoring& scoring) = 0;
};

/// Null where there is no device.
std::unique_ptr<CampaignGpu> campaign_gpu();

}  // namespace speedwell

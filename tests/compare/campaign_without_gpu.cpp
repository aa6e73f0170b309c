#include "tests/compare/campaign_gpu.hpp"

namespace speedwell {

std::unique_ptr<CampaignGpu> campaign_gpu() { return nullptr; }

}  // namespace speedwell

// Sessions see applications through the catalogue with which a program links them; these tests make their own.
#include "speedwell/catalogue.hpp"

namespace speedwell {

std::vector<harness::Application> catalogue() { return {}; }

}  // namespace speedwell

// Host code in CUDA sources has the same OpenMP as C++ sources. Without it, pragmas are left out without a word, and
// what a header defines inline is not the same function in all sources.
#include <gtest/gtest.h>

namespace speedwell::core {

extern const long openmp_in_cpp;

namespace {

TEST(CudaSources, HaveTheOpenMpOfCppSources) {
#ifdef _OPENMP
  EXPECT_EQ(_OPENMP, openmp_in_cpp);
#else
  EXPECT_EQ(0, openmp_in_cpp);
#endif
}

}  // namespace
}  // namespace speedwell::core

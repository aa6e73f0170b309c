#include "speedwell/core/shared_library.hpp"

#include <gtest/gtest.h>

#include "speedwell/core/error.hpp"

namespace speedwell::core {
namespace {

TEST(SharedLibrary, FindsAFunctionOfALibraryThatIsThere) {
  const SharedLibrary library("libm.so.6", "");
  const auto cosine = library.function<double (*)(double)>("cos");
  EXPECT_EQ(cosine(0), 1);
}

TEST(SharedLibrary, NamesWhatIsMissing) {
  try {
    const SharedLibrary library("libspeedwell-none.so.1", "/nowhere");
    FAIL() << "there is no such library";
  } catch (const Unavailable& missing) {
    EXPECT_NE(std::string(missing.what()).find("libspeedwell-none.so.1"), std::string::npos) << missing.what();
  }
  const SharedLibrary library("libm.so.6", "");
  EXPECT_THROW(library.function<void (*)()>("no_such_function"), Unavailable);
}

}  // namespace
}  // namespace speedwell::core

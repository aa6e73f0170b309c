#include "speedwell/apps/npb/classes.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace speedwell::npb {
namespace {

TEST(NpbClasses, HaveTheirLetters) {
  std::string letters;
  for (const Class c : all_classes()) {
    letters += letter(c);
    EXPECT_EQ(class_named(std::string(1, letter(c))), c);
  }
  EXPECT_EQ(letters, "SWABCDEF");
}

TEST(NpbClasses, RefuseWhatIsNone) {
  for (const char* name : {"", "s", "G", "SW", "A "}) EXPECT_THROW(class_named(name), std::invalid_argument) << name;
}

}  // namespace
}  // namespace speedwell::npb

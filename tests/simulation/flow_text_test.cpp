// Texts that are made of the history of a flow.
#include "speedwell/simulation/flow/flow_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <string>

#include "speedwell/io/error.hpp"

namespace speedwell::simulation {
namespace {

const std::string history =
    "t,step,k,dissipation\n0.25,1,0.5,0.125\n0.5,2,0.25,0.0625\n0.75,3,0.125,0.03125\n1.5,4,0.0625,0.5e-2\n";

// The lines of a text without the columns of exponents behind the third comma.
std::string measured(const std::string& text) {
  std::string kept;
  int commas = 0;
  for (const char c : text) {
    commas = c == '\n' ? 0 : commas + (c == ',');
    if (commas < 3) kept += c;
  }
  return kept;
}

TEST(FlowText, ADecayBeginsAtItsTime) {
  EXPECT_EQ(measured(decay_text(history, 0.5)),
            "t,k,dissipation\n0.5,0.25,0.0625\n0.75,0.125,0.03125\n1.5,0.0625,0.0050000000000000001\n");
  try {
    decay_text("t,step,k\n", 0);
    ADD_FAILURE();
  } catch (const io::InputError& e) {
    EXPECT_EQ(e.id(), "input.history.column");
  }
}

// A program that uses the library may have any locale; histories do not.
TEST(FlowText, NumbersOfAHistoryDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  bool found = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"})
    found = found || std::setlocale(LC_NUMERIC, name) != nullptr;
  if (!found) GTEST_SKIP() << "no locale with a decimal comma";
  const std::string text = decay_text(history, 0.5);
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(text, decay_text(history, 0.5));
}

}  // namespace
}  // namespace speedwell::simulation

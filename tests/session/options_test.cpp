// Values of options, and what is refused.
#include "speedwell/session/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/process/failure.hpp"

namespace speedwell::session {
namespace {

using process::UsageError;

machine::Machine two_gpus() {
  machine::Machine machine;
  machine.cpu.cores = 4;
  machine.cpu.threads = 8;
  machine.gpus.resize(2);
  machine.gpus[1].index = 1;
  return machine;
}

TEST(SessionOptions, CountsAreWithinTheirBounds) {
  EXPECT_EQ(count_option("--passes", "1e3", 1, 1000), 1000);
  EXPECT_EQ(count_option("--passes", "2^4", 1, 1000), 16);
  EXPECT_THROW(count_option("--passes", "0", 1, 1000), UsageError);
  EXPECT_THROW(count_option("--passes", "1001", 1, 1000), UsageError);
  EXPECT_THROW(count_option("--passes", "few", 1, 1000), UsageError);
}

TEST(SessionOptions, TimesHaveUnits) {
  EXPECT_DOUBLE_EQ(time_option("--max-time", "250ms"), 0.25);
  EXPECT_DOUBLE_EQ(time_option("--max-time", "2m"), 120);
  EXPECT_THROW(time_option("--max-time", "soon"), UsageError);
}

TEST(SessionOptions, WordsAreThoseOfTheHelp) {
  EXPECT_EQ(format_of("csv"), Format::csv);
  EXPECT_THROW(format_of("xml"), UsageError);
  EXPECT_EQ(format_of("json", {"text", "json"}), Format::json);
  EXPECT_THROW(format_of("csv", {"text", "json"}), UsageError);
  EXPECT_TRUE(wanted("--progress", "always", false));
  EXPECT_FALSE(wanted("--progress", "never", true));
  EXPECT_TRUE(wanted("--progress", "auto", true));
  EXPECT_THROW(wanted("--progress", "sometimes", true), UsageError);
}

TEST(SessionOptions, ThreadsAreALimitedNumber) {
  EXPECT_EQ(threads_of("3", two_gpus().cpu), 3);
  EXPECT_THROW(threads_of("0", two_gpus().cpu), UsageError);
  EXPECT_THROW(threads_of("257", two_gpus().cpu), UsageError);
  EXPECT_THROW(threads_of("1,2", two_gpus().cpu), UsageError);
}

using Variables = std::map<std::string, std::string>;

// The user's environment has these variables as long as it lives, and not those that the tests are run with.
class Environment {
 public:
  explicit Environment(const Variables& set) {
    std::vector<std::string> names = {"OMP_NUM_THREADS"};
    for (char** entry = environ; *entry; ++entry)
      if (const std::string text = *entry; text.starts_with("SPEEDWELL_"))
        names.push_back(text.substr(0, text.find('=')));
    for (const std::string& name : names) keep(name);
    for (const auto& [name, value] : set) {
      keep(name);
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : before_) value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

 private:
  void keep(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    before_.try_emplace(name, value ? std::optional<std::string>(value) : std::nullopt);
    unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST(SessionOptions, TheEnvironmentTakesThePlaceOfWhatIsNotGiven) {
  const machine::Machine machine = two_gpus();
  {
    const Environment none(Variables{});
    EXPECT_EQ(threads_of("", machine.cpu), 4);
    EXPECT_EQ(devices_of("", machine), (std::vector<int>{0, 1}));
  }
  {
    const Environment ours(Variables{{"SPEEDWELL_THREADS", "3"}, {"OMP_NUM_THREADS", "5"}, {"SPEEDWELL_DEVICES", "1"}});
    EXPECT_EQ(threads_of("", machine.cpu), 3);
    EXPECT_EQ(threads_of("2", machine.cpu), 2);
    EXPECT_EQ(devices_of("", machine), (std::vector<int>{1}));
    EXPECT_TRUE(devices_of("none", machine).empty());
  }
  {
    const Environment levels(Variables{{"OMP_NUM_THREADS", "5,2"}});
    EXPECT_EQ(threads_of("", machine.cpu), 5);
  }
  const Environment wrong(Variables{{"SPEEDWELL_THREADS", "many"}});
  EXPECT_THROW(threads_of("", machine.cpu), UsageError);
  EXPECT_THROW(threads_of("2", machine.cpu), UsageError) << "a mistake in it is not passed over";
}

TEST(SessionOptions, VariablesThatNothingReadsAreWarnedOfOnce) {
  Variables documented;
  for (const char* name :
       {"CONFIG", "THREADS", "DEVICES", "CACHE_DIR", "HOST", "LAUNCHER", "PYTHON", "LOG", "LOOPS_BY_HOST"})
    documented[std::string("SPEEDWELL_") + name] = "x";
  const Environment all(documented);
  EXPECT_EQ(drop_unknown_variables(), std::vector<std::string>{});
  const Environment misspelt(Variables{{"SPEEDWELL_LAUNCHR", "srun"}, {"SPEEDWELL_FOO", "3"}});
  std::vector<std::string> warnings = drop_unknown_variables();
  std::sort(warnings.begin(), warnings.end());
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "unknown environment variable 'SPEEDWELL_FOO'",
                          "unknown environment variable 'SPEEDWELL_LAUNCHR'; the nearest is 'SPEEDWELL_LAUNCHER'"}));
  EXPECT_TRUE(drop_unknown_variables().empty()) << "processes started from here do not warn again";
}

TEST(SessionOptions, DevicesAreHere) {
  EXPECT_EQ(devices_of("1,0", two_gpus()), (std::vector<int>{1, 0}));
  EXPECT_EQ(devices_of("all", two_gpus()), (std::vector<int>{0, 1}));
  EXPECT_TRUE(devices_of("none", two_gpus()).empty());
  EXPECT_THROW(devices_of("1,1", two_gpus()), UsageError);
  EXPECT_THROW(devices_of("2", two_gpus()), core::Unavailable);
}

TEST(SessionOptions, TimesOfAMeasurementAreThoseOfTheSize) {
  RunOptions options;
  options.threads = "2";
  options.devices = "none";
  EXPECT_DOUBLE_EQ(measurement_of(options, "test", two_gpus()).max_seconds, 0.05);
  EXPECT_DOUBLE_EQ(measurement_of(options, "standard", two_gpus()).max_seconds, 3);
  options.min_time = "10s";
  EXPECT_DOUBLE_EQ(measurement_of(options, "small", two_gpus()).max_seconds, 10);
  options.max_time = "5s";
  EXPECT_THROW(measurement_of(options, "small", two_gpus()), UsageError);
}

TEST(SessionOptions, RoundsAndBudgetHaveDefaults) {
  RunOptions options;
  EXPECT_EQ(rounds_of(options, 8), 8);
  options.rounds = "2";
  EXPECT_EQ(rounds_of(options, 8), 2);
  EXPECT_EQ(budget_of("", 60.0), 60.0);
  EXPECT_EQ(budget_of("", std::nullopt), std::nullopt);
  EXPECT_EQ(budget_of("90s", 60.0), 90.0);
  EXPECT_EQ(seed_of(options), 1u);
}

TEST(SessionOptions, DevicesOfTheEnvironmentAreNamedAsSuch) {
  const Environment wrong(Variables{{"SPEEDWELL_DEVICES", "7"}});
  try {
    devices_of("", two_gpus());
    ADD_FAILURE() << "there is no GPU 7";
  } catch (const core::Unavailable& e) {
    EXPECT_STREQ(e.what(), "SPEEDWELL_DEVICES: GPU 7 is not here: there are 0 to 1");
  }
}

}  // namespace
}  // namespace speedwell::session

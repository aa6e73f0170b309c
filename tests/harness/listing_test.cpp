// What is listed of applications, machines and ceilings, as text.
#include "speedwell/harness/tables/listing.hpp"

#include <gtest/gtest.h>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/records/build_info.hpp"
#include "speedwell/harness/records/info.hpp"
#include "speedwell/harness/tables/ceilings_table.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

machine::Machine without_gpu() {
  machine::Machine made;
  made.cpu.name = "a processor";
  made.cpu.cores = 2;
  made.gpu_reason = "no GPU in this test";
  return made;
}

TEST(Listing, HasVariantsSizesAndParametersOfAnApplication) {
  const Application toy = test::toy_application();
  const std::string text = list_application(toy, without_gpu());
  EXPECT_TRUE(text.starts_with(toy.name + ": " + toy.summary + "\n\nvariants\n  serial")) << text;
  for (const Size& size : toy.sizes) EXPECT_NE(text.find("\n  " + size.name), std::string::npos);
  for (const Parameter& parameter : toy.parameters)
    EXPECT_NE(text.find("\n  " + parameter.key + "="), std::string::npos);
  EXPECT_EQ(list_variants({toy}, without_gpu()).find("sizes\n"), std::string::npos);
  EXPECT_TRUE(list_sizes({toy}).starts_with(toy.name + "\n  "));
  EXPECT_EQ(list_applications({toy}), toy.name + "  " + toy.summary + "\n");
}

TEST(Listing, TellsOfVariantsOnSeveralGpusThatThereIsNone) {
  Application toy = test::toy_application();
  Variant multi = toy.variants.front();
  multi.name = "multi";
  multi.backend = Backend::multi;
  toy.variants = {multi};
  EXPECT_NE(list_variants({toy}, without_gpu()).find("(1) not here: no GPU in this test\n"), std::string::npos);
  EXPECT_EQ(to_string(Backend::multi), "multi");
}

TEST(Listing, TellsWhyAVariantIsNotHereOnce) {
  Application toy = test::toy_application();
  Variant one = toy.variants.front(), two = one;
  one.name = "one";
  two.name = "two";
  one.make = two.make = {};
  one.unavailable_reason = two.unavailable_reason = "not in this build";
  toy.variants = {one, two};
  const std::string text = list_variants({toy}, without_gpu());
  EXPECT_NE(text.find("(1) not here: not in this build\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("(2)"), std::string::npos) << text;
}

TEST(Listing, HasTheHostAndTheReasonForNoGpu) {
  EXPECT_TRUE(list_devices(without_gpu()).starts_with("host: 2 cores of a processor, "));
  EXPECT_TRUE(list_devices(without_gpu()).ends_with("gpu: none: no GPU in this test\n"));
  machine::Machine one_core = without_gpu();
  one_core.cpu.cores = 1;
  EXPECT_TRUE(list_devices(one_core).starts_with("host: 1 core of a processor, "));
}

TEST(DeviceName, SaysHowManyThreadsAndCores) {
  machine::Machine machine = without_gpu();
  machine.cpu.cores = 1;
  machine.cpu.threads = 2;
  const auto name = [&](int threads) { return device_name(DeviceKind::cores, threads, -1, machine); };
  EXPECT_EQ(name(1), "1 core of a processor");
  EXPECT_EQ(name(2), "2 threads on 1 core of a processor");
  machine.cpu.cores = 2;
  machine.cpu.threads = 4;
  EXPECT_EQ(name(2), "2 cores of a processor");
  EXPECT_EQ(name(4), "4 threads on 2 cores of a processor");
  EXPECT_EQ(device_name(DeviceKind::core, 4, -1, machine), "one core of a processor");
}

TEST(InfoText, HasTheMachineAndTheBuild) {
  const std::string text = info_text(without_gpu(), 1);
  EXPECT_TRUE(text.starts_with("speedwell      ")) << text;
  EXPECT_NE(text.find("GPU            none: no GPU in this test\n"), std::string::npos) << text;
  const auto info = info_document(without_gpu(), 3, {})["info"];
  EXPECT_EQ(info["ranks"], 3);
  EXPECT_EQ(info["source_digests"]["stream"], source_digest("stream", false));
  EXPECT_EQ(info["source_digests"]["stream"].get<std::string>().size(), 16u);
}

TEST(CeilingsTable, HasALineForEach) {
  machine::Ceilings ceilings;
  ceilings.entries.push_back({"host.copy", 12.5, "GB/s", 12, 13, {12, 12.5, 13}});
  EXPECT_NE(ceilings_table(ceilings).find("host.copy"), std::string::npos);
  const std::string csv = ceilings_csv(ceilings);
  EXPECT_TRUE(csv.starts_with("ceiling,what,unit,value,low,high,samples,stable\r\nhost.copy,\"")) << csv;
  EXPECT_NE(csv.find(",GB/s,12.5,12,13,3,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace speedwell::harness

#include <gtest/gtest.h>

#include <random>

#include "samples.hpp"
#include "speedwell/harness/records/json_position.hpp"
#include "speedwell/harness/records/record_reader.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::harness::records {
namespace {

using samples::Json;

Json small() {
  Json document = samples::machine(true, 4);
  document["runs"].push_back(samples::run("toy", {{"n", 10}, {"precision", "f64"}},
                                          {{"name", "serial"}, {"backend", "serial"}, {"role", "plain"}}, "core",
                                          {1e-3, 0, 2e-3, 0}));
  return document;
}

TEST(RecordReader, ReadsWhatTheContractSays) {
  const Document d = parse_document(small().dump(), "x.json");
  ASSERT_TRUE(d.machine);
  EXPECT_EQ(d.machine->gpus.at(0).name, "NVIDIA H200");
  EXPECT_EQ(d.machine->ceiling("gpu.triad"), 4400);
  EXPECT_FALSE(d.machine->ceiling("gpu.nothing"));
  ASSERT_EQ(d.runs.size(), 1u);
  const records::Run& run = d.runs[0];
  EXPECT_TRUE(run.timed());
  EXPECT_EQ(to_string(run.problem.at("n")), "10");
  EXPECT_EQ(run.phases.execute->samples.size(), 9u);
  EXPECT_FALSE(run.phases.upload);
  EXPECT_EQ(run.limit_reason, "no ceiling was measured");
  EXPECT_EQ(d.session.environment.at("OMP_NUM_THREADS"), "4");
}

TEST(RecordReader, ReadsAPredictionOrWhyThereIsNone) {
  Json document = small();
  EXPECT_FALSE(parse_document(document.dump(), "x").runs[0].prediction) << "records of before have none";
  document["runs"][0]["prediction"] = {{"model", "tiles"}, {"time_s", 0.25}, {"ratio", 1.5}};
  const records::Run run = parse_document(document.dump(), "x").runs[0];
  ASSERT_TRUE(run.prediction);
  EXPECT_EQ(run.prediction->model, "tiles");
  EXPECT_EQ(run.prediction->time_s, 0.25);
  EXPECT_EQ(run.prediction->ratio, 1.5);
  document["runs"][0]["prediction"] = nullptr;
  document["runs"][0]["prediction_reason"] = "no GPU";
  EXPECT_EQ(parse_document(document.dump(), "x").runs[0].prediction_reason, "no GPU");
  document["runs"][0]["prediction"] = {{"model", "tiles"}};
  EXPECT_THROW(parse_document(document.dump(), "x"), io::InputError);
}

TEST(RecordReader, IgnoresKeysThatItDoesNotKnow) {
  Json document = small();
  document["new"] = {{"a", {1, 2, 3}}};
  document["runs"][0]["new"] = "x";
  document["runs"][0]["phases"]["new_s"] = 5;
  EXPECT_EQ(parse_document(document.dump(), "x.json").runs.size(), 1u);
}

TEST(RecordReader, ADocumentOfAFailedCommandNeedsNoMachine) {
  const Document d = parse_document(
      R"({"schema":"speedwell-records/1","error":{"status":4,"id":"gpu.none","message":"no GPU","hint":null},"runs":[]})",
      "x");
  EXPECT_FALSE(d.machine);
  EXPECT_EQ(d.failure->status, 4);
}

struct Wrong {
  const char* path;   // JSON pointer of what is replaced
  const char* value;  // by this; null: removed
  const char* says;
  const char* line = nullptr;  // what the named line holds, if not the key
};

// What the named line holds: the key, or the element of an array; of what is missing the object that lacks it.
std::string held_by_the_line(const Wrong& wrong) {
  const auto quoted = [](const Json::json_pointer& path) {
    return path.empty() || path.back() == "0" ? std::string("{") : '"' + path.back() + '"';
  };
  const Json::json_pointer path(wrong.path);
  if (wrong.line) return wrong.line;
  if (!wrong.value) return quoted(path.parent_pointer());
  return path.back() == "0" ? std::string(wrong.value) : quoted(path);
}
class RecordReaderRefuses : public testing::TestWithParam<Wrong> {};
TEST_P(RecordReaderRefuses, WithFileLineAndWhatIsWrong) {
  Json document = small();
  const Json::json_pointer path(GetParam().path);
  if (GetParam().value)
    document[path] = Json::parse(GetParam().value);
  else
    document[path.parent_pointer()].erase(path.back());
  const std::string text = document.dump(1);
  try {
    parse_document(text, "x.json");
    FAIL() << "it was read";
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.file(), "x.json");
    EXPECT_NE(error.message().find(GetParam().says), std::string::npos) << error.message();
    std::size_t begin = 0;
    for (std::size_t line = 1; line < error.line(); ++line) begin = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    EXPECT_NE(line.find(held_by_the_line(GetParam())), std::string::npos) << error.line() << ": " << line;
    if (!GetParam().value && path.parent_pointer().empty()) {
      EXPECT_EQ(error.line(), 1u);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    Shapes, RecordReaderRefuses,
    testing::Values(Wrong{"/schema", R"("speedwell-records/2")", "this version reads speedwell-records/1"},
                    Wrong{"/schema", nullptr, "missing"}, Wrong{"/schema", "1", "not a text"},
                    Wrong{"/machine", nullptr, "missing"}, Wrong{"/machine", "[]", "not an object"},
                    Wrong{"/machine/id", nullptr, "missing"}, Wrong{"/machine/cpu/cores", "1.5", "whole number"},
                    Wrong{"/machine/gpus", "{}", "not an array"}, Wrong{"/machine/ceilings/0/value", "-1", "negative"},
                    Wrong{"/runs", nullptr, "missing"}, Wrong{"/runs", "3", "not an array"},
                    Wrong{"/runs/0", "[]", "not an object"}, Wrong{"/runs/0/application", nullptr, "missing"},
                    Wrong{"/runs/0/problem", "null", "missing"}, Wrong{"/runs/0/problem/n", "[1]", "not a number"},
                    Wrong{"/runs/0/key", "7", "not a text"}, Wrong{"/runs/0/seed", "-1", "whole number"},
                    Wrong{"/runs/0/variant/name", nullptr, "missing"},
                    Wrong{"/runs/0/status", R"("good")", "none of passed"},
                    Wrong{"/runs/0/device/kind", R"("tpu")", "none of core"},
                    Wrong{"/runs/0/verdict", "null", "in a run that passed"},
                    Wrong{"/runs/0/verdict/passed", "false", "whose status is passed", "\"verdict\""},
                    Wrong{"/runs/0/phases", "null", "no execute_s"},
                    Wrong{"/runs/0/phases/execute_s/median", R"("fast")", "not a number"},
                    Wrong{"/runs/0/phases/execute_s/median", "-1e-3", "negative"},
                    Wrong{"/runs/0/phases/execute_s/interval", "[2, 1]", "wrong order"},
                    Wrong{"/runs/0/phases/execute_s/interval", "[-1, 1]", "negative"},
                    Wrong{"/runs/0/phases/execute_s/interval", "[1]", "pair"},
                    Wrong{"/runs/0/phases/execute_s/samples", R"([1, "x"])", "not a number", "\"x\""},
                    Wrong{"/runs/0/throttled", "0", "neither true nor false"},
                    Wrong{"/runs/0/clock_MHz", "[1, 2, 3]", "pair"},
                    Wrong{"/runs/0/choices", R"({"a": 1})", "not a text", "\"a\""}));

TEST(RecordReader, AMistakeOfSyntaxHasLineAndColumn) {
  try {
    parse_document("{\n  \"schema\": \"speedwell-records/1\",\n  \"runs\": ]\n}", "x.json");
    FAIL();
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.line(), 3u);
    EXPECT_EQ(error.column(), 11u);
  }
}

TEST(RecordReader, LinesOfAJsonlFileAreDocumentsAndErrorsNameTheLine) {
  const std::string good = samples::line(small());
  EXPECT_EQ(parse_documents(good + "\n" + good, "r.jsonl").size(), 2u);
  EXPECT_EQ(parse_documents(good.substr(0, good.size() - 1), "r.jsonl").size(), 1u) << "the last line may lack its end";
  try {
    parse_documents(good + good + "{\"schema\":3}\n", "r.jsonl");
    FAIL();
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.line(), 3u);
    EXPECT_EQ(error.column(), 11u);
  }
  EXPECT_THROW(parse_documents("\n\n", "r.jsonl"), io::InputError);
  EXPECT_THROW(parse_documents("", "r.json"), io::InputError);
  EXPECT_THROW(parse_documents(good + good, "r.json"), io::InputError) << "two documents are not one";
  EXPECT_THROW(read_documents({"/nonexistent/r.json"}), io::InputError);
}

TEST(RecordReader, FilesOfBothKindsAreReadInOrder) {
  const std::string folder = SPEEDWELL_RECORDS;
  const auto documents = read_documents({folder + "/failures.json", folder + "/two-sessions.jsonl"});
  ASSERT_EQ(documents.size(), 7u);
  EXPECT_EQ(documents[0].runs.size(), 5u);
  EXPECT_EQ(documents[1].runs.at(0).application, "alignment");
  EXPECT_LT(documents[1].session.started, documents[6].session.started);
}

TEST(RecordReader, NumbersThatNoDoubleHoldsAndEndlessNestingAreErrors) {
  EXPECT_THROW(parse_document("{\"schema\": 1e999}", "x"), io::InputError);
  EXPECT_THROW(parse_document(std::string(2'000'000, '['), "x"), io::InputError);
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_THROW(parse_document("{\"machine\":" + deep + "}", "x"), io::InputError);
  EXPECT_THROW(parse_document("{\"x\":" + deep + ",\"schema\":3}", "x"), io::InputError) << "the walker gets past it";
}

TEST(RecordReader, MoreParametersThanATableHasColumnsForAreRefused) {
  Json document = small();
  for (int i = 0; i < 300; ++i) document["runs"][0]["problem"]["p" + std::to_string(i)] = i;
  EXPECT_THROW(parse_document(document.dump(), "x"), io::InputError);
}

// Every prefix, and 20,000 single-byte changes: read, or refused with a position inside the text; never anything else.
TEST(RecordReader, DamagedTextIsReadOrRefusedAndNothingElse) {
  const std::string good = small().dump();
  const auto attempt = [](const std::string& text) {
    try {
      parse_document(text, "x");
    } catch (const io::InputError& error) {
      EXPECT_LE(error.column(), text.size() + 1);
    }
  };
  for (std::size_t size = 0; size < good.size(); size += 7) attempt(good.substr(0, size));
  std::minstd_rand random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    text[random() % text.size()] = static_cast<char>(random() % 256);
    attempt(text);
  }
}

TEST(JsonPosition, FollowsKeysAndIndices) {
  const std::string text = "{ \"a\": [10, {\"b\\\"]\": 1, \"c\": \"}\"}],\n  \"d\" : true}";
  EXPECT_EQ(text.substr(find_value(text, {"a", "1", "c"}), 3), "\"}\"");
  EXPECT_EQ(text.substr(find_value(text, {"d"}), 4), "true");
  EXPECT_EQ(text[find_value(text, {"a", "7"})], '[') << "the last step that exists";
  const TextPosition position = position_of(text, find_value(text, {"d"}));
  EXPECT_EQ(position.line, 2u);
  EXPECT_EQ(position.column, 9u);
}

}  // namespace
}  // namespace speedwell::harness::records

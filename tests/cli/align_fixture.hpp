// Calls `speedwell align` as a function, on sequences that a test writes down.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/database_search/scores.hpp"
#include "speedwell/cli/align.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell::cli {

namespace fs = std::filesystem;
using database_search::cpu_scores;
using database_search::PairAligner;
using database_search::ScoreProvider;

class Align : public testing::Test {
 protected:
  Align() : folder_(fs::path(testing::TempDir()) / ("speedwell-align-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    for (const auto& record : io::read_sequences(SPEEDWELL_TEST_DATA "/well-known-proteins.fa").records)
      proteins_[record.name] = record.sequence;
  }
  ~Align() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string fasta(std::initializer_list<std::string> names) const {
    std::string text;
    for (const std::string& name : names) text += ">" + name + "\n" + proteins_.at(name) + "\n";
    return text;
  }

  // The output of `speedwell align query.fa database.fa WORDS…`.
  std::string align(const std::string& query, const std::string& database, std::vector<std::string> words = {}) {
    AlignOptions options;
    CLI::App app;
    add_align_options(app, options);
    words.insert(words.begin(), {file("query.fa", query), file("database.fa", database)});
    std::reverse(words.begin(), words.end());
    app.parse(words);
    options.request.threads = 2;
    options.output.program_version = "1.2.3";
    options.output.command_line = "speedwell align\tq d";
    options.request.stop = stop_;
    options.request.scores = provider_ ? provider_ : cpu_scores(2);
    options.request.aligner = aligner_;
    std::ostringstream out, err;
    finished_ = run_align(options, out, err);
    messages_ = err.str();
    return out.str();
  }
  std::string usage_error(const std::string& query, const std::string& database, std::vector<std::string> words) {
    try {
      align(query, database, std::move(words));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
  std::map<std::string, std::string> proteins_;
  std::string messages_;
  ScoreProvider provider_;
  PairAligner aligner_ = alignment::align;
  const std::atomic<bool>* stop_ = nullptr;
  bool finished_ = false;
};

}  // namespace speedwell::cli

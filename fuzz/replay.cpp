// A fuzzer without libFuzzer, for every build's tests: the inputs of the corpus and so many mutations of each, the same
// in every run. `replay MUTATIONS FOLDER`; an input that breaks a property is left in the working folder as
// `broken-input`.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" [[gnu::weak]] int LLVMFuzzerInitialize(int* count, char*** arguments);

namespace {

std::string input;

void keep(int signal) {
  if (std::FILE* file = std::fopen("broken-input", "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void execute() { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()); }

/// One to four changes: a bit, a byte, a piece left out, written twice, or taken from another input.
std::string mutated(std::string bytes, const std::vector<std::string>& corpus, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  static constexpr char awkward[] = "\0\n\r\t\x7f\xff>@+%-.,;:=*/\"'0919eE nN";
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(bytes.size() + 1), length = 1 + below(below(64) + 1);
    const std::string& other = corpus[below(corpus.size())];
    switch (below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = awkward[below(sizeof awkward - 1)];
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4:
        bytes.insert(at, other.substr(below(other.size()), length));
        break;
      default:
        bytes.insert(at, 1, awkward[below(sizeof awkward - 1)]);
    }
  }
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: %s MUTATIONS FOLDER\n", arguments[0]), 2;
  const long mutations = std::strtol(arguments[1], nullptr, 10);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[2])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());  // folders have no order: the mutations of a run are those of every run
  std::vector<std::string> corpus;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  if (corpus.empty()) return std::fprintf(stderr, "no input in %s\n", arguments[2]), 1;
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&count, &arguments);
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, keep);
  std::mt19937_64 random(1);
  for (const std::string& seed : corpus) {
    input = seed;
    execute();
    for (long i = 0; i < mutations; ++i) {
      input = mutated(seed, corpus, random);
      execute();
    }
  }
  std::printf("%zu inputs, %ld mutations of each\n", corpus.size(), mutations);
  return 0;
}

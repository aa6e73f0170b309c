// A flow with a history and checkpoints in a folder, stopped by a time limit and resumed: example_resumed_flow FOLDER
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>

#include "speedwell/simulation/driver.hpp"

constexpr const char* vortices =
    "schema = 1\n"
    "[mesh]\ncells = [16, 16, 16]\nsize = [6.283185307179586, 6.283185307179586, 6.283185307179586]\n"
    "[fluid]\nviscosity = 0.1\n"
    "[start]\nflow = \"taylor-green\"\n"
    "[time]\nend = 1\n"
    "[output]\nhistory_every = 0.1\ncheckpoint_every = 0.25\n";

int main(int argc, char** argv) try {
  using namespace speedwell::simulation;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  SimulationOptions options;
  options.folder = argv[1];
  options.file = options.folder + ".toml";
  options.force = true;  // also into a folder that is not empty
  std::ofstream(options.file) << vortices;
  options.on_message = [](const Message& message) { std::cerr << message.text << "\n"; };
  options.time_limit = 0;  // seconds: the run saves and stops after its first step
  const SimulationEnd stopped = run(options);
  if (stopped.reason == StopReason::time_limit) std::cout << "stopped after step " << stopped.step << "\n";
  options.time_limit = 60;
  options.resume = true;
  std::cout << run(options).summary;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

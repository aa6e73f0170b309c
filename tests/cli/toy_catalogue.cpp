// A catalogue of one application, y = 2 x, for the tests of commands on ranks and GPUs, whose last rank may fail.
#include <chrono>
#include <csignal>
#include <thread>

#include "speedwell/catalogue.hpp"
#include "speedwell/core/error.hpp"
#include "tests/support/toy_ranks.hpp"

namespace speedwell {

std::vector<harness::Application> catalogue() {
  using harness::Backend;
  using test::of_the_last;
  harness::Application toy = test::toy_application();
  toy.prepare_rank = test::no_toy_data;
  toy.weak = [](const harness::Problem& p, int ranks) -> std::vector<harness::Setting> {
    return {{"n", p.get<std::int64_t>("n") * ranks}};
  };
  const auto row = [&](std::string name, double factor, test::Deed deed, Backend backend = Backend::mpi) {
    toy.variants.push_back(test::toy_on_ranks(std::move(name), backend, factor, std::move(deed)));
  };
  row("mpi", 2, of_the_last([] {}));
  row("mpi-wrong", 3, of_the_last([] {}));
  row("mpi-slow", 2, of_the_last([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }));
  row("mpi-endless", 2, of_the_last([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }));
  row("mpi-throws", 2, of_the_last([] { throw core::DeviceError("planted"); }));
  row("mpi-throws-everywhere", 2, [](const comm::Communicator&) { throw core::Unavailable("planted everywhere"); });
  row("mpi-killed", 2, of_the_last([] { std::raise(SIGKILL); }));
  row("multi", 2, of_the_last([] {}), Backend::multi);
  row("multi-wrong", 3, of_the_last([] {}), Backend::multi);
  return {toy};
}

}  // namespace speedwell

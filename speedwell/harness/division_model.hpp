// The performance model of a problem that is divided among ranks or GPUs: the largest part computes at the rate of the
// whole, and what it exchanges takes latencies and bytes over a bandwidth, of which some is hidden behind computation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/comm/decomposition.hpp"
#include "speedwell/comm/halo_layout.hpp"
#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/harness/records/record_reader.hpp"

namespace speedwell::harness {

/// What one part of a divided problem does in one execute(): the maximum over the parts of each figure.
struct Division {
  double share = 1;     // of the work of the whole problem
  double hiding = 0;    // of its own work, the fraction that is done while messages are under way
  double messages = 0;  // that it sends, one after the other
  double bytes = 0;     // that it sends to others
  double sums = 0;      // of few numbers over all parts, which wait for them
};

/// What the exchanges of a halo are, per execute.
struct HaloTraffic {
  double exchanges = 1;
  double bytes_per_cell = 8;  // of each cell of the halo, in one exchange
  bool hidden = true;         // behind the cells that read no halo
};

/// The division of a box, of whose cells each is as much work.
Division division_of_box(const comm::Decomposition& box, comm::HaloShape shape, const HaloTraffic& traffic);
/// The division of `count` equal items into contiguous parts.
Division division_of_items(std::int64_t count, int parts);

/// What messages take between two ranks or GPUs, of which the model takes every pair to be like these two.
struct LinkRates {
  double latency = 0;    // seconds
  double bandwidth = 0;  // bytes per second, each way while both are used
  double sum = 0;        // seconds of a sum of a number of each of the two
};
/// From the ceilings of a machine: link.… of two GPUs, mpi.… of two ranks. Nothing without them.
std::optional<LinkRates> link_rates(const records::Machine& machine, bool on_gpus);

/// A measured time of a division.
struct MeasuredDivision {
  Division division;
  double updates = 0;          // of the work of the whole problem
  double compute_seconds = 0;  // of an execute, without the communication that is not hidden
};

struct PredictedTime {
  double seconds = 0;
  double exposed = 0;  // of these, communication that computation does not hide
};
/// The time of an execute of a problem with so many updates on so many parts.
PredictedTime predict(const MeasuredDivision& measured, const Division& part, double updates, int parts,
                      const LinkRates& link);

/// A Projector::project that says what a part computes and sends; `scale --project` adds the times.
class DivisionModel {
 public:
  /// Throws std::invalid_argument for a number of parts that the problem cannot be divided into. `variant` is one on
  /// ranks or on several GPUs.
  using Divide = std::function<Division(const Problem& problem, const Variant& variant, int parts)>;

  explicit DivisionModel(Divide divide, std::vector<Variant> variants)
      : divide_(std::move(divide)), variants_(std::move(variants)) {}

  Division divide(const Problem& problem, const Variant& variant, int parts) const {
    return divide_(problem, variant, parts);
  }
  std::vector<Projection> operator()(const Problem& problem, const Problem& machine, const Context& here) const;

 private:
  Divide divide_;
  std::vector<Variant> variants_;
};

/// Gives the application a projector of this model. To be called when its variants are complete.
void set_division_model(Application& application, DivisionModel::Divide divide);
/// The model that set_division_model() gave; null without one.
const DivisionModel* division_model(const Application& application);

}  // namespace speedwell::harness

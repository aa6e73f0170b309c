#include "speedwell/apps/npb/ep/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/apps/npb/ep/reference.hpp"

namespace speedwell::npb::ep {
namespace {

using Counts = std::array<std::int64_t, annuli>;

struct Published {
  Class c;
  int m;
  double sum_x, sum_y;
  std::optional<Counts> counts;
};

// Sums: the verification of NPB 3.4. Counts: computed on several machines by programs that share no code with this one.
const Published table[] = {
    {Class::S, 24, -3.247834652034740e+3, -6.958407078382297e+3, Counts{6140517, 5865300, 1100361, 68546, 1648, 17}},
    {Class::W, 25, -2.863319731645753e+3, -6.320053679109499e+3, Counts{12281576, 11729692, 2202726, 137368, 3371, 36}},
    {Class::A, 28, -4.295875165629892e+3, -1.580732573678431e+4,
     Counts{98257395, 93827014, 17611549, 1110028, 26536, 245}},
    {Class::B, 30, 4.033815542441498e+4, -2.660669192809235e+4,
     Counts{393058470, 375280898, 70460742, 4438852, 105691, 948, 5}},
    {Class::C, 32, 4.764367927995374e+4, -8.084072988043731e+4,
     Counts{1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13}},
    {Class::D, 36, 1.982481200946593e+5, -1.020596636361769e+5,
     Counts{25154622775, 24017899906, 4508609839, 284201296, 6776403, 61541, 197}},
    {Class::E, 40, -5.319717441530e+5, -3.688834557731e+5,
     Counts{402472491787, 384285547773, 72139715664, 4547154685, 108408570, 986325, 3374, 8}},
    {Class::F, 44, -1.986768071074039e+1, -2.164441190520301e+1, std::nullopt},
};

double relative_error(double expected, double got) { return std::abs((got - expected) / expected); }

}  // namespace

Problem problem_of(Class c) {
  return {std::find_if(std::begin(table), std::end(table), [&](const Published& p) { return p.c == c; })->m};
}

std::optional<Class> class_of(const Problem& problem) {
  for (const Published& p : table)
    if (p.m == problem.m) return p.c;
  return std::nullopt;
}

Expected expect(const Problem& problem) {
  require_valid(problem);
  for (const Published& p : table)
    if (p.m == problem.m) return {p.sum_x, p.sum_y, p.counts, std::string("official sums of class ") + letter(p.c)};
  const Result own = reference(problem);
  return {own.sum_x, own.sum_y, own.counts, "the definition pair by pair, sums"};
}

core::Verdict verify(const Expected& expected, const Result& got) {
  const double x = relative_error(expected.sum_x, got.sum_x), y = relative_error(expected.sum_y, got.sum_y);
  std::string oracle = expected.oracle + ", relative error";
  if (expected.counts)
    for (std::size_t l = 0; l < annuli; ++l)
      if (got.counts[l] != (*expected.counts)[l])
        return core::Verdict::from_error(std::numeric_limits<double>::infinity(), tolerance,
                                         oracle + "; annulus " + std::to_string(l) + " has " +
                                             std::to_string(got.counts[l]) + " pairs, not " +
                                             std::to_string((*expected.counts)[l]));
  return core::Verdict::from_error(std::isnan(x)   ? x
                                   : std::isnan(y) ? y
                                                   : std::max(x, y),
                                   tolerance, std::move(oracle));
}

}  // namespace speedwell::npb::ep

#include "speedwell/apps/ssca1/kernel_result.hpp"

#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace speedwell::ssca1 {
namespace {

/// Puts values into the array.
class Writer {
 public:
  template <std::integral T>
  void value(const T& x) {
    numbers.push_back(static_cast<std::int64_t>(x));
  }
  template <class List>
  void length(const List& list) {
    value(list.size());
  }
  std::vector<std::int64_t> numbers;
};

/// Takes them out again.
class Reader {
 public:
  explicit Reader(std::span<const std::int64_t> numbers) : numbers_(numbers) {}
  template <std::integral T>
  void value(T& x) {
    // Beyond any position, and so small that sums and differences of a few do not overflow.
    constexpr std::int64_t maximum = std::int64_t{1} << 48;
    if (numbers_.empty()) throw std::invalid_argument("the result ends too early");
    const std::int64_t number = numbers_.front();
    x = static_cast<T>(number);
    if (number < -maximum || number > maximum || static_cast<std::int64_t>(x) != number)
      throw std::invalid_argument(std::to_string(number) + " is no value of a result");
    numbers_ = numbers_.subspan(1);
  }
  template <class List>
  void length(List& list) {
    std::int64_t count = 0;
    value(count);
    // An element takes a number at least, so that no count asks for more memory than the result has.
    if (count < 0 || count > std::ssize(numbers_)) throw std::invalid_argument("a list is longer than the result");
    list.resize(static_cast<std::size_t>(count));
  }
  void expect_end() const {
    if (!numbers_.empty()) throw std::invalid_argument("the result is too long");
  }

 private:
  std::span<const std::int64_t> numbers_;
};

// One description of every type for both. Lists that may be long come last.
template <class Archive, class T>
void visit(Archive& archive, T& x);

template <class Archive, class... T>
void visit_all(Archive& archive, T&... values) {
  (visit(archive, values), ...);
}

template <class Archive, class T>
void visit(Archive& archive, T& x) {
  using Type = std::remove_const_t<T>;
  if constexpr (std::integral<Type>) {
    archive.value(x);
  } else if constexpr (std::same_as<Type, Endpoint>) {
    visit_all(archive, x.score, x.main, x.match);
  } else if constexpr (std::same_as<Type, Endpoints>) {
    visit_all(archive, x.candidates, x.accepted);
  } else if constexpr (std::same_as<Type, CigarRun>) {
    visit_all(archive, x.operation, x.length);
  } else if constexpr (std::same_as<Type, LocalAlignment>) {
    visit_all(archive, x.score, x.main_begin, x.main_end, x.match_begin, x.match_end, x.cigar);
  } else if constexpr (std::same_as<Type, Traced>) {
    visit_all(archive, x.without_path, x.single_pairs, x.close_starts, x.alignments);
  } else if constexpr (std::same_as<Type, SimilarRegion>) {
    visit_all(archive, x.score, x.begin, x.end);
  } else if constexpr (std::same_as<Type, Differences>) {
    visit_all(archive, x.members, x.upper);
  } else if constexpr (std::same_as<Type, StarAlignment>) {
    visit_all(archive, x.sum_of_pairs, x.order, x.rows);
  } else {
    archive.length(x);
    for (auto& element : x) visit(archive, element);
  }
}

template <class Result>
KernelResult read(std::span<const std::int64_t> numbers) {
  Reader reader(numbers);
  Result result;
  visit(reader, result);
  reader.expect_end();
  return result;
}

}  // namespace

std::vector<std::int64_t> flatten(const KernelResult& result) {
  Writer writer;
  std::visit([&](const auto& output) { visit(writer, output); }, result);
  return std::move(writer.numbers);
}

KernelResult unflatten(int kernel, std::span<const std::int64_t> numbers) {
  switch (kernel) {
    case 1:
      return read<std::variant_alternative_t<0, KernelResult>>(numbers);
    case 2:
      return read<std::variant_alternative_t<1, KernelResult>>(numbers);
    case 3:
      return read<std::variant_alternative_t<2, KernelResult>>(numbers);
    case 4:
      return read<std::variant_alternative_t<3, KernelResult>>(numbers);
    case 5:
      return read<std::variant_alternative_t<4, KernelResult>>(numbers);
    default:
      throw std::logic_error("kernels have numbers from 1 to 5");
  }
}

}  // namespace speedwell::ssca1

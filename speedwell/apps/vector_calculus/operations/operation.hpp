// The operations of the application: the thirteen of the study's library, chains of them, and a copy, the baseline for
// all of them. Plain data without templates, shared by host and device code.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "speedwell/apps/vector_calculus/grid.hpp"

namespace speedwell::vector_calculus {

/// f, g: scalar fields. a, b, c, d: vector fields. s1 ... s4: numbers.
enum class Operation {
  copy,      // a
  add,       // a + b
  scale,     // s1 a                                kernel 12 of the study
  grad,      // grad f                              kernel 11
  div,       // div a
  curl,      // curl a
  dot,       // a . b                               kernel 6
  cross,     // a x b                               kernel 7
  norm2,     // a . a
  mul,       // f g
  lincomb4,  // s1 a + s2 b + s3 c + s4 d           kernel 1
  axpy,      // a + s1 b                            kernel 4
  fscale,    // f a
  advect,    // a . grad f
  // These are chains.
  flux,       // div(f a)
  laplacian,  // div(grad f)
  curl_grad,  // curl(grad f)
  area,       // |a x b|^2
  lorentz,    // (curl a) x a
  helicity,   // ((curl a) x a) . b
  momentum,   // s1 (curl a) x a - grad f - g b
};

struct OperationInfo {
  Operation operation;
  std::string_view name;
  std::string_view formula;
  int scalars, vectors;  // numbers of fields read: the first ones of f, g and of a, b, c, d
  int components;        // of the result
  int reach;             // number of nested derivatives
  int flops;             // operations per point
  int roundings;         // maximum for one term of the result, including one-sided boundaries
  bool flat;             // evaluated word by word
};

/// Roundings of a derivative at a one-sided boundary: 3 e, two sums, 1 / (2 dx) in working precision (rounded twice in
/// f32) and the product with it, 6 in total.
inline constexpr OperationInfo operations[] = {
    {Operation::copy, "copy", "a", 0, 1, 3, 0, 0, 0, true},
    {Operation::add, "add", "a + b", 0, 2, 3, 0, 3, 1, true},
    {Operation::scale, "scale", "s a", 0, 1, 3, 0, 3, 1, true},
    {Operation::grad, "grad", "grad f", 1, 0, 3, 1, 6, 6, false},
    {Operation::div, "div", "div a", 0, 1, 1, 1, 8, 8, false},
    {Operation::curl, "curl", "curl a", 0, 1, 3, 1, 15, 7, false},
    {Operation::dot, "dot", "a . b", 0, 2, 1, 0, 5, 3, false},
    {Operation::cross, "cross", "a x b", 0, 2, 3, 0, 9, 2, false},
    {Operation::norm2, "norm2", "a . a", 0, 1, 1, 0, 5, 3, false},
    {Operation::mul, "mul", "f g", 2, 0, 1, 0, 1, 1, false},
    {Operation::lincomb4, "lincomb4", "s1 a + s2 b + s3 c + s4 d", 0, 4, 3, 0, 21, 4, true},
    {Operation::axpy, "axpy", "a + s b", 0, 2, 3, 0, 6, 2, true},
    {Operation::fscale, "fscale", "f a", 1, 1, 3, 0, 3, 1, false},
    {Operation::advect, "advect", "a . grad f", 1, 1, 1, 1, 11, 9, false},
    {Operation::flux, "flux", "div(f a)", 1, 1, 1, 1, 14, 9, false},
    {Operation::laplacian, "laplacian", "div(grad f)", 1, 0, 1, 2, 14, 14, false},
    {Operation::curl_grad, "curl_grad", "curl(grad f)", 1, 0, 3, 2, 21, 13, false},
    {Operation::area, "area", "|a x b|^2", 0, 2, 1, 0, 14, 7, false},
    {Operation::lorentz, "lorentz", "(curl a) x a", 0, 1, 3, 1, 24, 9, false},
    {Operation::helicity, "helicity", "((curl a) x a) . b", 0, 2, 1, 1, 29, 12, false},
    {Operation::momentum, "momentum", "s (curl a) x a - grad f - g b", 2, 2, 3, 1, 42, 12, false},
};
constexpr const OperationInfo& info(Operation operation) { return operations[static_cast<int>(operation)]; }
constexpr bool is_chain(Operation operation) { return operation >= Operation::flux; }

/// The words that must be read and written for a point.
constexpr int words_read(const OperationInfo& o) { return o.scalars + 3 * o.vectors; }
constexpr int words(const OperationInfo& o) { return words_read(o) + o.components; }

/// One operation of the thirteen in a chain. Operands and result: 'f', 'g', 'a' to 'd' of the problem; 't', 'u', 'w',
/// intermediate vector fields; 'o', the result. `first` and `second` are the operation's f or a, then its a or b.
struct ChainStep {
  Operation operation;
  char first, second;  // second: 0 if there is none
  char out;
  int number = 0;  // the operation's s1: 0 for the chain's s1, -1 for the number -1
};
/// The operations of a chain in order. Empty for the thirteen.
std::span<const ChainStep> steps_of_chain(Operation operation);

/// Fields of an operation in host or device memory, in `layout`; those that it does not read may be null.
template <class T>
struct Operands {
  const Grid* grid = nullptr;
  const T* f = nullptr;
  const T* g = nullptr;
  const T *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
  T s[4] = {1, 1, 1, 1};
};

}  // namespace speedwell::vector_calculus

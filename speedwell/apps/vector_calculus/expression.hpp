// Expressions over fields: curl(grad(phi)), dot(cross(a, b), c), div(rho * u), s * a + t * b. Building one computes
// nothing; assign() (vector_calculus.hpp, gpu_vector_calculus.hpp) evaluates it point by point in one pass, so that
// intermediate results are not stored in memory. Derivatives are centred differences of second order, (f[i+1] - f[i-1])
// / (2 dx); the operand of a derivative is recomputed for each neighbour.
//   ScalarField<double> phi(grid);
//   VectorField<double> b(grid), force(grid);
//   assign(force, cross(curl(b), b) - 2 * grad(phi));
// An expression holds pointers to the fields, which must exist until it has been evaluated.
#pragma once

#include <type_traits>

#include "speedwell/apps/vector_calculus/operations/expression_nodes.hpp"

namespace speedwell::vector_calculus {

// The functions below build nodes and compute nothing. Operands are expressions or fields of one precision in one
// memory space; operands with the wrong number of components, or of two precisions, are errors of the compiler.

/// a + b, of two scalars or two vectors.
template <Operand A, Operand B>
auto operator+(const A& a, const B& b) {
  return Sum<ExpressionOf<A>, ExpressionOf<B>>{{}, expression(a), expression(b)};
}
/// a - b, of two scalars or two vectors.
template <Operand A, Operand B>
auto operator-(const A& a, const B& b) {
  return Difference<ExpressionOf<A>, ExpressionOf<B>>{{}, expression(a), expression(b)};
}
/// -a, of a scalar or a vector.
template <Operand A>
auto operator-(const A& a) {
  return Negative<ExpressionOf<A>>{{}, expression(a)};
}
/// A number times a scalar or a vector. The number is rounded to the field's precision first.
template <class Number, Operand A>
requires std::is_arithmetic_v<Number>
auto operator*(Number factor, const A& a) {
  return Scaled<ExpressionOf<A>>{{}, static_cast<typename ExpressionOf<A>::Real>(factor), expression(a)};
}
/// The same with the number behind.
template <Operand A, class Number>
requires std::is_arithmetic_v<Number>
auto operator*(const A& a, Number factor) { return factor * a; }
/// A scalar times a scalar or a vector, in either order. Both may be expressions; for two vectors use dot() or cross().
template <Operand A, Operand B>
auto operator*(const A& a, const B& b) {
  if constexpr (ExpressionOf<A>::components == 1)
    // The scalar is the first operand of the node.
    return Product<ExpressionOf<A>, ExpressionOf<B>>{{}, expression(a), expression(b)};
  else
    return Product<ExpressionOf<B>, ExpressionOf<A>>{{}, expression(b), expression(a)};
}
/// a . b of two vectors: a scalar.
template <Operand A, Operand B>
auto dot(const A& a, const B& b) {
  return Dot<ExpressionOf<A>, ExpressionOf<B>>{{}, expression(a), expression(b)};
}
/// a x b of two vectors: a vector.
template <Operand A, Operand B>
auto cross(const A& a, const B& b) {
  return Cross<ExpressionOf<A>, ExpressionOf<B>>{{}, expression(a), expression(b)};
}
/// a . a of a vector: a scalar.
template <Operand A>
auto norm2(const A& a) {
  return Norm2<ExpressionOf<A>>{{}, expression(a)};
}
/// The gradient of a scalar: a vector.
template <Operand A>
auto grad(const A& a) {
  return Gradient<ExpressionOf<A>>{{}, expression(a)};
}
/// The divergence of a vector: a scalar.
template <Operand A>
auto div(const A& a) {
  return Divergence<ExpressionOf<A>>{{}, expression(a)};
}
/// The curl of a vector: a vector.
template <Operand A>
auto curl(const A& a) {
  return Curl<ExpressionOf<A>>{{}, expression(a)};
}
/// a . grad f, the derivative of the scalar f along the vector a: a scalar.
template <Operand A, Operand F>
auto advect(const A& a, const F& f) {
  return dot(a, grad(f));
}

}  // namespace speedwell::vector_calculus

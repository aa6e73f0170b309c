// The preconditioners of conjugate gradients.
#pragma once

namespace speedwell::krylov {

/// The preconditioner M in z = M r, where D is the diagonal of A. none: the identity. jacobi: 1/D. polynomial: 1/D +
/// omega 1/D (D - A) 1/D of the 2012 study, one term of the Neumann series.
enum class Preconditioner { none, jacobi, polynomial };

}  // namespace speedwell::krylov

// The OpenMP version that C++ sources of this build are compiled with, 0 without OpenMP: openmp_in_cuda_test.cu
// compares it with that of CUDA sources.
namespace speedwell::core {

#ifdef _OPENMP
extern const long openmp_in_cpp = _OPENMP;
#else
extern const long openmp_in_cpp = 0;
#endif

}  // namespace speedwell::core

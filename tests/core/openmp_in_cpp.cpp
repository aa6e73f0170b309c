// What C++ sources of this build know of OpenMP.
namespace speedwell::core {

#ifdef _OPENMP
extern const long openmp_in_cpp = _OPENMP;
#else
extern const long openmp_in_cpp = 0;
#endif

}  // namespace speedwell::core

# One call per part of the house. USES is the layer diagram: the only way a part sees another.

add_library(speedwell_flags INTERFACE)
target_compile_features(speedwell_flags INTERFACE cxx_std_20)
target_compile_options(speedwell_flags INTERFACE
  # A designated initialiser that leaves members at their defaults is how parameters are passed here.
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wno-unknown-pragmas
    -Wno-missing-field-initializers>
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas --extended-lambda>)
if(SPEEDWELL_SANITIZE)
  target_compile_options(speedwell_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SPEEDWELL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g>)
  target_link_options(speedwell_flags INTERFACE -fsanitize=${SPEEDWELL_SANITIZE})
endif()
if(SPEEDWELL_FUZZ)  # libFuzzer follows the coverage of the libraries too; its main() is linked in fuzz/ only
  target_compile_options(speedwell_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -g
      -UNDEBUG>)
  target_link_options(speedwell_flags INTERFACE -fsanitize=address,undefined)
endif()
if(SPEEDWELL_COVERAGE)
  target_compile_options(speedwell_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--coverage>)
  target_link_options(speedwell_flags INTERFACE --coverage)
endif()

# Precompiled headers, where they are asked for: of libraries, of what measures, of the commands and of tests. Sources include
# what they use all the same: a build without precompiled headers is the check. Those with options of their own take the
# headers as text. ccache does not keep objects that were made with one for another checkout.
set(speedwell_precompiled_library <algorithm> <array> <cmath> <cstddef> <cstdint> <cstring> <functional> <limits> <memory> <numeric>
  <optional> <random> <span> <stdexcept> <string> <string_view> <utility> <vector> <fmt/format.h>)
set(speedwell_precompiled_program ${speedwell_precompiled_library} <chrono> <iostream> <map> <set> <variant> <nlohmann/json.hpp>)
set(speedwell_precompiled_command ${speedwell_precompiled_program})
set(speedwell_precompiled_test ${speedwell_precompiled_program} <gtest/gtest.h>)

# speedwell_precompile(TARGET library|program|command|test): compiles the target with that precompiled header, made once. Commands
# compute nothing: most of their compilation would be the optimisation of what reads command lines.
function(speedwell_precompile target kind)
  if(kind STREQUAL command)
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  endif()
  if(NOT SPEEDWELL_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET speedwell_precompiled_${kind})
    set(source ${PROJECT_BINARY_DIR}/generated/precompiled_${kind}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}  // Only its precompiled header is used.\n")
    if(kind STREQUAL test)  # compiled as programs are: -fPIE, not -fPIC
      add_executable(speedwell_precompiled_test EXCLUDE_FROM_ALL ${source})
    else()
      add_library(speedwell_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${source})
    endif()
    speedwell_set_up(speedwell_precompiled_${kind})
    if(kind STREQUAL command)
      target_compile_options(speedwell_precompiled_command PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
    endif()
    if(kind STREQUAL test)
      target_link_libraries(speedwell_precompiled_test PRIVATE GTest::gtest)
    endif()
    target_precompile_headers(speedwell_precompiled_${kind} PRIVATE ${speedwell_precompiled_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM speedwell_precompiled_${kind})
endfunction()

function(speedwell_set_up target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:speedwell_flags> $<BUILD_INTERFACE:speedwell_dependencies>)
  target_compile_features(${target} PUBLIC cxx_std_20)  # headers use <span>: an outside project must know
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET default)
  if(SPEEDWELL_HAVE_OPENMP)
    target_link_libraries(${target} PRIVATE OpenMP::OpenMP_CXX)
  endif()
  if(SPEEDWELL_FMT_LIBRARY)
    target_link_libraries(${target} PRIVATE fmt::fmt)
  endif()
endfunction()

# speedwell_add_library(NAME HEADERS … SOURCES … CUDA … USES … LINKS …): an installed library, speedwell::NAME. With
# INTERNAL it is for the program alone: static, and not installed.
# CUDA sources are built only with CUDA; USES are other Speedwell libraries, LINKS anything else (private).
function(speedwell_add_library name)
  cmake_parse_arguments(PART "INTERNAL" "" "HEADERS;SOURCES;CUDA;USES;LINKS" ${ARGN})
  set(target speedwell_${name})
  set(kind "")
  if(PART_INTERNAL)
    set(kind STATIC)
  endif()
  add_library(${target} ${kind} ${PART_SOURCES})
  add_library(speedwell::${name} ALIAS ${target})
  speedwell_set_up(${target})
  speedwell_precompile(${target} library)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${PART_HEADERS})
  foreach(use ${PART_USES})
    target_link_libraries(${target} PUBLIC speedwell::${use})
  endforeach()
  target_link_libraries(${target} PRIVATE ${PART_LINKS})
  if(SPEEDWELL_HAVE_CUDA AND PART_CUDA)
    target_sources(${target} PRIVATE ${PART_CUDA})
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
  if(NOT PART_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY SPEEDWELL_INSTALLED ${target})
  endif()
endfunction()

# speedwell_add_adapter(NAME SOURCES … CUDA … USES … LINKS …): the part of an application that knows the harness; not installed.
function(speedwell_add_adapter name)
  cmake_parse_arguments(PART "" "" "SOURCES;CUDA;USES;LINKS" ${ARGN})
  set(target speedwell_${name}_adapter)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${PART_SOURCES})  # the program asks for it
  speedwell_set_up(${target})
  speedwell_precompile(${target} program)
  target_link_libraries(${target} PUBLIC speedwell_harness)
  foreach(use ${PART_USES})
    target_link_libraries(${target} PUBLIC speedwell::${use})
  endforeach()
  target_link_libraries(${target} PRIVATE ${PART_LINKS})
  if(SPEEDWELL_HAVE_CUDA AND PART_CUDA)
    target_sources(${target} PRIVATE ${PART_CUDA})
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
  set_property(GLOBAL APPEND PROPERTY SPEEDWELL_ADAPTERS ${target})
endfunction()

# speedwell_add_simd(NAME FILE [SSE41]): compiles FILE once for each instruction set, with SPEEDWELL_ISA set to baseline,
# avx2, avx512 or, where asked for, sse41, into the library NAME. FILE puts everything in a namespace of that name and includes no header with inline
# functions of its own choosing: the linker keeps one copy of those, perhaps the AVX-512 one. See core/isa.hpp.
function(speedwell_add_simd name file)
  set(isas baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    if("SSE41" IN_LIST ARGN)
      list(APPEND isas sse41)
    endif()
    list(APPEND isas avx2 avx512)
  endif()
  set(flags_baseline "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_BUILD_TYPE STREQUAL Release)
    set(flags_baseline -O1)  # for processors from before 2013: it has to be right, and a first build waits for it
  endif()
  set(flags_sse41 -msse4.1)
  set(flags_avx2 -march=x86-64-v3)
  set(flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  get_filename_component(stem ${file} NAME_WE)
  foreach(isa ${isas})
    set(target speedwell_${name}_${stem}_${isa})
    add_library(${target} OBJECT ${file})
    speedwell_set_up(${target})
    target_compile_options(${target} PRIVATE ${flags_${isa}})
    target_compile_definitions(${target} PRIVATE SPEEDWELL_ISA=${isa} SPEEDWELL_ISA_${isa}=1)
    target_sources(speedwell_${name} PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()

# speedwell_add_test(NAME SOURCES … CUDA … USES … LINKS …): one GoogleTest program; its tests appear one by one in ctest.
function(speedwell_add_test name)
  cmake_parse_arguments(PART "" "" "SOURCES;CUDA;USES;LINKS;LABELS" ${ARGN})
  set(target ${name}_test)
  set(sources ${PART_SOURCES})
  if(SPEEDWELL_HAVE_CUDA)
    list(APPEND sources ${PART_CUDA})
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(${target} ${sources})
  speedwell_set_up(${target})
  speedwell_precompile(${target} test)
  foreach(use ${PART_USES})
    if(TARGET speedwell_${use})
      target_link_libraries(${target} PRIVATE speedwell_${use})
    else()
      message(FATAL_ERROR "${name}: no part speedwell_${use}")
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gtest_main ${PART_LINKS})
  if(SPEEDWELL_HAVE_CUDA AND PART_CUDA)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
  if(NOT PART_LABELS)
    set(PART_LABELS unit)
  endif()
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${PART_LABELS} TIMEOUT 600)
endfunction()

# speedwell_add_ranks_test(NAME SOURCES … USES … RANKS …): a GoogleTest program whose tests all ranks of a launch run
# together (tests/support/ranks_main.cpp); it appears in ctest once for each number of ranks.
function(speedwell_add_ranks_test name)
  cmake_parse_arguments(PART "" "" "SOURCES;USES;RANKS" ${ARGN})
  set(target ${name}_test)
  add_executable(${target} ${PART_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/ranks_main.cpp)
  speedwell_set_up(${target})
  foreach(use ${PART_USES} comm)
    target_link_libraries(${target} PRIVATE speedwell_${use})
  endforeach()
  target_link_libraries(${target} PRIVATE GTest::gtest)
  foreach(ranks ${PART_RANKS})
    speedwell_add_launch(${name}.on_${ranks}_ranks ${ranks} $<TARGET_FILE:${target}>)
  endforeach()
endfunction()

# speedwell_add_launch(NAME RANKS COMMAND …): a test that a launcher runs.
function(speedwell_add_launch name ranks)
  if(SPEEDWELL_HAVE_MPI AND MPIEXEC_EXECUTABLE)
    add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${ARGN})
  else()
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: no MPI launcher was found")
  endif()
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
  speedwell_set_launch(${name} ${ranks})
endfunction()

# speedwell_set_launch(NAME RANKS): what a test that starts ranks needs. Open MPI is told by its environment, which MPICH
# does not read, that there are fewer cores than ranks and that it may be root.
function(speedwell_set_launch name ranks)
  set(environment "")
  if(SPEEDWELL_SANITIZE MATCHES address)  # MPI's libraries leave memory behind
    set(environment ASAN_OPTIONS=detect_leaks=0)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ranks TIMEOUT 600 PROCESSORS ${ranks}
    ENVIRONMENT "${environment};OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_hwloc_base_binding_policy=none;OMP_NUM_THREADS=1")
endfunction()

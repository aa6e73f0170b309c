# Installs a build (BUILD_DIR, or the libraries alone as KIND, made here without CUDA and with FLAGS), moves the tree to show that it is relocatable, then configures, builds and runs the outside project.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR}/prefix ${WORK_DIR}/moved ${WORK_DIR}/outside)
if(NOT BUILD_DIR)
  set(BUILD_DIR ${WORK_DIR}/build)
  set(shared OFF)
  if(KIND STREQUAL shared)
    set(shared ON)
  endif()
  run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${BUILD_DIR} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=${FLAGS} -DBUILD_SHARED_LIBS=${shared} -DSPEEDWELL_CUDA=OFF
      -DSPEEDWELL_MPI=OFF -DSPEEDWELL_PROGRAM=OFF -DSPEEDWELL_EXAMPLES=OFF
      -DCMAKE_INSTALL_RPATH=$ORIGIN/../lib -DCMAKE_INSTALL_LIBDIR=lib)
  run(${CMAKE_COMMAND} --build ${BUILD_DIR} --parallel 2)
endif()
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
file(RENAME ${WORK_DIR}/prefix ${WORK_DIR}/moved)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/outside -B ${WORK_DIR}/outside -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/moved)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/outside)
foreach(program aligned umbrella fields)
  execute_process(COMMAND ${WORK_DIR}/outside/${program} RESULT_VARIABLE status OUTPUT_VARIABLE output)
  if(NOT status EQUAL 0 OR NOT output MATCHES "^285\n$")  # HBA_HUMAN x HBB_HUMAN, BLOSUM62, 11/1: the published score
    message(FATAL_ERROR "${program}: status ${status}, printed '${output}', expected 285")
  endif()
endforeach()
if(KIND)
  return()  # no program
endif()
run(${WORK_DIR}/moved/bin/speedwell list apps)
run(${WORK_DIR}/moved/bin/speedwell solve ${WORK_DIR}/moved/share/speedwell/examples/cases/cavity.toml --dry-run)
execute_process(COMMAND ${WORK_DIR}/moved/bin/speedwell solve --help OUTPUT_VARIABLE help)
if(NOT help MATCHES "moved/share/speedwell/examples/cases")
  message(FATAL_ERROR "solve --help does not say where the example cases are:\n${help}")
endif()
foreach(text man/man1/speedwell.1 bash-completion/completions/speedwell zsh/site-functions/_speedwell
             fish/vendor_completions.d/speedwell.fish)
  file(READ ${WORK_DIR}/moved/share/${text} written)
  if(NOT written MATCHES "completion|wavefront")
    message(FATAL_ERROR "${text} is not what the program writes")
  endif()
endforeach()

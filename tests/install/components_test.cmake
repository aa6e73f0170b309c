# Included by install_test.cmake: what find_package(speedwell COMPONENTS …) asks the machine for.
file(GLOB_RECURSE config ${WORK_DIR}/moved/*/speedwell-config.cmake)
file(STRINGS ${config} needs_mpi REGEX "_speedwell_packages_comm.*MPI")

# configure_components(STATUS OUTPUT COMPONENTS …): where MPI and CUDA cannot be found.
function(configure_components status output)
  file(REMOVE_RECURSE ${WORK_DIR}/components)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/components -B ${WORK_DIR}/components -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK_DIR}/moved -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  string(REGEX REPLACE "[ \n]+" " " printed "${printed}")  # CMake wraps its messages
  set(${status} ${result} PARENT_SCOPE)
  set(${output} "${printed}" PARENT_SCOPE)
endfunction()

configure_components(status output -DWANTED=alignment,database_search,fft)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "alignment, database_search and fft without MPI: ${output}")
endif()
run(${CMAKE_COMMAND} --build ${WORK_DIR}/components)
expect_score(${WORK_DIR}/components/aligned)

configure_components(status output -DWANTED=nonsense)
if(status EQUAL 0 OR NOT output MATCHES "no component 'nonsense'; there are core,")
  message(FATAL_ERROR "a component that does not exist: status ${status}, ${output}")
endif()

configure_components(status output -DWANTED=alignment,uts)  # which uses comm
if(needs_mpi AND (status EQUAL 0 OR NOT output MATCHES "component 'uts' needs MPI, which was not found"))
  message(FATAL_ERROR "uts without MPI: status ${status}, ${output}")
elseif(NOT needs_mpi AND NOT status EQUAL 0)
  message(FATAL_ERROR "uts of a build that needs no MPI: ${output}")
endif()

set(found TRUE)
if(needs_mpi)
  set(found FALSE)
endif()
configure_components(status output -DWANTED=alignment -DWANTED_IF_POSSIBLE=comm,io)
if(NOT status EQUAL 0 OR NOT output MATCHES "comm: ${found} .*io: TRUE")
  message(FATAL_ERROR "optional components, comm to be found: ${found}; status ${status}, ${output}")
endif()

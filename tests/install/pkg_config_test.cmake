# Included by install_test.cmake: a program of all layers by the compiler and pkg-config alone.
find_program(PKG_CONFIG pkg-config)
file(GLOB_RECURSE pc ${WORK_DIR}/moved/*/speedwell.pc)
if(NOT PKG_CONFIG)
  message(STATUS "no pkg-config: speedwell.pc was not tried")
  return()
endif()
get_filename_component(folder ${pc} DIRECTORY)
get_filename_component(libraries ${folder} DIRECTORY)
set(kind --static)  # what archives need beside them stands in Libs.private and Requires.private
file(GLOB shared ${libraries}/*.so)
if(shared)
  set(kind "")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs ${kind} speedwell
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${COMPILER} -std=c++20 -O1 ${CMAKE_CURRENT_LIST_DIR}/outside/everything.cpp -o ${WORK_DIR}/everything ${flags})
expect_score(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  ${WORK_DIR}/everything ${CMAKE_CURRENT_LIST_DIR}/outside/haemoglobin.fa)

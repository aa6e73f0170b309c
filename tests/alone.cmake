# speedwell_run_alone(TEST …): tests that ctest runs beside no other, however many it may start: those that measure rates of a GPU or
# how much of its memory is free, and those that take all of it. They are tests of this folder that need CUDA.
function(speedwell_run_alone)
  if(NOT SPEEDWELL_HAVE_CUDA)
    return()
  endif()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/alone.cmake)
  list(JOIN ARGN " " names)
  file(CONFIGURE OUTPUT ${file} CONTENT "set_tests_properties(${names} PROPERTIES RUN_SERIAL TRUE)\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()

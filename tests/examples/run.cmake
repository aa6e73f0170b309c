# cmake -DPROGRAM=… -DARGUMENTS=… -DEXPECTED=REGEX -P run.cmake
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "status ${status}: ${output}")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "no '${EXPECTED}' in: ${output}")
endif()

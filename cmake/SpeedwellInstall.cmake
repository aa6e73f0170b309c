# Relocatable install: find_package(speedwell) with speedwell::core, speedwell::alignment … and the umbrella
# speedwell::speedwell; the program, its manual page, completion scripts, schema and examples.
include(CMakePackageConfigHelpers)
include(SpeedwellPublicHeaders)

get_property(installed GLOBAL PROPERTY SPEEDWELL_INSTALLED)
add_library(speedwell_umbrella INTERFACE)
set_target_properties(speedwell_umbrella PROPERTIES EXPORT_NAME speedwell)
target_link_libraries(speedwell_umbrella INTERFACE ${installed})

speedwell_keep_public_headers(${installed})
foreach(target ${installed})
  install(TARGETS ${target} EXPORT speedwell
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
install(TARGETS speedwell_umbrella EXPORT speedwell)
if(SPEEDWELL_PROGRAM)
  install(TARGETS speedwell_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # What report, diff, accept and compare-machines start.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/speedwell DESTINATION ${CMAKE_INSTALL_DATADIR}/speedwell/python
    PATTERN __pycache__ EXCLUDE PATTERN speedwell-records-1.json EXCLUDE)  # which is a link into schema/ here
  install(FILES ${PROJECT_SOURCE_DIR}/schema/speedwell-records-1.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/speedwell/python/speedwell)
endif()

include(SpeedwellNeeds)  # sets speedwell_component_needs, speedwell_components and what speedwell.pc.in asks for
set(SPEEDWELL_INSTALL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/speedwell)
install(EXPORT speedwell NAMESPACE speedwell:: DESTINATION ${SPEEDWELL_INSTALL_CMAKE_DIR} FILE speedwell-targets.cmake)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/speedwell-config.cmake.in ${PROJECT_BINARY_DIR}/speedwell-config.cmake
  INSTALL_DESTINATION ${SPEEDWELL_INSTALL_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/speedwell-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/speedwell-config.cmake ${PROJECT_BINARY_DIR}/speedwell-config-version.cmake
  DESTINATION ${SPEEDWELL_INSTALL_CMAKE_DIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/speedwell.pc.in ${PROJECT_BINARY_DIR}/speedwell.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/speedwell.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# What the program writes of itself. Where it cannot run it is left out.
if(SPEEDWELL_PROGRAM AND NOT CMAKE_CROSSCOMPILING)
  set(speedwell_texts ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${speedwell_texts}/man/man1/speedwell.1
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:speedwell_program> -DVERSION=${PROJECT_VERSION} -DTO=${speedwell_texts}
            -P ${CMAKE_CURRENT_LIST_DIR}/speedwell-texts.cmake
    DEPENDS speedwell_program ${CMAKE_CURRENT_LIST_DIR}/speedwell-texts.cmake VERBATIM)
  add_custom_target(speedwell_texts ALL DEPENDS ${speedwell_texts}/man/man1/speedwell.1)
  install(DIRECTORY ${speedwell_texts}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()

install(FILES ${PROJECT_SOURCE_DIR}/schema/speedwell-records-1.json DESTINATION ${CMAKE_INSTALL_DATADIR}/speedwell)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/cases DESTINATION ${CMAKE_INSTALL_DATADIR}/speedwell/examples)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Compiles through ccache where it is found, host and device code alike. Paths below the source folder are hashed relative to
# it, so that another checkout of the same sources hits. A launcher that the user has set is left alone.
option(SPEEDWELL_CCACHE "Compile through ccache where it is found" ON)
if(SPEEDWELL_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SPEEDWELL_CCACHE_PROGRAM ccache)
  mark_as_advanced(SPEEDWELL_CCACHE_PROGRAM)
  if(SPEEDWELL_CCACHE_PROGRAM)
    set(speedwell_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${SPEEDWELL_CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${speedwell_launcher})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${speedwell_launcher})
  endif()
endif()

# Run by the build (cmake -P): writes what the binary says of its own origin. Needs SOURCE_DIR, OUTPUT, TEMPLATE, APPLICATIONS
# and the values that the configure step found. An application is NAME, or NAME=FOLDER where its folder has another name.
# With SOURCE_DIR and DIGESTS=FILE alone it writes the digests of all applications as JSON, for tools/results.sh.
#
# The digest of an application is of everything that its variants are linked from or measured by, and of how that is compiled:
# its folder; the folders of other applications and the libraries in numerics (folders with a CMakeLists.txt) whose headers these
# files include, directly or not; core, comm, machine and the rest of numerics; harness/measurement; and the CMake files of
# all these. What only reads records or prints is no part of it, nor are comments to the end of a line and white
# space: a record stays current when a comment is reworded or a file is formatted.
# A folder in a folder that has a CMakeLists.txt is an application of its own upon the library of the one around it: the digest
# of what is around it does not depend on it, but its own on both.
cmake_policy(VERSION 3.25)

# sum_of(RESULT FILE): "path sum", each file read once. What follows "//" in a string is taken for a comment, too.
function(sum_of result file)
  get_property(sum GLOBAL PROPERTY "sum:${file}")
  if(NOT sum)
    file(READ ${file} text)
    if(file MATCHES "\\.(hpp|cpp|cu|cuh)$")
      string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    else()
      string(REGEX REPLACE "(^|\n)[ \t]*#[^\n]*" "" text "${text}")
    endif()
    string(REGEX REPLACE "[ \t\r\n]+" "" text "${text}")
    string(SHA256 sum "${text}")
    set_property(GLOBAL PROPERTY "sum:${file}" "${sum}")
  endif()
  file(RELATIVE_PATH relative ${SOURCE_DIR} ${file})
  set(${result} "${relative} ${sum}\n" PARENT_SCOPE)
endfunction()

# sources_of(RESULT FOLDER…): what is compiled there, and how.
function(sources_of result)
  set(found "")
  foreach(folder ${ARGN})
    file(GLOB_RECURSE files LIST_DIRECTORIES false ${SOURCE_DIR}/speedwell/${folder}/*)
    list(FILTER files INCLUDE REGEX "(\\.(hpp|cpp|cu|cuh)|/CMakeLists\\.txt)$")
    list(APPEND found ${files})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# library_of(RESULT FOLDER WITHOUT): the folder of apps/ without the applications inside it, but for WITHOUT.
function(library_of result folder kept)
  sources_of(files apps/${folder})
  file(GLOB nested RELATIVE ${SOURCE_DIR}/speedwell/apps ${SOURCE_DIR}/speedwell/apps/${folder}/*/CMakeLists.txt)
  foreach(other ${nested})
    string(REGEX REPLACE "/CMakeLists.txt$" "" other ${other})
    if(NOT other STREQUAL "${kept}")
      list(FILTER files EXCLUDE REGEX "/speedwell/apps/${other}/")
    endif()
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

sources_of(shared core comm machine numerics harness/measurement)
file(GLOB libraries RELATIVE ${SOURCE_DIR}/speedwell ${SOURCE_DIR}/speedwell/numerics/*/CMakeLists.txt)
list(TRANSFORM libraries REPLACE "/CMakeLists.txt$" "")
foreach(library ${libraries})
  list(FILTER shared EXCLUDE REGEX "/speedwell/${library}/")
endforeach()
list(APPEND shared ${SOURCE_DIR}/CMakeLists.txt ${SOURCE_DIR}/CMakePresets.json ${SOURCE_DIR}/cmake/SpeedwellOptions.cmake
  ${SOURCE_DIR}/cmake/SpeedwellParts.cmake ${SOURCE_DIR}/cmake/SpeedwellTargets.cmake)

set(digests "")
set(json "{}")
if(DEFINED DIGESTS)  # every folder with an adapter is an application
  file(GLOB adapters RELATIVE ${SOURCE_DIR}/speedwell/apps ${SOURCE_DIR}/speedwell/apps/*/adapter.cpp
    ${SOURCE_DIR}/speedwell/apps/*/*/adapter.cpp)
  foreach(adapter ${adapters})
    get_filename_component(folder ${adapter} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    list(APPEND APPLICATIONS ${name}=${folder})
  endforeach()
  string(JOIN "," APPLICATIONS ${APPLICATIONS})
endif()
string(REPLACE "," ";" applications "${APPLICATIONS}")
foreach(application ${applications})
  string(REGEX REPLACE ".*=" "" folder ${application})
  string(REGEX REPLACE "=.*" "" application ${application})
  string(REGEX REPLACE "/.*" "" library ${folder})
  library_of(files ${library} ${folder})
  set(linked apps/${library})  # and the applications and libraries that these include, and so on
  set(unread ${files})
  while(unread)
    set(next "")
    foreach(file ${unread})
      file(STRINGS ${file} includes REGEX "^#include \"speedwell/(apps|numerics)/[^/]*/")
      foreach(include ${includes})
        string(REGEX REPLACE "^#include \"speedwell/([^/]*/[^/]*)/.*" "\\1" other "${include}")
        if(NOT other IN_LIST linked)
          list(APPEND linked ${other})
          if(other MATCHES "^apps/(.*)")
            library_of(others ${CMAKE_MATCH_1} "")
          else()
            sources_of(others ${other})
          endif()
          list(APPEND next ${others})
        endif()
      endforeach()
    endforeach()
    list(APPEND files ${next})
    set(unread ${next})
  endwhile()
  list(APPEND files ${shared})
  list(REMOVE_DUPLICATES files)
  list(SORT files)
  set(all "")
  foreach(file ${files})
    sum_of(sum ${file})
    string(APPEND all "${sum}")
  endforeach()
  string(SHA256 digest "${all}")
  string(SUBSTRING ${digest} 0 16 digest)
  string(APPEND digests "    {\"${application}\", \"${digest}\"},\n")
  string(JSON json SET "${json}" ${application} "\"${digest}\"")
endforeach()
if(DEFINED DIGESTS)
  file(WRITE ${DIGESTS} "${json}\n")
  return()
endif()

set(commit "")
set(dirty false)
find_program(GIT git)
if(COMMIT)
  set(commit "${COMMIT}")  # what the configure step was told
elseif(GIT AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # Only what is compiled makes a build dirty; records and documents do not.
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} status --porcelain -- speedwell cmake CMakeLists.txt ":(exclude)*.md" OUTPUT_VARIABLE changes
    ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()

configure_file(${TEMPLATE} ${OUTPUT}.new @ONLY)
file(READ ${OUTPUT}.new text)
string(REPLACE "//DIGESTS//" "${digests}" text "${text}")
file(WRITE ${OUTPUT}.new "${text}")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})

# Texts that the program writes of itself, for the install: completion scripts and the manual page.
# cmake -DPROGRAM=speedwell -DVERSION=0.1.0 -DTO=FOLDER -P speedwell-texts.cmake
function(output_of result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# What is to be printed as it is: no line may begin a request of troff, nor a backslash an escape.
function(verbatim result text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} ".nf\n${text}\n.fi\n" PARENT_SCOPE)
endfunction()

foreach(script bash-completion/completions/speedwell=bash zsh/site-functions/_speedwell=zsh
               fish/vendor_completions.d/speedwell.fish=fish)
  string(REGEX MATCH "(.*)=(.*)" _ ${script})
  output_of(text completion ${CMAKE_MATCH_2})
  file(WRITE ${TO}/${CMAKE_MATCH_1} "${text}")
endforeach()

output_of(overview --help)
verbatim(described "${overview}")
set(page ".TH SPEEDWELL 1 \"\" \"Speedwell ${VERSION}\" \"User Commands\"
.SH NAME
speedwell \\- what a GPU does for HPC codes on this machine, verified and set against its limits
.SH SYNOPSIS
.B speedwell
.I COMMAND
[\\fIAPP\\fR|\\fIFILE\\fR...] [\\fIoptions\\fR]
.SH DESCRIPTION
${described}.SH COMMANDS
")
string(REGEX MATCHALL "\n  [a-z]+ " commands "${overview}")
foreach(command ${commands})
  string(STRIP "${command}" command)
  if(command STREQUAL "speedwell")
    continue()  # the examples
  endif()
  output_of(help ${command} --help)
  verbatim(described "${help}")
  string(APPEND page ".SS ${command}\n${described}")
endforeach()
string(APPEND page ".SH \"EXIT STATUS\"
0 when all is done and every verdict passed, 1 when a verdict failed, 2 for a mistake in the command line, 3 for one in an input
file, 4 for what is not available here, 5 for a failure while running, 6 for a slowdown that \\fBdiff \\-\\-fail\\-on\\fR found,
70 for a bug in Speedwell, 130 and 143 after SIGINT and SIGTERM.
.SH ENVIRONMENT
.BR SPEEDWELL_CONFIG ,
.BR SPEEDWELL_DEVICES ,
.BR SPEEDWELL_THREADS :
as the options \\-\\-config, \\-\\-devices and \\-\\-threads, which win.
.B SPEEDWELL_CACHE_DIR
has the measured ceilings of this machine (else XDG_CACHE_HOME/speedwell).
")
file(WRITE ${TO}/man/man1/speedwell.1 "${page}")

# Script: lists the cases of a doctest binary and writes add_test lines for ctest.
# BINARY, NAME, OUTPUT; LABELS, ARGS and PROPERTIES are lists separated by |.
execute_process(
  COMMAND ${BINARY} --list-test-cases --no-colors=true
  OUTPUT_VARIABLE output
  RESULT_VARIABLE result
  ERROR_VARIABLE error)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${BINARY} --list-test-cases failed (${result}):\n${output}${error}")
endif()
string(REPLACE "|" ";" ARGS "${ARGS}")
string(REPLACE "|" ";" PROPERTIES "${PROPERTIES}")
string(REPLACE "|" ";" LABELS "${LABELS}")

# Names may hold characters that mean something in a CMake list.
string(REPLACE "[" "@LEFT@" output "${output}")
string(REPLACE "]" "@RIGHT@" output "${output}")
string(REPLACE ";" "@SEMI@" output "${output}")
string(REPLACE "\\" "@BACK@" output "${output}")
string(REPLACE "\n" ";" output "${output}")
set(extra "")
foreach(item IN LISTS ARGS)
  string(APPEND extra " [==[${item}]==]")
endforeach()
set(properties "")
foreach(item IN LISTS PROPERTIES)
  string(APPEND properties " [==[${item}]==]")
endforeach()

set(script "")
foreach(line IN LISTS output)
  if(line STREQUAL "" OR line MATCHES "^====" OR line MATCHES "^@LEFT@doctest@RIGHT@")
    continue()
  endif()
  string(REPLACE "," "\\," filter "${line}") # doctest separates filters by commas
  set(name "${NAME}: ${line}")
  foreach(text filter name)
    string(REPLACE "@LEFT@" "[" ${text} "${${text}}")
    string(REPLACE "@RIGHT@" "]" ${text} "${${text}}")
    string(REPLACE "@SEMI@" ";" ${text} "${${text}}")
    string(REPLACE "@BACK@" "\\" ${text} "${${text}}")
  endforeach()
  string(APPEND script "add_test([==[${name}]==] [==[${BINARY}]==] [==[--test-case=${filter}]==]${extra})\n"
         "set_tests_properties([==[${name}]==] PROPERTIES LABELS [==[${LABELS}]==]"
         # A filter that selects nothing passes in doctest; here it is a failure.
         " FAIL_REGULAR_EXPRESSION [==[test cases: +0 ]==]${properties})\n")
endforeach()
file(WRITE ${OUTPUT} "${script}")

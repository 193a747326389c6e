# One call per folder: skua_part(NAME SOURCES ... LINKS ...) and skua_test(NAME SOURCES ... LINKS ...).
#
# A part is the target skua_<NAME>; what it links is what it may include (tools/tidy checks the includes too).
# A part without sources is a header-only (INTERFACE) target. All parts are gathered into the library `skua`.

function(skua_part name)
  cmake_parse_arguments(part "" "" "SOURCES;LINKS" ${ARGN})
  set(target skua_${name})
  if(part_SOURCES)
    add_library(${target} OBJECT ${part_SOURCES})
    set(scope PUBLIC)
    set_property(GLOBAL APPEND PROPERTY SKUA_OBJECT_PARTS ${target})
    target_compile_definitions(${target} PRIVATE $<$<BOOL:${SKUA_CHECKED}>:SKUA_CHECKED=1>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} ${scope} ${part_LINKS})
endfunction()

# A test program; its ctest name is NAME. LINKS name parts, or `skua` for the whole library.
function(skua_test name)
  if(NOT SKUA_TESTS)
    return()
  endif()
  cmake_parse_arguments(test "" "" "SOURCES;LINKS;ARGS;LABELS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LINKS} GTest::gtest GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE $<$<BOOL:${SKUA_CHECKED}>:SKUA_CHECKED=1>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} ${test_ARGS})
  set(limit_s 600)
  if(SKUA_SANITIZE)
    set(limit_s 3000)  # ThreadSanitizer slows some programs down tenfold
  endif()
  # The report is read by tools/run_tests.py, which counts cases.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${limit_s} LABELS "${test_LABELS}"
    ENVIRONMENT_MODIFICATION "GTEST_OUTPUT=set:json:${CMAKE_BINARY_DIR}/gtest/${name}.json")
endfunction()

# Sets `reason` to why no program of this build can be run under valgrind, or to nothing; then valgrind_command is valgrind.
function(skua_why_no_valgrind reason)
  set(why_not "")
  if(CMAKE_CROSSCOMPILING)
    set(why_not "valgrind does not run a program cross-compiled for ${CMAKE_SYSTEM_PROCESSOR}")
  elseif(SKUA_SANITIZE)
    set(why_not "valgrind does not run a sanitizer's program")
  else()
    find_program(valgrind_command valgrind)
    if(NOT valgrind_command)
      set(why_not "there is no valgrind on this machine")
    endif()
  endif()
  set(${reason} "${why_not}" PARENT_SCOPE)
endfunction()

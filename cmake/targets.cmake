# One call per folder: skua_part(NAME SOURCES ... LINKS ...) and skua_test(NAME SOURCES ... LINKS ...).
#
# A part is the target skua_<NAME>; what it links is what it may include (tools/tidy checks the includes too).
# A part without sources is a header-only (INTERFACE) target. All parts are gathered into the library `skua`.

include(${CMAKE_CURRENT_LIST_DIR}/test_costs.cmake)

# Sources of a target that are compiled together read their headers, and instantiate what they share, once. A source with
# compile options or definitions of its own stays alone (CMake sees to that).
function(skua_unity target batch)
  if(SKUA_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    # GCC takes a source that another includes for a header, in which an unnamed namespace would be suspicious; and a name
    # that hides one of another source hides nothing. `make clang`, which compiles each source alone, has these warnings.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage> -Wno-shadow)
  endif()
endfunction()

# For objects (not programs: they are compiled with other flags).
function(skua_standard_headers)
  if(TARGET skua_standard_headers)
    set_target_properties(${ARGN} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM skua_standard_headers)
  endif()
endfunction()

# For sources whose speed does not matter: the command line, the bodies of tests. Never for the library, the apps' kernels, or benchmarks.
function(skua_quick_compile target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()

function(skua_part name)
  cmake_parse_arguments(part "" "" "SOURCES;LINKS" ${ARGN})
  set(target skua_${name})
  if(part_SOURCES)
    add_library(${target} OBJECT ${part_SOURCES})
    set(scope PUBLIC)
    set_property(GLOBAL APPEND PROPERTY SKUA_OBJECT_PARTS ${target})
    # SKUA_IN_LIBRARY: parts/base/platform.hpp.
    target_compile_definitions(${target} PRIVATE SKUA_IN_LIBRARY=1 $<$<BOOL:${SKUA_CHECKED}>:SKUA_CHECKED=1>)
    # Whatever a project around Skua chooses for itself. Archive and shared object are linked from the same objects.
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
    skua_unity(${target} 8)
    skua_standard_headers(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} ${scope} ${part_LINKS})
endfunction()

# skua_shipped_files(FOLDER PATTERN): sets shipped_paths to the files of that folder of the repository that fit the pattern, and for the template of
# a source shipped_names, shipped_texts and shipped_files to literals of their names without .toml, of their texts, and of pairs of these.
function(skua_shipped_files folder pattern)
  set(folder ${PROJECT_SOURCE_DIR}/${folder})
  unset(shipped_names)
  unset(shipped_texts)
  unset(shipped_files)
  file(GLOB shipped_paths CONFIGURE_DEPENDS ${folder}/${pattern})
  list(SORT shipped_paths)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shipped_paths})
  foreach(path IN LISTS shipped_paths)
    file(RELATIVE_PATH name ${folder} ${path})
    string(REGEX REPLACE "\\.toml$" "" name ${name})
    file(READ ${path} text)
    string(APPEND shipped_names "    \"${name}\",\n")
    string(APPEND shipped_texts "    R\"_toml_(${text})_toml_\",\n")
    string(APPEND shipped_files "    {\"${name}\", R\"_toml_(${text})_toml_\"},\n")
  endforeach()
  foreach(variable IN ITEMS paths names texts files)
    set(shipped_${variable} "${shipped_${variable}}" PARENT_SCOPE)
  endforeach()
endfunction()

# GCC's -Og takes four fifths of the time of -O1, and most of what runs long is in the library; but a model's body is what runs. Line tables cost a
# tenth: gtest names the line of what fails without them, and sanitizers, which need them, have them. -Og sees uninitialised variables that are none;
# the library is compiled with -O2, and everything by clang (make clang).
function(skua_test_optimisation target)
  skua_quick_compile(${target})
  if(SKUA_SANITIZE)
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-g0>)
  if(NOT target MATCHES "_model$|^explorer_test$|^skua_test_headers$")
    target_compile_options(${target} PRIVATE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Og;-Wno-maybe-uninitialized>)
  endif()
endfunction()

# How the bodies of tests are compiled.
function(skua_test_bodies target)
  skua_unity(${target} 8)
  skua_test_optimisation(${target})
  if(SKUA_UNITY)
    set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM skua_test_headers)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE SKUA_TESTS_OF_PARTS=1 $<$<BOOL:${SKUA_CHECKED}>:SKUA_CHECKED=1>)
endfunction()

# Objects that several test programs link.
function(skua_test_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE skua GTest::gtest)
  skua_test_bodies(${name})
  # As programs are compiled, and so the precompiled headers.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
endfunction()

# GNU's other linker takes half the time of the usual one, if it is here; it does not know what sanitizers and LTO ask of a linker.
set(skua_quick_link "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CROSSCOMPILING AND NOT SKUA_SANITIZE)
  find_program(SKUA_GOLD ld.gold)
  mark_as_advanced(SKUA_GOLD)
  if(SKUA_GOLD)
    set(skua_quick_link -fuse-ld=gold)
  endif()
endif()

# A test program; its ctest name is NAME. LINKS name parts, or `skua` for the whole library. SOURCES are compiled together, those in
# ALONE by themselves, because they have names of their own for what another source calls so, too.
function(skua_test name)
  if(NOT SKUA_TESTS)
    return()
  endif()
  cmake_parse_arguments(test "" "" "SOURCES;ALONE;LINKS;ARGS;LABELS" ${ARGN})
  add_executable(${name} ${test_SOURCES} ${test_ALONE})
  set_source_files_properties(${test_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # One test is about what an optimiser does, the blocks of the pages are only read, and with the precompiled headers GCC 12 rejects
  # `as_hint(work{nan})` in hint_test.
  if(name MATCHES "^(context_lto|hint)_test$|^docs_blocks$")
    skua_unity(${name} 8)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE $<$<BOOL:${SKUA_CHECKED}>:SKUA_CHECKED=1>)
  else()
    skua_test_bodies(${name})
  endif()
  if(NOT name STREQUAL "context_lto_test")
    target_link_options(${name} PRIVATE ${skua_quick_link})
  endif()
  if(name MATCHES "_model$|^explorer_test$")
    target_link_libraries(${name} PRIVATE skua_model_heap)
  endif()
  target_link_libraries(${name} PRIVATE ${test_LINKS} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} ${test_ARGS})
  set(limit_s 1200)  # apps_test takes minutes where other builds share the machine
  if(SKUA_SANITIZE)
    set(limit_s 3000)  # ThreadSanitizer slows some programs down tenfold
  endif()
  # The report is read by tools/run_tests.py, which counts cases. A test that hangs says who waits for whom.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${limit_s} LABELS "${test_LABELS}"
    ENVIRONMENT_MODIFICATION "GTEST_OUTPUT=set:xml:${CMAKE_BINARY_DIR}/cases/${name}.xml;SKUA_STALL=set:60s")
  skua_cost(${name})
endfunction()

# The test NAME cannot be made in this build, because of REASON. It stays in the list, as a test that is skipped and says why:
# tools/run_tests.py counts it and prints the reason.
function(skua_skipped_test name reason)
  if(NOT SKUA_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: " LABELS "${ARGN}")
endfunction()

# skua_python_test(NAME COMMAND script argument ... [ENVIRONMENT name=value ...] [TIMEOUT seconds] [LABELS label]): a test that is a Python program. Where it is one of unittest's,
# tools/case_report.py leaves its cases where tools/run_tests.py counts them.
function(skua_python_test name)
  cmake_parse_arguments(test "" "TIMEOUT;LABELS" "ENVIRONMENT;COMMAND" ${ARGN})
  if(NOT SKUA_TESTS)
    return()
  endif()
  if(NOT Python3_FOUND)
    skua_skipped_test(${name} "there is no python3 on this machine" ${test_LABELS})
    return()
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${test_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}"
    ENVIRONMENT "${test_ENVIRONMENT};CASE_REPORT=${CMAKE_BINARY_DIR}/cases/${name}.xml")
  skua_cost(${name})
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

# What a builder may choose. Presets (CMakePresets.json) are combinations of these.
#
# As a part of another project (add_subdirectory, FetchContent) Skua is the library and nothing else, unless that project says otherwise, and it
# sets nothing that the other project has a say in: tests/subproject/ proves it.
option(SKUA_TESTS "build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SKUA_APPS "build the apps and the skua command" ${PROJECT_IS_TOP_LEVEL})
option(SKUA_BENCH "build the microbenchmarks" ${PROJECT_IS_TOP_LEVEL})
option(SKUA_INSTALL "make the rules of cmake --install" ${PROJECT_IS_TOP_LEVEL})
option(SKUA_SMPI "build the collections for SimGrid's SMPI (tests/smpi)" OFF)
option(SKUA_COUNT_LINES "count the shared cache lines of the runtime's operations (tests/counts); GCC" OFF)
option(SKUA_WERROR "warnings are errors" OFF)
option(SKUA_CHECKED "check invariants at run time" OFF)
option(SKUA_NATIVE "compile for this machine's processor" OFF)
option(SKUA_UNITY "compile several sources of a target together, which takes half the time" ON)
option(SKUA_COMPILER_CACHE "compile through ccache if it is installed" ON)
set(SKUA_SANITIZE "" CACHE STRING "address, undefined or thread; empty for none")

if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "the library is a shared object, not an archive" OFF)
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()
if(SKUA_INSTALL)
  include(GNUInstallDirs)
  # An installed command finds the library beside it, wherever the prefix is.
  file(RELATIVE_PATH library_from_command /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set(CMAKE_INSTALL_RPATH $ORIGIN/${library_from_command})
endif()

# For Skua's folders only, as everything below.
add_compile_options(-Wall -Wextra "$<$<NOT:$<COMPILE_LANGUAGE:Fortran>>:-Wpedantic;-Wshadow;-Wconversion>" "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Wold-style-cast>")
# libstdc++ 12's stable_sort calls what it declares deprecated, and clang reports that where we use it.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
# GCC 12 sees overlapping copies in std::string that are not there.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# Without this, GCC's unique symbols keep a shared object that contains Skua loaded for ever (tests/dlclose).
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
# GCC collects its garbage from 128 MiB on, which takes a tenth of its time; our largest sources need 1 GiB without.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>)
if(SKUA_WERROR)
  add_compile_options(-Werror)
endif()
if(SKUA_NATIVE)
  add_compile_options(-march=native)
endif()
if(SKUA_SANITIZE)
  add_compile_options(-fsanitize=${SKUA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${SKUA_SANITIZE})
  # GCC sees uninitialised values in optionals where instrumentation has split its paths.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# Every access to memory and every function then calls a hook of tests/counts. The sources must not see a sanitizer: they would use other fences.
# GCC warns of fences that ThreadSanitizer does not understand.
if(SKUA_COUNT_LINES)
  add_compile_options(-fsanitize=thread -U__SANITIZE_THREAD__ -finstrument-functions -Wno-tsan -g1)
endif()

# A developer's second build then takes what has not changed from the cache. The words let it keep what uses precompiled headers.
if(SKUA_COMPILER_CACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SKUA_CCACHE ccache)
  mark_as_advanced(SKUA_CCACHE)
  if(SKUA_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${SKUA_CCACHE})
  endif()
endif()

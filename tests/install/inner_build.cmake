# How a test builds Skua inside of OUTER, the build around it: with the same compiler and options, so that it can take objects from there
# (take_object.py). With TEST_EFFORT=full in the environment, as `make nightly` sets it, it compiles everything, in the way that users do.
load_cache(${OUTER} READ_WITH_PREFIX outer_ CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_FLAGS
  CMAKE_CXX_FLAGS_DEBUG CMAKE_CXX_FLAGS_RELEASE CMAKE_CXX_FLAGS_RELWITHDEBINFO SKUA_CHECKED SKUA_NATIVE SKUA_WERROR)

# inner_build(FOLDER SKUA VARIABLE value ...): writes FOLDER/options.cmake for cmake -C. SKUA is the folder in which Skua's own part is built;
# the variables are what users would set.
function(inner_build folder skua)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${outer_CMAKE_CXX_COMPILER_LAUNCHER}")
  set(names CMAKE_CXX_COMPILER_LAUNCHER)
  set(wanted ${ARGN})
  if(PYTHON AND NOT "$ENV{TEST_EFFORT}" STREQUAL full)
    string(TOUPPER "${outer_CMAKE_BUILD_TYPE}" type)
    foreach(name IN ITEMS CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_${type} SKUA_CHECKED SKUA_NATIVE SKUA_WERROR)
      set(${name} "${outer_${name}}")
      list(APPEND names ${name})
    endforeach()
    # Started hundreds of times: without packages, and not by way of a script that chooses a version.
    execute_process(COMMAND ${PYTHON} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${python} -IS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/take_object.py ${OUTER} ${skua})
    set(wanted "")
  endif()
  while(wanted)
    list(POP_FRONT wanted name value)
    set(${name} "${value}")
    list(APPEND names ${name})
  endwhile()
  set(text "set(CMAKE_CXX_COMPILER \"${outer_CMAKE_CXX_COMPILER}\" CACHE FILEPATH \"\")\n")
  foreach(name IN LISTS names)
    string(APPEND text "set(${name} \"${${name}}\" CACHE STRING \"\" FORCE)\n")
  endforeach()
  file(WRITE ${folder}/options.cmake "${text}")
endfunction()

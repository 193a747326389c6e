# Configures the project parent/ in BUILD in each way to contain SOURCE, builds it and runs its program: see CMakeLists.txt beside this file.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed with ${status}: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(check)
  # Each way begins without options of the last one, but with its object files: the library is compiled once.
  file(REMOVE ${BUILD}/CMakeCache.txt ${BUILD}/fib)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/parent -B ${BUILD} -G Ninja -DSKUA=${SOURCE} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 ${ARGN})
  run(${CMAKE_COMMAND} --build ${BUILD})
  run(${BUILD}/fib)
  if(NOT output MATCHES "fib\\(20\\) = 6765")
    message(FATAL_ERROR "fib printed: ${output}")
  endif()
  # Whoever installs this project installs nothing of Skua that it did not ask for.
  file(REMOVE_RECURSE ${BUILD}/installed)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${BUILD}/installed)
  if(EXISTS ${BUILD}/installed)
    file(GLOB_RECURSE installed ${BUILD}/installed/*)
    message(FATAL_ERROR "installing the project around Skua installed ${installed}")
  endif()
endfunction()

check(-DWAY=add_subdirectory)
check(-DWAY=add_subdirectory -DFOUND_BEFORE=ON -DBUILD_SHARED_LIBS=ON)
check(-DWAY=fetch)

# One kind of library (KIND = static or shared), from SOURCE, in BUILD, with object files in LIBRARY: see CMakeLists.txt beside this file.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/inner_build.cmake)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed with ${status}: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(must_be_right program)
  run(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${program})
  if(NOT output MATCHES "fib\\(20\\) = 6765")
    message(FATAL_ERROR "${program} printed: ${output}")
  endif()
endfunction()

string(COMPARE EQUAL ${KIND} shared shared)
set(first ${BUILD}/first)
set(prefix ${BUILD}/moved)
file(REMOVE_RECURSE ${first} ${prefix} ${BUILD}/consumer)

inner_build(${LIBRARY} ${LIBRARY} CMAKE_BUILD_TYPE Release)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${LIBRARY} -G Ninja -C ${LIBRARY}/options.cmake
  -DBUILD_SHARED_LIBS=${shared} -DCMAKE_INSTALL_LIBDIR=${LIBDIR} -DSKUA_TESTS=OFF -DSKUA_APPS=OFF -DSKUA_BENCH=OFF)
run(${CMAKE_COMMAND} --build ${LIBRARY})
run(${CMAKE_COMMAND} --install ${LIBRARY} --prefix ${first})
file(RENAME ${first} ${prefix})

# What was laid down: headers and no tests; and no file remembers where it was built.
file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
if(NOT "include/skua/program/fork_join.hpp" IN_LIST installed)
  message(FATAL_ERROR "fork_join.hpp was not installed; there is only: ${installed}")
endif()
foreach(file ${installed})
  if(file MATCHES "^share/doc/")
    continue()  # pages, and programs to read
  endif()
  if(file MATCHES "_test|_model\\.|\\.cpp$|\\.md$")
    message(FATAL_ERROR "${file} should not be installed")
  endif()
  if(file MATCHES "\\.(cmake|pc)$")
    file(READ ${prefix}/${file} text)
    foreach(place ${SOURCE} ${BUILD} ${LIBRARY})
      string(FIND "${text}" "${place}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${file} names ${place}, which users do not have")
      endif()
    endforeach()
  endif()
endforeach()

# A consumer that does only find_package(skua), or find_package(TBB), too.
set(tbb_dir "")
if(NOT shared)
  set(tbb_dir ${prefix}/${LIBDIR}/cmake/skua/onetbb)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${BUILD}/consumer -G Ninja -DTBB_DIR=${tbb_dir}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${BUILD}/consumer)
must_be_right(${BUILD}/consumer/fib)

# A consumer that asks pkg-config. With the archive it is a program for oneTBB, which gets what others get, and the folder of headers.
set(module skua)
set(program fib)
if(NOT shared)
  set(module skua-onetbb)
  set(program onetbb)
endif()
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
run(${PKG_CONFIG} --cflags --libs ${module})
separate_arguments(flags UNIX_COMMAND "${output}")
run(${COMPILER} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/consumer/${program}.cpp ${flags} -Wl,-rpath,${prefix}/${LIBDIR}
  -o ${BUILD}/consumer/fib_pkg_config)
must_be_right(${BUILD}/consumer/fib_pkg_config)

# The right kind of library was used.
file(GLOB archives ${prefix}/${LIBDIR}/libskua.a)
file(GLOB objects ${prefix}/${LIBDIR}/libskua.so*)
if(shared AND (archives OR NOT objects) OR NOT shared AND (objects OR NOT archives))
  message(FATAL_ERROR "a ${KIND} build installed ${archives} ${objects}")
endif()

# The MPIs. Debian has Open MPI and MPICH side by side, so each is found by its own pkg-config file. For each Skua builds a library for programs
# (skua::mpi_openmpi) and a module that the command loads at run time (skua/machine/ranks/mpi/modules.md).

set(mpi_default "")
if(PROJECT_IS_TOP_LEVEL)
  set(mpi_default auto)
endif()
set(SKUA_MPI "${mpi_default}" CACHE STRING "auto: for each MPI of this machine; openmpi, mpich, openmpi+mpich: for these, which must be here; empty: none")
set_property(CACHE SKUA_MPI PROPERTY STRINGS auto "" openmpi mpich openmpi+mpich)
if(NOT SKUA_MPI MATCHES "^(auto|openmpi|mpich|openmpi[+]mpich)?$")
  message(FATAL_ERROR "SKUA_MPI is '${SKUA_MPI}'; allowed: auto, openmpi, mpich, openmpi+mpich or nothing")
endif()

# What pkg-config calls them, and what people do.
set(openmpi_module ompi-c)
set(mpich_module mpich)
set(openmpi_name "Open MPI")
set(mpich_name MPICH)

# Sets skua_mpis to those that are found and wanted. Each has a target PkgConfig::NAME and, for tests and benchmarks, a launcher ${NAME_mpirun}
# by its name in Debian.
set(skua_mpis "")
if(SKUA_MPI AND NOT (SKUA_MPI STREQUAL "auto" AND CMAKE_CROSSCOMPILING))
  string(REPLACE "+" ";" wanted_mpis "${SKUA_MPI}")
  if(SKUA_MPI STREQUAL "auto")
    set(wanted_mpis openmpi mpich)
  endif()
  foreach(mpi IN LISTS wanted_mpis)
    pkg_check_modules(${mpi} QUIET IMPORTED_TARGET GLOBAL ${${mpi}_module})
    if(${mpi}_FOUND)
      list(APPEND skua_mpis ${mpi})
      find_program(${mpi}_mpirun mpirun.${mpi})
      message(STATUS "MPI: ${${mpi}_name} ${${mpi}_VERSION}")
    elseif(NOT SKUA_MPI STREQUAL "auto")
      message(FATAL_ERROR "SKUA_MPI is ${SKUA_MPI}, but pkg-config finds no ${${mpi}_module} on this machine; Debian has it in lib${mpi}-dev")
    endif()
  endforeach()
  if(NOT skua_mpis)
    message(STATUS "MPI: none (Debian: libopenmpi-dev, libmpich-dev); the command runs one rank only")
  endif()
endif()

# Where the command looks for its modules, both in a build and installed: from the folder that it stands in.
set(skua_modules_dir lib/skua)
set(skua_modules_from_command ../lib/skua)
if(SKUA_INSTALL)
  set(skua_modules_dir ${CMAKE_INSTALL_LIBDIR}/skua)
  set(skua_modules_from_command ${library_from_command}/skua)
endif()
# What crosses between the command and a module: a module of another build is refused (modules.md).
file(GLOB crossing CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/skua/machine/ranks/transport/*.hpp)
list(APPEND crossing ${PROJECT_SOURCE_DIR}/skua/machine/ranks/mpi/module.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${crossing})
set(crossing_text "")
foreach(path IN LISTS crossing)
  file(READ ${path} text)
  string(APPEND crossing_text "${text}")
endforeach()
string(SHA256 skua_module_build "${crossing_text}")
string(SUBSTRING ${skua_module_build} 0 12 skua_module_build)
set(skua_module_build "${PROJECT_VERSION}-${skua_module_build}$<$<BOOL:${SKUA_CHECKED}>:-checked>")

# SMPI is no MPI to link with: a program is a shared object that SimGrid loads, and its ranks are contexts of one thread. So the transport and
# the program are compiled together: skua_smpi_program(NAME source ...).
if(SKUA_SMPI)
  pkg_check_modules(simgrid REQUIRED IMPORTED_TARGET simgrid)
  find_path(smpi_folder mpi.h PATHS ${simgrid_INCLUDEDIR}/smpi /usr/include/smpi REQUIRED NO_DEFAULT_PATH)
endif()

function(skua_smpi_program name)
  set(transport ${PROJECT_SOURCE_DIR}/skua/machine/ranks/mpi)
  set(sources ${ARGN} ${transport}/job_end.cpp ${transport}/mpi_transport.cpp ${transport}/mpi_window.cpp ${transport}/session.cpp)
  add_library(${name} MODULE ${sources})
  target_link_libraries(${name} PRIVATE skua PkgConfig::simgrid)
  target_include_directories(${name} SYSTEM PRIVATE ${smpi_folder})
  # Macros for clock_gettime and usleep, whose time is virtual: what smpicxx includes.
  target_compile_options(${name} PRIVATE -include ${smpi_folder}/smpi_helpers.h)
  target_compile_definitions(${name} PRIVATE SKUA_MPI_LIBRARY=mpich $<$<BOOL:${SKUA_CHECKED}>:SKUA_CHECKED=1>)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

# skua_add_ranks_test(NAME MPI RANKS command ...): a test that an MPI starts RANKS times.
function(skua_add_ranks_test name mpi ranks)
  if(NOT ${mpi}_mpirun)
    skua_skipped_test(${name}_${ranks} "there is no mpirun.${mpi} on this machine" mpi)
    return()
  endif()
  set(more "")
  if(mpi STREQUAL "openmpi")
    set(more --oversubscribe)
  endif()
  add_test(NAME ${name}_${ranks} COMMAND ${${mpi}_mpirun} ${more} -n ${ranks} ${ARGN})
  # Open MPI refuses to be started by root, which is who builds in containers, unless it is told twice. MPICH asks a name server for the address
  # of this host if /etc/hosts does not have it, and waits for seconds at each start where none answers: nobody is to be asked (attempts:0).
  set_tests_properties(${name}_${ranks} PROPERTIES TIMEOUT 300 PROCESSORS 2 LABELS mpi
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;RES_OPTIONS=attempts:0;SKUA_CASES=${CMAKE_BINARY_DIR}/cases/${name}_${ranks}.xml")
endfunction()

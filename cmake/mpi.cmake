# MPI, for those who want it. Debian has Open MPI and MPICH side by side, so each is found by its own pkg-config file.
#
# SKUA_MPI names the one that skua::mpi and the skua command are built with. Tests and benchmarks are built with each that is found.

set(SKUA_MPI "" CACHE STRING "openmpi or mpich: what skua::mpi and the skua command are built with; empty: none")
set_property(CACHE SKUA_MPI PROPERTY STRINGS "" openmpi mpich)
if(NOT SKUA_MPI MATCHES "^(openmpi|mpich)?$")
  message(FATAL_ERROR "SKUA_MPI is '${SKUA_MPI}'; allowed: openmpi, mpich or nothing")
endif()

# What pkg-config calls them.
set(openmpi_module ompi-c)
set(mpich_module mpich)
set(skua_mpi_module "${${SKUA_MPI}_module}")

# Sets skua_mpis to those that are found and wanted. Each has a target PkgConfig::NAME and a launcher ${NAME_mpirun}.
set(skua_mpis "")
if(SKUA_MPI OR ((SKUA_TESTS OR SKUA_BENCH) AND NOT CMAKE_CROSSCOMPILING))
  pkg_check_modules(openmpi IMPORTED_TARGET GLOBAL ${openmpi_module})
  pkg_check_modules(mpich IMPORTED_TARGET GLOBAL ${mpich_module})
  find_program(openmpi_mpirun mpirun.openmpi)
  find_program(mpich_mpirun mpirun.mpich)
  foreach(mpi IN ITEMS openmpi mpich)
    # The launcher, by its name in Debian, is for tests and benchmarks.
    if(${mpi}_FOUND AND (${mpi}_mpirun OR NOT (SKUA_TESTS OR SKUA_BENCH)))
      list(APPEND skua_mpis ${mpi})
    endif()
  endforeach()
  if(SKUA_MPI AND NOT SKUA_MPI IN_LIST skua_mpis)
    message(FATAL_ERROR "SKUA_MPI is ${SKUA_MPI}, which is not on this machine; Debian has it as lib${SKUA_MPI}-dev")
  endif()
  message(STATUS "MPI: ${skua_mpis}")
endif()

# SMPI is no MPI to link with: a program is a shared object that SimGrid loads, and its ranks are contexts of one thread. So the transport and
# the program are compiled together: skua_smpi_program(NAME source ...).
if(SKUA_SMPI)
  pkg_check_modules(simgrid REQUIRED IMPORTED_TARGET simgrid)
  find_path(smpi_folder mpi.h PATHS ${simgrid_INCLUDEDIR}/smpi /usr/include/smpi REQUIRED NO_DEFAULT_PATH)
endif()

function(skua_smpi_program name)
  set(transport ${PROJECT_SOURCE_DIR}/skua/machine/ranks/mpi)
  set(sources ${ARGN} ${transport}/mpi_transport.cpp ${transport}/session.cpp)
  add_library(${name} MODULE ${sources})
  target_link_libraries(${name} PRIVATE skua PkgConfig::simgrid)
  target_include_directories(${name} SYSTEM PRIVATE ${smpi_folder})
  # Macros for clock_gettime and usleep, whose time is virtual: what smpicxx includes.
  target_compile_options(${name} PRIVATE -include ${smpi_folder}/smpi_helpers.h)
  target_compile_definitions(${name} PRIVATE $<$<BOOL:${SKUA_CHECKED}>:SKUA_CHECKED=1>)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

# skua_add_ranks_test(NAME MPI RANKS command ...): a test that an MPI starts RANKS times.
function(skua_add_ranks_test name mpi ranks)
  set(more "")
  if(mpi STREQUAL "openmpi")
    set(more --oversubscribe)
  endif()
  add_test(NAME ${name}_${ranks} COMMAND ${${mpi}_mpirun} ${more} -n ${ranks} ${ARGN})
  # Open MPI refuses to be started by root, which is who builds in containers, unless it is told twice. MPICH asks a name server for the address
  # of this host if /etc/hosts does not have it, and waits for seconds at each start where none answers: nobody is to be asked (attempts:0).
  set_tests_properties(${name}_${ranks} PROPERTIES TIMEOUT 60 PROCESSORS 2 LABELS mpi
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;RES_OPTIONS=attempts:0;SKUA_CASES=${CMAKE_BINARY_DIR}/cases/${name}_${ranks}.xml")
endfunction()

# What `cmake --install` lays down: library, headers, the command, and what find_package and pkg-config read.
# Everything is relative to the prefix, so an installed tree may be moved. tests/install/ proves it.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skua)
install(TARGETS skua skua_onetbb EXPORT skua-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/skua/onetbb/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/skua/onetbb)
# What is of an MPI has files of its own, so that a package of each MPI can bring it (packaging/debian).
foreach(mpi IN LISTS skua_mpis)
  install(TARGETS skua_mpi_${mpi} EXPORT skua-${mpi}-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT skua-${mpi}-targets NAMESPACE skua:: DESTINATION ${package_dir})
  if(TARGET skua_command)
    install(TARGETS skua_mpi_module_${mpi} LIBRARY DESTINATION ${skua_modules_dir})
  endif()
endforeach()
if(TARGET skua_omp)
  install(TARGETS skua_omp LIBRARY DESTINATION ${skua_modules_dir} NAMELINK_SKIP)
endif()
if(TARGET skua_command)
  install(TARGETS skua_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Its manual page and completions, made from what it says of itself. Where it cannot be run, there are none.
  if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
    set(pages ${PROJECT_BINARY_DIR}/pages)
    add_custom_command(OUTPUT ${pages}/skua.1 ${pages}/skua.bash ${pages}/_skua ${pages}/skua.fish
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/command_pages.py $<TARGET_FILE:skua_command> ${pages}
      DEPENDS skua_command ${PROJECT_SOURCE_DIR}/tools/command_pages.py VERBATIM)
    add_custom_target(skua_command_pages ALL DEPENDS ${pages}/skua.1)
    install(FILES ${pages}/skua.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${pages}/skua.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME skua)
    install(FILES ${pages}/_skua DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
    install(FILES ${pages}/skua.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

# find_package(skua) gives the targets skua::skua and skua::onetbb, with COMPONENTS mpi also skua::mpi, and with onetbb also TBB::tbb.
install(EXPORT skua-targets NAMESPACE skua:: DESTINATION ${package_dir})
configure_package_config_file(cmake/skua-config.cmake.in ${PROJECT_BINARY_DIR}/skua-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skua-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skua-config.cmake ${PROJECT_BINARY_DIR}/skua-config-version.cmake cmake/skua-mpi.cmake
  cmake/skua-onetbb.cmake DESTINATION ${package_dir})
# find_package(TBB) finds these only where TBB_DIR says so.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TBBConfigVersion.cmake VERSION 2021.8.0 COMPATIBILITY AnyNewerVersion)
install(FILES cmake/TBBConfig.cmake ${PROJECT_BINARY_DIR}/TBBConfigVersion.cmake DESTINATION ${package_dir}/onetbb)

# pkg-config: whoever links the archive must link what it uses; a shared object brings that itself.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(pc_requires "")
set(pc_libs "-L\${libdir} -lskua")
set(pc_cflags "-I\${includedir}")
if(NOT BUILD_SHARED_LIBS)
  set(pc_requires "hwloc >= 2.5")
  string(APPEND pc_libs " -lboost_context")
endif()
string(APPEND pc_libs " -pthread")
if(SKUA_CHECKED)
  string(APPEND pc_cflags " -DSKUA_CHECKED=1")
endif()
configure_file(cmake/skua.pc.in ${PROJECT_BINARY_DIR}/skua.pc @ONLY)
configure_file(cmake/skua-onetbb.pc.in ${PROJECT_BINARY_DIR}/skua-onetbb.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/skua.pc ${PROJECT_BINARY_DIR}/skua-onetbb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(mpi IN LISTS skua_mpis)
  set(pc_mpi_name "${${mpi}_name}")
  set(pc_mpi_module ${${mpi}_module})
  configure_file(cmake/skua-mpi.pc.in ${PROJECT_BINARY_DIR}/skua-${mpi}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/skua-${mpi}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/skua)

# The pages and the programs that they show: the links between them hold there, too.
set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/skua)
install(FILES README.md CHANGELOG.md DESTINATION ${doc_dir})
install(DIRECTORY docs DESTINATION ${doc_dir} FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples DESTINATION ${doc_dir} FILES_MATCHING PATTERN "*.cpp" PATTERN "*_test.cpp" EXCLUDE)

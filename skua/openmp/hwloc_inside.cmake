# Sets hwloc_inside to an archive of hwloc that libgomp-skua.so.1 can contain, or to nothing if there is none. A library that is preloaded must not bring libhwloc and libudev
# into programs, which may use them, too. Debian's archive is compiled for programs, not for shared objects: hwloc_inside.cpp has what it then lacks.
set(hwloc_inside "")
find_library(SKUA_HWLOC_ARCHIVE libhwloc.a HINTS ${hwloc_LIBRARY_DIRS})
mark_as_advanced(SKUA_HWLOC_ARCHIVE)
if(SKUA_HWLOC_ARCHIVE AND CMAKE_OBJCOPY AND NOT CMAKE_CROSSCOMPILING)
  set(hwloc_renamed ${CMAKE_CURRENT_BINARY_DIR}/libhwloc_inside.a)
  set(renamings --redefine-sym program_invocation_name=skua_hwloc_program)
  foreach(name IN ITEMS stderr stdout dlopen udev_new udev_unref udev_device_new_from_subsystem_sysname udev_device_unref udev_device_get_property_value)
    list(APPEND renamings --redefine-sym ${name}=skua_hwloc_${name})
  endforeach()
  execute_process(COMMAND ${CMAKE_OBJCOPY} ${renamings} ${SKUA_HWLOC_ARCHIVE} ${hwloc_renamed} RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    # Another machine's archive may need more than this, which the linker knows.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -fPIC -Wl,-z,defs -Wl,-Bsymbolic ${CMAKE_CURRENT_SOURCE_DIR}/hwloc_inside.cpp
        -Wl,--whole-archive ${hwloc_renamed} -Wl,--no-whole-archive -lm -o ${CMAKE_CURRENT_BINARY_DIR}/hwloc_inside_links.so
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT failed)
    set(hwloc_inside ${hwloc_renamed})
  endif()
endif()
# The same for Boost.Context: its archive is code without data of others.
find_library(SKUA_CONTEXT_ARCHIVE libboost_context.a HINTS ${Boost_LIBRARY_DIRS})
mark_as_advanced(SKUA_CONTEXT_ARCHIVE)

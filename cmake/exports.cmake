# The shared object exports what skua.symbols lists and the templates of templates.symbols, and hides everything else: names of parts that only the library uses, and what it has of
# other libraries' templates. The list, and not attributes in the headers, decides: so archive and shared object are linked from the same objects.
# The functions of C, skua_..., are all exported.
# SKUA_ABI rises, with the inline namespace, when compiled programs break: a name is gone from the list, or what the headers inline has changed.
set(SKUA_ABI 0)  # since 0.1.0
file(STRINGS skua/skua.symbols exported REGEX "^[^#]")
set(exported_lines "")
foreach(name IN LISTS exported)
  string(REGEX REPLACE " @[0-9.]+$" "" name "${name}")
  string(APPEND exported_lines "    \"${name}\";\n")
endforeach()
# The linker's patterns may have no brackets, for which question marks stand.
file(STRINGS skua/templates.symbols exported REGEX "^[^#]")
foreach(pattern IN LISTS exported)
  string(REGEX REPLACE "[<>]" "?" pattern "${pattern}")
  string(APPEND exported_lines "    ${pattern};\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/skua.map CONTENT "SKUA_${SKUA_ABI} {\n  global: extern \"C++\" {\n${exported_lines}  };\n  skua_*;\n  local: *;\n};\n" @ONLY)
# A program that contains the archive and loads modules (the command) exports the same names to them.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/skua.exported CONTENT "{\n  extern \"C++\" {\n${exported_lines}  };\n};\n" @ONLY)
function(skua_serves_modules target)
  if(NOT BUILD_SHARED_LIBS)
    target_link_options(${target} PRIVATE LINKER:--dynamic-list=${PROJECT_BINARY_DIR}/skua.exported)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PROJECT_BINARY_DIR}/skua.exported)
  endif()
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS skua/skua.symbols skua/templates.symbols)
function(skua_shared_object target)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${SKUA_ABI} LINK_DEPENDS ${PROJECT_BINARY_DIR}/skua.map)
  # Bsymbolic-functions: what the library calls of itself it calls directly.
  target_link_options(${target} PRIVATE LINKER:--version-script=${PROJECT_BINARY_DIR}/skua.map LINKER:-Bsymbolic-functions)
endfunction()

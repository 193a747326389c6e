# skua_simd(TARGET KERNEL.cpp flag ...): compiles KERNEL.cpp into TARGET once per vector width of this processor family, with the width's
# flags and these (arches.hpp). Which one runs is decided at run time, so no build needs -march.

set(simd_widths portable)
set(simd_family other)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(simd_widths portable avx2 avx512)
  set(simd_family x86_64)
endif()
set(simd_flags_avx2 -mavx2 -mfma)
set(simd_flags_avx512 ${simd_flags_avx2} -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=512)

function(skua_simd target source)
  target_include_directories(${target}_kernels PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/simd/${simd_family})
  cmake_path(GET source STEM kernel)
  foreach(width ${simd_widths})
    set(object ${target}_${kernel}_${width})
    add_library(${object} OBJECT ${source})
    target_link_libraries(${object} PRIVATE skua)
    target_compile_definitions(${object} PRIVATE SKUA_SIMD_WIDTH=${width})
    target_compile_options(${object} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> ${simd_flags_${width}} ${ARGN})
    target_link_libraries(${target} PRIVATE ${object})
  endforeach()
endfunction()

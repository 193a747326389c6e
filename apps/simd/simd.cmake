# skua_simd(TARGET FLAGS flag ... SOURCES file ...): of the SOURCES, compile those that suit this processor family, each with
# FLAGS and the flags its name asks for: KERNEL_portable.cpp, KERNEL_avx2.cpp, KERNEL_avx512.cpp hold a kernel for one vector
# width, KERNEL_x86_64.cpp and KERNEL_other.cpp list them. Which one runs is decided at run time, so no build needs -march.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(simd_kinds portable avx2 avx512 x86_64)
else()
  set(simd_kinds portable other)
endif()
set(simd_flags_avx2 -mavx2 -mfma)
set(simd_flags_avx512 ${simd_flags_avx2} -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=512)

function(skua_simd target)
  cmake_parse_arguments(kernel "" "" "FLAGS;SOURCES" ${ARGN})
  foreach(source ${kernel_SOURCES})
    string(REGEX MATCH "_(portable|avx2|avx512|x86_64|other)\\.cpp$" ignored ${source})
    set(kind ${CMAKE_MATCH_1})
    if(kind IN_LIST simd_kinds)
      target_sources(${target} PRIVATE ${source})
      set_source_files_properties(${source} PROPERTIES
        COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>;${simd_flags_${kind}};${kernel_FLAGS}" SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

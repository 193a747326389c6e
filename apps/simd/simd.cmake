# skua_simd(TARGET FOLDER NAME): compile FOLDER/NAME_<arch>.cpp for every vector width of this processor family, each with
# its own flags. Which of them runs is decided at run time (apps/simd/choose.hpp), so no build needs -march.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(simd_family x86)
  set(simd_arches portable avx2 avx512)
  set(simd_flags_avx2 -mavx2 -mfma)
  set(simd_flags_avx512 ${simd_flags_avx2} -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=512)
else()
  set(simd_family other)
  set(simd_arches portable)
endif()
set(simd_flags_portable "")
set(simd_include ${CMAKE_CURRENT_LIST_DIR}/${simd_family})

# FLAGS are for all widths of this kernel.
function(skua_simd target folder name)
  cmake_parse_arguments(kernel "" "" "FLAGS" ${ARGN})
  foreach(arch ${simd_arches})
    set(source ${folder}/${name}_${arch}.cpp)
    target_sources(${target} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES
      COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>;${simd_flags_${arch}};${kernel_FLAGS}")
  endforeach()
endfunction()

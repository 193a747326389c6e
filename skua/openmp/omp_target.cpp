// SPDX-License-Identifier: MIT
// Routines: memory of devices. The host is the only one; its number is 0. [OpenMP 5.0, 3.6]
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <span>

namespace {

constexpr int host = 0;

/// Copies a block of `volume` elements per dimension between arrays of `to_extents` and `from_extents`. Returns 0 or EINVAL.
int copy_block(char* to, char const* from, std::size_t element, std::span<std::size_t const> volume,
               std::size_t const* to_first, std::size_t const* from_first, std::size_t const* to_extents,
               std::size_t const* from_extents) {
  if (volume.size() == 1) {
    std::size_t bytes = 0;
    std::size_t to_skip = 0;
    std::size_t from_skip = 0;
    if (__builtin_mul_overflow(element, volume[0], &bytes) || __builtin_mul_overflow(element, *to_first, &to_skip) ||
        __builtin_mul_overflow(element, *from_first, &from_skip))
      return EINVAL;
    std::memcpy(to + to_skip, from + from_skip, bytes);
    return 0;
  }
  std::size_t to_slice = element;
  std::size_t from_slice = element;
  for (std::size_t d = 1; d < volume.size(); ++d) {
    if (__builtin_mul_overflow(to_slice, to_extents[d], &to_slice) ||
        __builtin_mul_overflow(from_slice, from_extents[d], &from_slice))
      return EINVAL;
  }
  for (std::size_t i = 0; i < volume[0]; ++i) {
    int const wrong = copy_block(to + (*to_first + i) * to_slice, from + (*from_first + i) * from_slice, element,
                                 volume.subspan(1), to_first + 1, from_first + 1, to_extents + 1, from_extents + 1);
    if (wrong != 0) return wrong;
  }
  return 0;
}

}  // namespace

extern "C" {

void* omp_target_alloc(std::size_t size, int device) { return device == host ? std::malloc(size) : nullptr; }
void omp_target_free(void* block, int device) {
  if (device == host) std::free(block);
}
int omp_target_is_present(void const* at, int device) { return at == nullptr || device == host; }
int omp_target_memcpy(void* to, void const* from, std::size_t bytes, std::size_t to_offset, std::size_t from_offset,
                      int to_device, int from_device) {
  if (to_device != host || from_device != host) return EINVAL;
  std::memcpy(static_cast<char*>(to) + to_offset, static_cast<char const*>(from) + from_offset, bytes);
  return 0;
}
int omp_target_memcpy_rect(void* to, void const* from, std::size_t element, int dimensions, std::size_t const* volume,
                           std::size_t const* to_first, std::size_t const* from_first, std::size_t const* to_extents,
                           std::size_t const* from_extents, int to_device, int from_device) {
  if (to == nullptr && from == nullptr) return INT_MAX;  // as many dimensions as one likes
  if (to_device != host || from_device != host || to == nullptr || from == nullptr || dimensions < 1) return EINVAL;
  return copy_block(static_cast<char*>(to), static_cast<char const*>(from), element,
                    {volume, static_cast<std::size_t>(dimensions)}, to_first, from_first, to_extents, from_extents);
}
int omp_target_associate_ptr(void const*, void const*, std::size_t, std::size_t, int) { return EINVAL; }
int omp_target_disassociate_ptr(void const*, int) { return EINVAL; }

}  // extern "C"

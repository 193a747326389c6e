// SPDX-License-Identifier: MIT
// Routines: places and binding. [OpenMP 5.0, 3.2.22 to 3.2.29]
#include <algorithm>
#include <cstdint>
#include <vector>

#include "skua/openmp/binding.hpp"

namespace omp = skua::openmp;

namespace {

/// Of one place; none if there is no such place.
std::vector<std::uint32_t> processors_of(int place) {
  auto const& all = omp::the_settings().places;
  if (place < 0 || static_cast<std::size_t>(place) >= all.size()) return {};
  return all[static_cast<std::size_t>(place)].members();
}

template <class Number>
void put_processors(int place, Number* ids) {
  std::ranges::copy(processors_of(place), ids);
}

template <class Number>
void put_partition(Number* places) {
  if (omp::the_settings().places.empty()) return;
  omp::position const& mine = omp::position_here();
  for (std::uint32_t p = 0; p < mine.count; ++p) places[p] = static_cast<Number>(mine.first + p);
}

}  // namespace

extern "C" {

int omp_get_proc_bind(void) { return static_cast<int>(omp::current().variables->binding); }
int omp_get_num_places(void) { return static_cast<int>(omp::the_settings().places.size()); }
int omp_get_place_num_procs(int place) { return static_cast<int>(processors_of(place).size()); }
void omp_get_place_proc_ids(int place, int* ids) { put_processors(place, ids); }
int omp_get_place_num(void) {
  return omp::the_settings().places.empty() ? -1 : static_cast<int>(omp::position_here().place);
}
int omp_get_partition_num_places(void) {
  return omp::the_settings().places.empty() ? 0 : static_cast<int>(omp::position_here().count);
}
void omp_get_partition_place_nums(int* places) { put_partition(places); }

// For Fortran.

int omp_get_proc_bind_(void) { return omp_get_proc_bind(); }
int omp_get_num_places_(void) { return omp_get_num_places(); }
int omp_get_place_num_(void) { return omp_get_place_num(); }
int omp_get_partition_num_places_(void) { return omp_get_partition_num_places(); }
int omp_get_place_num_procs_(std::int32_t const* place) { return omp_get_place_num_procs(*place); }
int omp_get_place_num_procs_8_(std::int64_t const* place) {
  return omp_get_place_num_procs(static_cast<int>(std::clamp<std::int64_t>(*place, -1, 0x7fffffff)));
}
void omp_get_place_proc_ids_(std::int32_t const* place, std::int32_t* ids) { put_processors(*place, ids); }
void omp_get_place_proc_ids_8_(std::int64_t const* place, std::int64_t* ids) {
  put_processors(static_cast<int>(std::clamp<std::int64_t>(*place, -1, 0x7fffffff)), ids);
}
void omp_get_partition_place_nums_(std::int32_t* places) { put_partition(places); }
void omp_get_partition_place_nums_8_(std::int64_t* places) { put_partition(places); }

}  // extern "C"

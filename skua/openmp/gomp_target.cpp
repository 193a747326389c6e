// SPDX-License-Identifier: MIT
// Entry points: target regions. There is no device, so they run on the host, on the host's own data, as they do under libgomp without one: the
// region begins with an initial task of its own, outside of all teams. A map has nothing to do; nowait runs at once. The first of them says so, unless
// OMP_TARGET_OFFLOAD=disabled.
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

#include "skua/openmp/code_place.hpp"
#include "skua/openmp/explicit_task.hpp"
#include "skua/openmp/last_words.hpp"
#include "skua/openmp/omp_routines.hpp"
#include "skua/openmp/task.hpp"

namespace omp = skua::openmp;
using omp::current;

namespace {

/// Of the list of GOMP_target_ext's arguments; the value stands in bits 16 and up, or in the next word.
enum argument : std::uintptr_t {
  device_mask = 0x7f,
  value_follows = 0x80,
  kind_mask = 0xff00,
  is_thread_limit = 0x200
};
constexpr unsigned value_shift = 16;
/// The low byte of a map's kind; the high one is the logarithm of the alignment.
constexpr unsigned map_firstprivate = 12;

struct maps {
  std::size_t count;
  void** addresses;
  std::size_t const* sizes;
  unsigned short const* kinds;
};

constinit std::atomic_flag has_said{};

/// -1: the default device; -2: the clause if says the host. `code`: in the program.
void need_no_device(int device, char const* call, void const* code) noexcept {
  omp::offload const asked = omp::the_settings().targets;
  if (device != -2 && asked == omp::offload::allowed)
    omp::say_once(has_said, call, code, "there is no device, so target regions run on the host");
  if (asked != omp::offload::mandatory) return;
  if (device == -1) device = current().variables->default_device;
  if (device != 0 && device != -2) omp::end_as_libgomp("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
}

/// 0: there is no such clause.
std::uint32_t thread_limit_in(void** arguments) {
  for (void** at = arguments; at != nullptr && *at != nullptr; ++at) {
    auto const word = reinterpret_cast<std::uintptr_t>(*at);
    auto const value = static_cast<std::intptr_t>((word & value_follows) != 0 ? reinterpret_cast<std::uintptr_t>(*++at)
                                                                              : word >> value_shift);
    if ((word & device_mask) == 0 && (word & kind_mask) == is_thread_limit)
      return static_cast<std::uint32_t>(std::clamp<std::intptr_t>(value, 0, INT_MAX));
  }
  return 0;
}

void run_on_host(void (*function)(void*), void** addresses, std::uint32_t thread_limit) {
  omp::task mine;
  if (thread_limit != 0) mine.writable().thread_limit = thread_limit;
  omp::league& teams = omp::host_teams();
  omp::league const before = teams;
  teams = {};
  {
    omp::running const now{mine};
    function(addresses);
    omp::wait_for_children(mine);
  }
  teams = before;
}

/// Copies of the variables that are firstprivate. Their places in the list of addresses name the copies from now on.
class private_copies {
 public:
  explicit private_copies(maps const& m) {
    std::size_t bytes = 0;
    each(m, [&](std::size_t i, std::size_t align) { bytes += m.sizes[i] + align; });
    if (bytes == 0) return;
    room_ = std::make_unique<std::byte[]>(bytes);
    void* at = room_.get();
    each(m, [&](std::size_t i, std::size_t align) {
      std::memcpy(std::align(align, m.sizes[i], at, bytes), m.addresses[i], m.sizes[i]);
      m.addresses[i] = at;
      at = static_cast<std::byte*>(at) + m.sizes[i];
      bytes -= m.sizes[i];
    });
  }

 private:
  template <class Do>
  static void each(maps const& m, Do const& what) {
    for (std::size_t i = 0; i < m.count; ++i) {
      if ((m.kinds[i] & 0xffu) == map_firstprivate) what(i, std::size_t{1} << (m.kinds[i] >> 8));
    }
  }
  std::unique_ptr<std::byte[]> room_;
};

void wait_before(void** depends) {
  if (depends != nullptr) omp::wait_for_depends(depends);
}

}  // namespace

extern "C" {

void GOMP_target(int device, void (*function)(void*), void const*, std::size_t, void** addresses, std::size_t*,
                 unsigned char*) {
  need_no_device(device, __func__, SKUA_CALLER);
  run_on_host(function, addresses, 0);
}
void GOMP_target_ext(int device, void (*function)(void*), std::size_t count, void** addresses, std::size_t* sizes,
                     unsigned short* kinds, unsigned, void** depends, void** arguments) {
  need_no_device(device, __func__, SKUA_CALLER);
  try {
    private_copies const copies({count, addresses, sizes, kinds});
    wait_before(depends);
    run_on_host(function, addresses, thread_limit_in(arguments));
  } catch (std::exception const& why) {
    omp::cannot_go_on("a target region cannot begin", why.what());
  }
}

void GOMP_target_data(int device, void const*, std::size_t, void**, std::size_t*, unsigned char*) {
  need_no_device(device, __func__, SKUA_CALLER);
}
void GOMP_target_data_ext(int device, std::size_t, void**, std::size_t*, unsigned short*) {
  need_no_device(device, __func__, SKUA_CALLER);
}
void GOMP_target_end_data(void) {}
void GOMP_target_update(int device, void const*, std::size_t, void**, std::size_t*, unsigned char*) {
  need_no_device(device, __func__, SKUA_CALLER);
}
void GOMP_target_update_ext(int device, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void** depends) {
  need_no_device(device, __func__, SKUA_CALLER);
  wait_before(depends);
}
void GOMP_target_enter_exit_data(int device, std::size_t, void**, std::size_t*, unsigned short*, unsigned,
                                 void** depends) {
  need_no_device(device, __func__, SKUA_CALLER);
  wait_before(depends);
}

// Teams inside of a target region: one after the other.

void GOMP_teams(unsigned, unsigned thread_limit) {
  if (thread_limit != 0) current().writable().thread_limit = std::min<unsigned>(thread_limit, INT_MAX);
}
bool GOMP_teams4(unsigned least, unsigned, unsigned thread_limit, bool is_first) {
  omp::league& teams = omp::host_teams();
  if (is_first) {
    GOMP_teams(0, thread_limit);
    teams = {.count = std::max(least, 1u), .number = 0};
    return true;
  }
  if (teams.number + 1 == teams.count) return false;
  ++teams.number;
  return true;
}

}  // extern "C"

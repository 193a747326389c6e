// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/sharing/permit_library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "skua/parts/base/process.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace tcm {

namespace {

constexpr char file_name[] = "libtcm.so.1";

bool is_enabled() noexcept {
  char const* const value = std::getenv("TCM_ENABLE");
  return value != nullptr && std::string_view(value) == "1";
}

template <class Function>
bool find(void* in, char const* name, Function*& out) noexcept {
  out = reinterpret_cast<Function*>(::dlsym(in, name));
  if (out == nullptr)
    std::fprintf(stderr, "skua: note: TCM_ENABLE=1 has no effect on pools: %s has no %s\n", file_name, name);
  return out != nullptr;
}

std::optional<library> load() noexcept {
  void* const in = ::dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (in == nullptr) {
    std::fprintf(stderr, "skua: note: TCM_ENABLE=1 has no effect on pools: %s\n", ::dlerror());
    return {};
  }
  library all{};
  bool const is_complete =
      find(in, "tcmConnect", all.connect) && find(in, "tcmDisconnect", all.disconnect) &&
      find(in, "tcmRequestPermit", all.ask) && find(in, "tcmGetPermitData", all.read) &&
      find(in, "tcmReleasePermit", all.release) && find(in, "tcmDeactivatePermit", all.deactivate) &&
      find(in, "tcmRegisterThread", all.register_thread) && find(in, "tcmUnregisterThread", all.unregister_thread);
  if (!is_complete) return {};
  all.make_bitmap = reinterpret_cast<bitmap* (*)()>(::dlsym(in, "hwloc_bitmap_alloc"));
  all.set_bit = reinterpret_cast<int (*)(bitmap*, unsigned)>(::dlsym(in, "hwloc_bitmap_set"));
  all.free_bitmap = reinterpret_cast<void (*)(bitmap*)>(::dlsym(in, "hwloc_bitmap_free"));
  return all;
}

/// The library, and the process that loaded it.
struct loaded {
  std::optional<library> all = load();
  std::uint32_t process = fork_generation();
};

}  // namespace

library const* library::of_process() noexcept {
  if (!is_enabled()) return nullptr;
  static loaded const once;
  return once.all && once.process == fork_generation() ? &*once.all : nullptr;
}

}}}}  // namespace skua::v0::runtime::tcm

// SPDX-License-Identifier: MIT
#include "apps/openblas.hpp"

#include <dlfcn.h>

#include <string>

#include "skua/parts/base/error.hpp"

namespace skua::apps {

openblas::openblas() {
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  library_ = std::shared_ptr<void>(library, [](void* one) { dlclose(one); });
  if (auto* const set = find<void(int)>("openblas_set_num_threads")) set(1);
}

void* openblas::address_of(char const* name) const noexcept {
  return library_ == nullptr ? nullptr : dlsym(library_.get(), name);
}

void openblas::refuse(std::string_view app) {
  throw usage_error(std::string(app) +
                    ": libopenblas.so.0 is missing or lacks LAPACK; allowed: OpenBLAS, the package libopenblas-dev");
}

}  // namespace skua::apps

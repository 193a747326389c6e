// SPDX-License-Identifier: MIT
#include "skua/openmp/thread_locals.hpp"

#include <link.h>

#include <cstdint>

namespace skua { inline namespace v0 { namespace openmp {

namespace {

struct question {
  std::uintptr_t address;
  bool answer;
};

/// Nonzero: this object has the address, and the question is answered.
int look_at(dl_phdr_info* object, std::size_t, void* data) noexcept {
  auto& asked = *static_cast<question*>(data);
  bool has_address = false;
  bool has_locals = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    auto const& part = object->dlpi_phdr[i];
    has_address |= part.p_type == PT_LOAD && asked.address - (object->dlpi_addr + part.p_vaddr) < part.p_memsz;
    has_locals |= part.p_type == PT_TLS && part.p_memsz != 0;
  }
  if (has_address) asked.answer = has_locals;
  return has_address ? 1 : 0;
}

}  // namespace

bool may_have_thread_locals(void (*function)(void*)) noexcept {
  [[gnu::tls_model("initial-exec")]] static thread_local constinit question last{0, true};
  auto const address = reinterpret_cast<std::uintptr_t>(function);
  if (address == last.address) return last.answer;
  last = {address, true};  // code that no object has may be anything
  ::dl_iterate_phdr(&look_at, &last);
  return last.answer;
}

}}}  // namespace skua::v0::openmp

// SPDX-License-Identifier: MIT
// Linux, ELF: the functions named in .preinit_array of a program run before the initialisers of all its libraries,
// hence before OpenMP's library binds anything.
#include "cli/measure/first_mask.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace skua::cli {
namespace {

constinit std::array<runtime::cpu_mask::word, (std::size_t{1} << 16) / runtime::cpu_mask::word_bits> first_words{};
constinit long first_bytes = 0;

/// Asks the kernel and does nothing else: no constructor has run yet.
void note_mask(int, char**, char**) noexcept {
  first_bytes = ::syscall(SYS_sched_getaffinity, 0, sizeof first_words, first_words.data());
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all_libraries)(int, char**,
                                                                                 char**) noexcept = &note_mask;

/// The mask that OpenMP's library gave the first thread; empty if it bound nothing.
runtime::cpu_mask& early_binding() {
  static runtime::cpu_mask mask;
  return mask;
}

}  // namespace

void undo_early_binding() {
  if (first_bytes <= 0) return;
  runtime::cpu_mask const first{
      std::span(first_words).first(static_cast<std::size_t>(first_bytes) / sizeof(runtime::cpu_mask::word))};
  runtime::cpu_mask const now = runtime::affinity_of_this_thread();
  if (now == first) return;
  if (!runtime::bind_this_thread(first)) early_binding() = now;
}

openmp_binding::openmp_binding() {
  if (early_binding().empty()) return;
  free_.emplace();
  // If the kernel refuses, the thread stays where it is: the twin runs unbound.
  static_cast<void>(runtime::bind_this_thread(early_binding()));
}

}  // namespace skua::cli

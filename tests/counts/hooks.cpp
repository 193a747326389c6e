// SPDX-License-Identifier: MIT
// What GCC calls in code that it compiles with -fsanitize=thread and -finstrument-functions. It leaves atomic operations to these functions,
// which perform them sequentially consistently.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/counts/operations.hpp"

using line_counts::access;
using line_counts::note_access;

// NOLINTBEGIN(bugprone-reserved-identifier, cppcoreguidelines-macro-usage): the compiler chose the names, and each exists for every size.
#define LINE_COUNTS_PLAIN(bytes)                                                          \
  void __tsan_read##bytes(void* at) { note_access(at, access::read); }                    \
  void __tsan_write##bytes(void* at) { note_access(at, access::write); }                  \
  void __tsan_unaligned_read##bytes(void* at) { note_access(at, access::read); }          \
  void __tsan_unaligned_write##bytes(void* at) { note_access(at, access::write); }        \
  void __tsan_volatile_read##bytes(void* at) { note_access(at, access::read); }           \
  void __tsan_volatile_write##bytes(void* at) { note_access(at, access::write); }         \
  void __tsan_unaligned_volatile_read##bytes(void* at) { note_access(at, access::read); } \
  void __tsan_unaligned_volatile_write##bytes(void* at) { note_access(at, access::write); }

#define LINE_COUNTS_EXCHANGE(bits, name, builtin)                                                                      \
  std::uint##bits##_t __tsan_atomic##bits##_##name(std::uint##bits##_t volatile* at, std::uint##bits##_t value, int) { \
    note_access(at, access::exchange);                                                                                 \
    return builtin(at, value, __ATOMIC_SEQ_CST);                                                                       \
  }

#define LINE_COUNTS_COMPARE(bits, name)                                                                          \
  int __tsan_atomic##bits##_compare_exchange_##name(std::uint##bits##_t volatile* at, std::uint##bits##_t* seen, \
                                                    std::uint##bits##_t wanted, int, int) {                      \
    note_access(at, access::exchange);                                                                           \
    return __atomic_compare_exchange_n(at, seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;     \
  }

#define LINE_COUNTS_ATOMIC(bits)                                                                       \
  std::uint##bits##_t __tsan_atomic##bits##_load(std::uint##bits##_t const volatile* at, int) {        \
    note_access(at, access::read);                                                                     \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                    \
  void __tsan_atomic##bits##_store(std::uint##bits##_t volatile* at, std::uint##bits##_t value, int) { \
    note_access(at, access::write);                                                                    \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                                    \
  LINE_COUNTS_EXCHANGE(bits, exchange, __atomic_exchange_n)                                            \
  LINE_COUNTS_EXCHANGE(bits, fetch_add, __atomic_fetch_add)                                            \
  LINE_COUNTS_EXCHANGE(bits, fetch_sub, __atomic_fetch_sub)                                            \
  LINE_COUNTS_EXCHANGE(bits, fetch_and, __atomic_fetch_and)                                            \
  LINE_COUNTS_EXCHANGE(bits, fetch_or, __atomic_fetch_or)                                              \
  LINE_COUNTS_EXCHANGE(bits, fetch_xor, __atomic_fetch_xor)                                            \
  LINE_COUNTS_COMPARE(bits, strong)                                                                    \
  LINE_COUNTS_COMPARE(bits, weak)

extern "C" {

LINE_COUNTS_PLAIN(1)
LINE_COUNTS_PLAIN(2)
LINE_COUNTS_PLAIN(4)
LINE_COUNTS_PLAIN(8)
LINE_COUNTS_PLAIN(16)
LINE_COUNTS_ATOMIC(8)
LINE_COUNTS_ATOMIC(16)
LINE_COUNTS_ATOMIC(32)
LINE_COUNTS_ATOMIC(64)

void __tsan_read_range(void* at, std::size_t size) {
  for (std::size_t b = 0; b < size; b += 64) note_access(static_cast<std::byte*>(at) + b, access::read);
}
void __tsan_write_range(void* at, std::size_t size) {
  for (std::size_t b = 0; b < size; b += 64) note_access(static_cast<std::byte*>(at) + b, access::write);
}
void __tsan_vptr_read(void** at) { note_access(at, access::read); }
void __tsan_vptr_update(void** at, void*) { note_access(at, access::write); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int) {
  line_counts::note_fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

void __cyg_profile_func_enter(void* function, void*) { line_counts::enters(function); }
void __cyg_profile_func_exit(void* function, void*) { line_counts::leaves(function); }

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier, cppcoreguidelines-macro-usage)

// SPDX-License-Identifier: MIT
// Linux. Uses the bare system calls, because glibc's wrappers want cpu_set_t and hide how many bytes the kernel wrote.
#include "skua/parts/topology/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t first_words = 1024 / cpu_mask::word_bits;
constexpr std::size_t most_words = (std::size_t{1} << 20) / cpu_mask::word_bits;

}  // namespace

cpu_mask read_affinity(affinity_call const& ask) {
  for (std::size_t count = first_words; count <= most_words; count *= 2) {
    std::vector<cpu_mask::word> words(count);
    long const written = ask(words);
    if (written == -EINVAL) continue;
    if (written < 0) return {};
    words.resize(static_cast<std::size_t>(written) / sizeof(cpu_mask::word));
    return cpu_mask{words};
  }
  return {};
}

cpu_mask affinity_of_this_thread() { return affinity_of_thread(0); }

int number_of_this_thread() noexcept { return static_cast<int>(::syscall(SYS_gettid)); }

cpu_mask affinity_of_thread(int number) {
  return read_affinity([number](std::span<cpu_mask::word> words) {
    long const written = ::syscall(SYS_sched_getaffinity, number, words.size_bytes(), words.data());
    return written < 0 ? -static_cast<long>(errno) : written;
  });
}

std::error_code bind_this_thread(cpu_mask const& mask) {
  auto const words = mask.words();
  if (::syscall(SYS_sched_setaffinity, 0, words.size_bytes(), words.data()) == 0) return {};
  return {errno, std::generic_category()};
}

saved_affinity::~saved_affinity() {
  // If the kernel refuses, the thread keeps its mask.
  if (!mask_.empty()) static_cast<void>(bind_this_thread(mask_));
}

}}}  // namespace skua::v0::runtime

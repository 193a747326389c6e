// SPDX-License-Identifier: MIT
#include "skua/parts/context/stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/memory_limits.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/context/valgrind.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

// MAP_NORESERVE: address space, not memory. MAP_STACK: no huge pages (Linux 6.7 and later).
constexpr int stack_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t bytes) noexcept {
  std::size_t const page = page_bytes();
  return (bytes + page - 1) / page * page;
}

std::string kib(std::size_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

std::size_t checked_size(std::size_t bytes) {
  if (bytes < smallest_stack_bytes || bytes > largest_stack_bytes) {
    throw usage_error("stack size is " + std::to_string(bytes) + " bytes; allowed: " + kib(smallest_stack_bytes) +
                      " to " + kib(largest_stack_bytes) + " (SKUA_STACK, or the pool option stack_bytes)");
  }
  return whole_pages(bytes);
}

std::string first_word_of(char const* path) {
  std::string word;
  std::ifstream(path) >> word;
  return word.empty() ? "unknown" : word;
}

}  // namespace

stack* stack::map(std::size_t bytes) {
  tsan::unseen const mapping_is_no_write;
  std::size_t const whole = guard_bytes + bytes;
  void* const mapping = mmap(nullptr, whole, PROT_READ | PROT_WRITE, stack_flags, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* const low = static_cast<std::byte*>(mapping) + guard_bytes;
  stack* s = nullptr;
  int why = ENOMEM;
  if (mprotect(mapping, guard_bytes, PROT_NONE) != 0) {
    why = errno;
  } else {
    s = new (std::nothrow) stack(low, bytes);
  }
  if (s == nullptr) {
    munmap(mapping, whole);
    errno = why;
    return nullptr;
  }
  // Before Linux 6.7 the first touch of a large stack could take 2 MiB. Kernels without huge pages may refuse this.
  if (bytes >= (std::size_t{2} << 20)) madvise(low, bytes, MADV_NOHUGEPAGE);
  return s;
}

stack::stack(std::byte* low, std::size_t bytes) noexcept
    : low_(low), bytes_(bytes), valgrind_name_(valgrind::register_stack(low, low + bytes)) {
  roots_.add(low, bytes);
}

stack::~stack() {
  valgrind::deregister_stack(valgrind_name_);
  munmap(low_ - guard_bytes, guard_bytes + bytes_);
}

void stack::forget_accesses() noexcept {
  if (tsan::watches()) {
    // TSan's interceptor forgets a range that is mapped anew while it ignores writes.
    tsan::unseen const mapping_is_no_write;
    void* const again = mmap(low_, bytes_, PROT_READ | PROT_WRITE, stack_flags | MAP_FIXED, -1, 0);
    if (again == MAP_FAILED) broken("invariant", "a stack can be mapped again where it is");
  }
}

void stack::shed(std::size_t keep) noexcept {
  std::size_t const kept = std::min(whole_pages(keep), bytes_);
  // The kernel may refuse (locked memory). Then the memory stays, which is no error.
  if (kept < bytes_) madvise(low_, bytes_ - kept, MADV_DONTNEED);
}

void stack_list::push(stack* s) noexcept {
  s->next_ = std::exchange(head_, s);
  ++size_;
}

stack* stack_list::pop() noexcept {
  if (head_ == nullptr) return nullptr;
  --size_;
  return std::exchange(head_, head_->next_);
}

stack_pool::stack_pool(std::size_t stack_bytes) : stack_bytes_(checked_size(stack_bytes)) {}

stack_pool::~stack_pool() {
  invariant(live_ == 0, "every stack was given back");
  trim();
}

stack* stack_pool::try_take() noexcept {
  {
    std::lock_guard const lock(mutex_);
    peak_ = std::max(peak_, ++live_);
    if (stack* const s = free_.pop()) return s;
  }
  if (stack* const s = stack::map(stack_bytes_)) return s;
  int const why = errno;
  {
    std::lock_guard const lock(mutex_);
    --live_;
  }
  errno = why;
  return nullptr;
}

stack* stack_pool::take() {
  if (stack* const s = try_take()) return s;
  throw resource_error(refusal(errno));
}

std::string stack_pool::refusal(int why) const {
  return "cannot map another stack of " + kib(stack_bytes_) + " (" + std::generic_category().message(why) + ") while " +
         std::to_string(count().live) +
         " are in use. Limits: vm.max_map_count = " + first_word_of("/proc/sys/vm/max_map_count") +
         " (a stack takes 2 mappings), " + memory_limits() +
         ", vm.overcommit_memory = " + first_word_of("/proc/sys/vm/overcommit_memory") +
         " (2 counts untouched memory too). Raise the limit, choose a smaller stack"
         " (SKUA_STACK, or the pool option stack_bytes), or start fewer workers (SKUA_WORKERS)";
}

void stack_pool::give(stack* s) noexcept {
  s->shed(warm_bytes);
  {
    std::lock_guard const lock(mutex_);
    --live_;
    if (free_.size() < kept_free) {
      free_.push(s);
      return;
    }
  }
  delete s;
}

void stack_pool::trim() noexcept {
  stack_list all;
  {
    std::lock_guard const lock(mutex_);
    all = std::exchange(free_, {});
  }
  while (stack* const s = all.pop()) delete s;
}

stack_pool::census stack_pool::count() const noexcept {
  std::lock_guard const lock(mutex_);
  return {.live = live_, .peak = peak_, .free = free_.size()};
}

stack* stack_cache::take() {
  if (stack* const s = mine_.pop()) return s;
  return pool_.take();
}

stack* stack_cache::try_take() noexcept {
  if (stack* const s = mine_.pop()) return s;
  return pool_.try_take();
}

void stack_cache::give(stack* s) noexcept {
  if (mine_.size() < kept) {
    mine_.push(s);
  } else {
    pool_.give(s);
  }
}

void stack_cache::flush() noexcept {
  while (stack* const s = mine_.pop()) pool_.give(s);
}

}}}  // namespace skua::v0::runtime

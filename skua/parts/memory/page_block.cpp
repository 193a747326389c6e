// SPDX-License-Identifier: MIT
#include "skua/parts/memory/page_block.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/memory_limits.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 62;

[[noreturn, gnu::cold]] void refuse(std::size_t bytes, std::string const& why) {
  throw resource_error("cannot map an array of " + std::to_string(bytes) + " bytes: " + why);
}

/// A mapping of `bytes` that starts at a multiple of `page`: maps more and unmaps what sticks out.
std::span<std::byte> map_aligned(std::size_t bytes, std::size_t page) {
  std::size_t const spare = page > small_page_bytes() ? page : 0;
  void* const got = mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) {
    refuse(bytes, error_text(errno) + "; the limits are the memory, vm.overcommit_memory, " + memory_limits());
  }
  auto* const low = static_cast<std::byte*>(got);
  if (spare == 0) return {low, bytes};
  std::size_t const past = reinterpret_cast<std::uintptr_t>(low) % page;
  std::size_t const before = past == 0 ? 0 : page - past;
  if (before > 0) munmap(low, before);
  if (spare > before) munmap(low + before + bytes, spare - before);
  return {low + before, bytes};
}

}  // namespace

page_block::page_block(std::size_t bytes, page_size pages, page_kernel const& kernel)
    : page_bytes_(small_page_bytes()) {
  if (bytes == 0) refuse(bytes, "an array has at least one element");
  if (bytes > most_bytes) refuse(bytes, "no machine has that many");
  std::size_t const large = pages == page_size::huge ? huge_page_bytes() : 0;
  std::size_t const page = large > 0 ? large : page_bytes_;
  bytes_ = map_aligned(whole_pages(bytes, page), page);
  if (pages == page_size::huge) {
    refusal_ = large > 0 ? kernel.advise(bytes_, page_advice::huge) : ENOSYS;
    if (refusal_ == 0) page_bytes_ = large;
  } else {
    // A kernel without huge pages refuses, and gives small ones anyway.
    static_cast<void>(kernel.advise(bytes_, page_advice::small));
  }
  invariant(bytes_.size() % page_bytes_ == 0, "a block is whole pages");
}

page_block::~page_block() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

page_block::page_block(page_block&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), page_bytes_(other.page_bytes_), refusal_(other.refusal_) {}

page_block& page_block::operator=(page_block&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(page_bytes_, other.page_bytes_);
  std::swap(refusal_, other.refusal_);
  return *this;
}

}}}  // namespace skua::v0::runtime

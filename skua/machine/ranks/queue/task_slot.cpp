// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/queue/task_slot.hpp"

#include <new>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

void append_packed(std::vector<std::byte>& to, void const* from, std::size_t n) {
  // GCC 12 warns of an overflow in insert() that cannot happen.
  std::size_t const at = to.size();
  to.resize(at + n);
  if (n > 0) std::memcpy(to.data() + at, from, n);
}

// A packed task: its mark, its size if it is serialized, its bytes. No padding and no identity: those say nothing outside this job.
constexpr std::size_t size_at = sizeof(slot_mark);
constexpr std::size_t block_at = size_at + sizeof(std::uint64_t);

}  // namespace

task_block* slot_shape::make_block(std::span<std::byte const> task) {
  auto* const block = ::new (::operator new(sizeof(task_block) + task.size())) task_block{task.size()};
  if (!task.empty()) std::memcpy(block->bytes(), task.data(), task.size());
  return block;
}

void slot_shape::pack(std::byte const* slot, std::vector<std::byte>& to) const {
  slot_mark const mark = mark_of(slot);
  append_packed(to, &mark, sizeof mark);
  if (!has_block) return append_packed(to, slot, task_bytes);
  task_block* const block = block_of(slot);
  std::uint64_t const size = block->size;
  append_packed(to, &size, sizeof size);
  append_packed(to, block->bytes(), block->size);
}

std::optional<std::size_t> slot_shape::packed_bytes(std::span<std::byte const> from) const noexcept {
  std::size_t packed = sizeof(slot_mark) + task_bytes;
  if (has_block) {
    if (from.size() < block_at) return std::nullopt;
    std::uint64_t size = 0;
    std::memcpy(&size, from.data() + size_at, sizeof size);
    if (size > from.size()) return std::nullopt;
    packed = block_at + size;
  }
  return packed <= from.size() ? std::optional(packed) : std::nullopt;
}

slot_mark slot_shape::packed_mark(std::span<std::byte const> from) noexcept {
  slot_mark mark;
  std::memcpy(&mark, from.data(), sizeof mark);
  return mark;
}

void slot_shape::unpack(std::span<std::byte const>& from, std::byte* slot) const {
  auto const packed = packed_bytes(from);
  runtime::invariant(packed.has_value(), "packed tasks are whole");
  slot_mark const mark = packed_mark(from);
  put(slot, from.first(*packed).subspan(has_block ? block_at : sizeof mark));
  set_mark(slot, mark);
  from = from.subspan(*packed);
}

}}}  // namespace skua::v0::ranks

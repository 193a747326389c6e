// SPDX-License-Identifier: MIT
// What ARMS writes on a task: where its data are, which function it runs, and which partition runs it.
#pragma once

#include <cstdint>
#include <optional>

#include "skua/policy/arms/partitions.hpp"
#include "skua/policy/vocabulary.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms {

struct tag_fields {
  // The first word: what thieves see.
  std::optional<runtime::address> address = {};  ///< its own, or inherited
  std::optional<runtime::task_type> type = {};   ///< its own
  // The other words: written once the worker that runs the task is chosen.
  std::optional<partition_id> chosen = {};
  std::uint32_t key = 0;  ///< of the model from which it was chosen
  bool beside = false;    ///< some of its members had other work then

  [[nodiscard]] static tag_fields read(task_tag const& t) noexcept { return read(t.words[0], t.words[1]); }
  /// Of the first word of a tag.
  [[nodiscard]] static tag_fields read(std::uint64_t shown, std::uint64_t own = 0) noexcept {
    tag_fields c;
    if ((shown & address_bit) != 0) c.address = runtime::address{static_cast<std::uint32_t>(shown)};
    if ((shown & type_bit) != 0) {
      c.type = runtime::task_type{
          .number = static_cast<std::uint16_t>(shown >> 32),
          .moldable = static_cast<std::uint16_t>(((shown & moldable_bit) != 0 ? 1 : 0) |
                                                 ((shown & critical_bit) != 0 ? runtime::on_critical_path : 0))};
    }
    if (auto const p = static_cast<std::uint32_t>(own) & ~beside_bit; p != 0) c.chosen = partition_id{p - 1};
    c.beside = (static_cast<std::uint32_t>(own) & beside_bit) != 0;
    c.key = static_cast<std::uint32_t>(own >> 32);
    return c;
  }
  [[nodiscard]] task_tag written() const noexcept {
    std::uint64_t const where = address ? address_bit | address->fraction : 0;
    std::uint64_t const what = type ? type_bit | std::uint64_t{type->number} << 32 |
                                          ((type->moldable & 1) != 0 ? moldable_bit : 0) |
                                          ((type->moldable & runtime::on_critical_path) != 0 ? critical_bit : 0)
                                    : 0;
    return {{where | what, chosen ? own_word(*chosen, key, beside) : 0}};
  }

  /// Without the choice: as the first word alone says.
  static void forget_choice(task_tag& t) noexcept { t = {{t.words[0]}}; }
  /// Writes the choice alone.
  static void write_choice(task_tag& t, partition_id chosen, std::uint32_t key, bool beside) noexcept {
    t.words[1] = own_word(chosen, key, beside);
  }
  [[nodiscard]] static bool has_type(task_tag const& t) noexcept { return (t.words[0] & type_bit) != 0; }
  [[nodiscard]] bool is_critical() const noexcept { return type && (type->moldable & runtime::on_critical_path) != 0; }
  [[nodiscard]] static std::optional<runtime::address> address_in(task_tag const& t) noexcept {
    if ((t.words[0] & address_bit) == 0) return {};
    return runtime::address{static_cast<std::uint32_t>(t.words[0])};
  }

 private:
  [[nodiscard]] static std::uint64_t own_word(partition_id chosen, std::uint32_t key, bool beside) noexcept {
    return (index(chosen) + 1) | (beside ? beside_bit : 0) | std::uint64_t{key} << 32;
  }
  static constexpr std::uint32_t beside_bit = std::uint32_t{1} << 31;  // partitions have smaller numbers
  static constexpr std::uint64_t moldable_bit = std::uint64_t{1} << 48;
  static constexpr std::uint64_t type_bit = std::uint64_t{1} << 49;
  static constexpr std::uint64_t address_bit = std::uint64_t{1} << 50;
  static constexpr std::uint64_t critical_bit = std::uint64_t{1} << 51;
};

}}}}  // namespace skua::v0::policies::arms

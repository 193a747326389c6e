// SPDX-License-Identifier: MIT
// Delivers each message to its collection and process().
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "skua/machine/ranks/protocol/process_engine.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Ranks enter and leave a process() at different times. A message for one that this rank has not entered is kept. A
/// message for one that it has left can only report a failure that it knows, and is dropped.
class post_office final : public receiver {
 public:
  /// `others` takes messages for the communicator itself (collection 0).
  explicit post_office(receiver& others) noexcept : others_(others) {}

  /// From now on `engine` gets the messages of this collection and `engine.epoch()`; early ones at once.
  void open(std::uint32_t collection, process_engine& engine);
  /// A message of a process() with this number that this rank is not in; null: there is none.
  [[nodiscard]] message_header const* early_of(std::uint32_t epoch) const noexcept {
    for (early const& e : early_) {
      if (e.head.epoch == epoch) return &e.head;
    }
    return nullptr;
  }
  void close(std::uint32_t collection) noexcept { open_.erase(collection); }
  /// Nothing of a process() that this rank sent counts any more (recovery.md).
  void drop_from(rank_number dead);

  void on_message(message const& m) override;
  void on_sent(std::uint64_t token) override;

 private:
  struct early {
    message_header head;
    std::vector<std::byte> body;
  };
  receiver& others_;
  std::unordered_map<std::uint32_t, process_engine*> open_;
  std::unordered_map<std::uint32_t, std::uint32_t> last_epoch_;  ///< of collections that were opened
  std::vector<early> early_;
  std::vector<rank_number> dropped_;  ///< ranks
};

}}}  // namespace skua::v0::ranks

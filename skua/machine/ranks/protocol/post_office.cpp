// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/post_office.hpp"

#include <algorithm>
#include <utility>

namespace skua { inline namespace v0 { namespace ranks {

void post_office::open(std::uint32_t collection, process_engine& engine) {
  open_[collection] = &engine;
  last_epoch_[collection] = engine.epoch();
  std::vector<early> waiting = std::exchange(early_, {});
  for (early& e : waiting) {
    if (e.head.collection == collection && e.head.epoch == engine.epoch()) {
      engine.on_message({e.head, e.body});
    } else if (e.head.collection != collection || static_cast<std::int32_t>(e.head.epoch - engine.epoch()) > 0) {
      // Older ones are of a process() that this rank did not enter, because a rank had died.
      early_.push_back(std::move(e));
    }
  }
}

void post_office::on_message(message const& m) {
  if (m.head.collection == 0) return others_.on_message(m);
  if (std::ranges::find(dropped_, m.head.sender) != dropped_.end()) [[unlikely]]
    return;
  auto const entered = last_epoch_.find(m.head.collection);
  // Numbers wrap around.
  bool const is_early = entered == last_epoch_.end() || static_cast<std::int32_t>(m.head.epoch - entered->second) > 0;
  if (is_early) {
    early_.push_back({m.head, {m.body.begin(), m.body.end()}});
    return;
  }
  auto const at = open_.find(m.head.collection);
  if (at != open_.end() && m.head.epoch == entered->second) at->second->on_message(m);
}

void post_office::drop_from(rank_number dead) {
  dropped_.push_back(dead);
  std::erase_if(early_, [&](early const& e) { return e.head.sender == dead; });
}

void post_office::on_sent(std::uint64_t token) {
  auto const collection = static_cast<std::uint32_t>(token >> 32);
  if (collection == 0) return others_.on_sent(token);
  // An abandoned process() does not wait for its sends.
  if (auto const at = open_.find(collection); at != open_.end()) at->second->on_sent(token);
}

}}}  // namespace skua::v0::ranks

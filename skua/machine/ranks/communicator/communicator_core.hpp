// SPDX-License-Identifier: MIT
// What a communicator and its collections share: the transport, and who gets what arrives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "skua/machine/ranks/communicator/collectives.hpp"
#include "skua/machine/ranks/protocol/post_office.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua::inline v0::ranks {

class communicator_core {
 public:
  explicit communicator_core(std::unique_ptr<transport> network)
      : network_(std::move(network)), all_(*network_, [this] { return poll(); }), office_(all_) {}

  [[nodiscard]] transport& network() noexcept { return *network_; }
  [[nodiscard]] collectives& all() noexcept { return all_; }
  [[nodiscard]] post_office& office() noexcept { return office_; }

  /// Takes what arrived. False: nothing has.
  bool poll() { return network_->poll(office_); }

  /// Throws usage_error on every rank unless all gave the same text: "WHAT differs: rank 3 has THIS, rank 0 has THAT". Collective.
  void agree(std::string const& what, std::string const& mine);

  /// The next collection's number, from 1; the same on every rank.
  [[nodiscard]] std::uint32_t next_collection() noexcept { return ++collections_; }

 private:
  std::unique_ptr<transport> network_;
  collectives all_;
  post_office office_;
  std::uint32_t collections_ = 0;
};

}  // namespace skua::inline v0::ranks

// SPDX-License-Identifier: MIT
// What a communicator and its collections share: the transport, and who gets what arrives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "skua/machine/ranks/communicator/collectives.hpp"
#include "skua/machine/ranks/protocol/post_office.hpp"
#include "skua/machine/ranks/transport/transport.hpp"
#include "skua/program/collection/worker_threads.hpp"

namespace skua::inline v0::ranks {

class communicator_core {
 public:
  explicit communicator_core(std::unique_ptr<transport> network)
      : network_(std::move(network)), all_(*network_, [this] { return poll(); }), office_(all_) {}

  [[nodiscard]] transport& network() noexcept { return *network_; }
  [[nodiscard]] collectives& all() noexcept { return all_; }
  [[nodiscard]] post_office& office() noexcept { return office_; }

  /// Threads of collections that are made from now on; null: none.
  void work_with(runtime::worker_threads* threads, serving how) noexcept {
    threads_ = threads;
    serves_ = how;
  }
  [[nodiscard]] runtime::worker_threads* threads() const noexcept { return threads_; }
  [[nodiscard]] serving serves() const noexcept { return serves_; }

  /// Takes what arrived. False: nothing has.
  bool poll() { return network_->poll(office_); }

  /// Throws usage_error on every rank unless all gave the same text: "WHAT differs: rank 3 has THIS, rank 0 has THAT". Collective.
  void agree(std::string const& what, std::string const& mine);

  /// Calls f on rank 0. If it throws, every rank throws a usage_error or resource_error with the same text. Collective.
  template <class F>
  void on_rank_0(F f) {
    std::string fault;
    if (network_->rank() == 0) fault = fault_of(f);
    throw_everywhere(std::move(fault));
  }

  /// The next collection's number, from 1; the same on every rank.
  [[nodiscard]] std::uint32_t next_collection() noexcept { return ++collections_; }

 private:
  /// Empty, or the kind of the error and its text.
  static std::string fault_of(std::function<void()> const& f);
  /// What rank 0 has to say, if anything. Collective.
  void throw_everywhere(std::string fault);

  std::unique_ptr<transport> network_;
  collectives all_;
  post_office office_;
  std::uint32_t collections_ = 0;
  runtime::worker_threads* threads_ = nullptr;
  serving serves_ = serving::between_tasks;
};

}  // namespace skua::inline v0::ranks

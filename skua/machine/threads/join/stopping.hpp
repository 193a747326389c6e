// SPDX-License-Identifier: MIT
// A user's stop token, watched while a function runs. When the stop is requested, every worker of the region is made
// to look at its next fork, so that forks pay nothing for tokens that are not in use.
#pragma once

#include <stop_token>

#include "skua/machine/threads/join/fiber.hpp"

namespace skua::runtime {

class stop_scope {
 public:
  stop_scope(fiber& s, std::stop_token const& token);
  ~stop_scope() { fiber_.watch(node_.outer); }
  stop_scope(stop_scope const&) = delete;
  stop_scope& operator=(stop_scope const&) = delete;

 private:
  /// Runs on the thread that requests the stop.
  struct alarm {
    region& in;
    void operator()() const noexcept;
  };

  fiber& fiber_;
  std::stop_token token_;
  stop_node node_;
  std::stop_callback<alarm> on_stop_;
};

}  // namespace skua::runtime

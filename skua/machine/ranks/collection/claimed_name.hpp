// SPDX-License-Identifier: MIT
// The names of a communicator's collections on one rank: messages, traces and checkpoints tell collections apart by them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks {

using collection_names = std::vector<std::string>;

/// Holds a name while it lives, which may be longer than its communicator.
class claimed_name {
 public:
  claimed_name(std::shared_ptr<collection_names> all, std::string name)
      : all_(std::move(all)), name_(std::move(name)), was_taken_(std::ranges::find(*all_, name_) != all_->end()) {
    all_->push_back(name_);
  }
  ~claimed_name() { all_->erase(std::ranges::find(*all_, name_)); }
  claimed_name(claimed_name const&) = delete;
  claimed_name& operator=(claimed_name const&) = delete;

  /// True if another one had the name already.
  [[nodiscard]] bool was_taken() const noexcept { return was_taken_; }

 private:
  std::shared_ptr<collection_names> all_;
  std::string name_;
  bool was_taken_;
};

}}}  // namespace skua::v0::ranks

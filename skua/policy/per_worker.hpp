// SPDX-License-Identifier: MIT
// What every policy is made of: one object per worker, in one array.
#pragma once

#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/policy/policy.hpp"

namespace skua {

/// A policy whose workers' states are `Mind`s. They are made by the constructor of the derived class, in order.
template <class Mind>
class per_worker : public policy {
 public:
  mind& mind_of(worker_id w) noexcept final {
    expects(index(w) < minds_.size(), "mind_of: a worker of the region");
    return minds_[index(w)];
  }

 protected:
  per_worker() = default;
  std::vector<Mind> minds_;
};

}  // namespace skua

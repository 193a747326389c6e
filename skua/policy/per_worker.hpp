// SPDX-License-Identifier: MIT
// What every policy is made of: one object per worker, in one array.
#pragma once

#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/policy/policy.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// A policy with one `WorkerState` per worker. The derived class's constructor makes them, in the order of the workers.
template <class WorkerState>
class per_worker : public policy {
 public:
  worker_policy& of_worker(worker_id w) noexcept final {
    runtime::expects(index(w) < workers_state_.size(), "of_worker: a worker of the region");
    return workers_state_[index(w)];
  }

 protected:
  per_worker() = default;
  std::vector<WorkerState> workers_state_;
};

}}}  // namespace skua::v0::policies

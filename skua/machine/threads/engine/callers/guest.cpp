// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/callers/guest.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "skua/machine/threads/engine/callers/caller.hpp"
#include "skua/machine/threads/engine/outside/root.hpp"
#include "skua/parts/base/interruptible_sleep.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

class counted {
 public:
  explicit counted(std::atomic<std::uint32_t>& c) noexcept : count_(c) {
    count_.fetch_add(1, std::memory_order_relaxed);  // relaxed: only people read it
  }
  ~counted() { count_.fetch_sub(1, std::memory_order_relaxed); }  // relaxed: as above
  counted(counted const&) = delete;
  counted& operator=(counted const&) = delete;

 private:
  std::atomic<std::uint32_t>& count_;
};

}  // namespace

guest::guest(region& host) : host_(host), core_(host.pool(), host.slot_of(worker_id{0}).worker.number()) {
  worker_id const only{0};
  own_ = core_.open_region(host.policy_maker(), {&only, 1});
  own_->stand_in_for(host);
}

bool guest::run(root& call) noexcept {
  if (!caller::run(*own_, call)) return false;
  worker_slot& slot = own_->slot_of(worker_id{0});
  entry left;
  // Free tasks that the call has spawned and not waited for.
  while (slot.spawned.pop_oldest(left)) host_.inject(*static_cast<handed*>(static_cast<task*>(left.task)));
  return true;
}

void guest_list::run(root& call) {
  std::unique_ptr<guest> mine;
  {
    std::lock_guard const hold(changing_);
    if (!free_.empty()) {
      mine = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (mine == nullptr) mine = std::make_unique<guest>(host_);
  counted const inside{in_use_};
  while (!mine->run(call)) mine = std::make_unique<guest>(host_);
  try {
    std::lock_guard const hold(changing_);
    free_.push_back(std::move(mine));
  } catch (std::bad_alloc const&) {  // the call has run, so it must not fail any more; `mine` ends
  }
}

void guest_list::run_task(handed& t, std::uint64_t extra) noexcept {
  struct injected_call : outside_call {
    injected_call(handed& task, std::uint64_t word) noexcept
        : outside_call{[](outside_call& self, fiber& on) {
            auto const& mine = static_cast<injected_call&>(self);
            caller::run_submitted(on, mine.given, mine.extra);
          }},
          given(task), extra(word) {}
    handed& given;
    std::uint64_t const extra;
  };
  injected_call call{t, extra};
  root asked{call, t.hint_for(extra)};
  for (;;) {
    try {
      return run(asked);
    } catch (std::exception const&) {  // a submitted task cannot be refused any more
      interruptible_sleep(std::chrono::milliseconds(1));
    }
  }
}

}}}  // namespace skua::v0::runtime

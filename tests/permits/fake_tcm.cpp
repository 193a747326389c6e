// SPDX-License-Identifier: MIT
#include "tests/permits/fake_tcm.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/sharing/permit_library.hpp"

namespace tcm = skua::runtime::tcm;

struct skua::runtime::tcm::permit_of_library {
  std::uint64_t client = 0;
  void* argument = nullptr;
  std::int32_t most = 0;
  tcm::state state = tcm::state::none;
  std::uint32_t grant = 0;
};

namespace {

constexpr tcm::result refused = 0x7ffffffe;

struct world {
  std::mutex lock;
  // Under the lock:
  std::vector<tcm::callback> clients;
  std::vector<std::unique_ptr<tcm::permit_of_library>> permits;
  std::uint32_t offered = 1024;
  fake_tcm::refuses refuses = fake_tcm::refuses::nothing;
  fake_tcm::seen seen;

  void expect(bool holds, char const* otherwise) {
    if (!holds && seen.misuse == nullptr) seen.misuse = otherwise;
  }
  [[nodiscard]] std::uint32_t grant_of(tcm::permit_of_library const& p) const {
    return p.state == tcm::state::active ? std::min(offered, static_cast<std::uint32_t>(p.most)) : 0;
  }
  void set_state(tcm::handle p, tcm::state to) {
    if (p->state == tcm::state::active) --seen.active;
    p->state = to;
    if (to == tcm::state::active) ++seen.active;
    p->grant = grant_of(*p);
  }
};

world& all() {
  static auto* const one = new world;
  return *one;
}

thread_local bool is_registered = false;

}  // namespace

void fake_tcm::offer(std::uint32_t threads) {
  world& w = all();
  struct call {
    tcm::handle permit;
    void* argument;
    tcm::callback back;
  };
  std::vector<call> changed;
  {
    std::lock_guard const hold(w.lock);
    w.offered = threads;
    for (auto const& p : w.permits) {
      if (p->grant == w.grant_of(*p)) continue;
      p->grant = w.grant_of(*p);
      changed.push_back({p.get(), p->argument, w.clients[p->client - 1]});
    }
  }
  for (call const& c : changed) c.back(c.permit, c.argument, 1);
}

void fake_tcm::refuse(refuses what) {
  std::lock_guard const hold(all().lock);
  all().refuses = what;
}

fake_tcm::seen fake_tcm::now() {
  std::lock_guard const hold(all().lock);
  return all().seen;
}

extern "C" {

tcm::result tcmConnect(tcm::callback of, std::uint64_t* client) {
  world& w = all();
  std::lock_guard const hold(w.lock);
  if (w.refuses == fake_tcm::refuses::clients) return refused;
  w.clients.push_back(of);
  *client = w.clients.size();
  ++w.seen.connects;
  return tcm::success;
}

tcm::result tcmDisconnect(std::uint64_t client) {
  world& w = all();
  std::lock_guard const hold(w.lock);
  ++w.seen.disconnects;
  w.expect(client > 0 && client <= w.clients.size(), "disconnect: no such client");
  for (auto const& p : w.permits)
    w.expect(p->client != client || p->state == tcm::state::none, "disconnect: a permit is left");
  return tcm::success;
}

tcm::result tcmRequestPermit(std::uint64_t client, tcm::request of, void* argument, tcm::handle* out, tcm::permit*) {
  world& w = all();
  std::lock_guard const hold(w.lock);
  if (w.refuses == fake_tcm::refuses::permits) return refused;
  ++w.seen.asks;
  w.seen.asked_most = of.most;
  w.seen.was_bound = of.constraints != nullptr;
  w.expect(of.least <= of.most, "request: at least more than at most");
  if (*out == nullptr) *out = w.permits.emplace_back(std::make_unique<tcm::permit_of_library>()).get();
  tcm::handle const p = *out;
  w.expect(p->state != tcm::state::active, "request: the permit is active");
  p->client = client;
  p->argument = argument;
  p->most = of.most;
  w.set_state(p, tcm::state::active);
  return tcm::success;
}

tcm::result tcmGetPermitData(tcm::handle p, tcm::permit* out) {
  world& w = all();
  std::lock_guard const hold(w.lock);
  w.expect(p->state != tcm::state::none, "read: the permit is released");
  out->concurrencies[0] = p->grant;
  out->state = p->state;
  out->flags = 0;
  return tcm::success;
}

tcm::result tcmReleasePermit(tcm::handle p) {
  world& w = all();
  std::lock_guard const hold(w.lock);
  ++w.seen.releases;
  w.expect(p->state != tcm::state::none, "release: the permit is released");
  w.set_state(p, tcm::state::none);
  return tcm::success;
}

tcm::result tcmDeactivatePermit(tcm::handle p) {
  world& w = all();
  std::lock_guard const hold(w.lock);
  w.expect(p->state == tcm::state::active, "deactivate: the permit is not active");
  w.set_state(p, tcm::state::inactive);
  return tcm::success;
}

tcm::result tcmRegisterThread(tcm::handle p) {
  world& w = all();
  std::lock_guard const hold(w.lock);
  w.expect(p != nullptr && p->state != tcm::state::none, "register: no permit");
  w.expect(!std::exchange(is_registered, true), "register: the thread is registered");
  ++w.seen.registered;
  return tcm::success;
}

tcm::result tcmUnregisterThread() {
  world& w = all();
  std::lock_guard const hold(w.lock);
  w.expect(std::exchange(is_registered, false), "unregister: the thread is not registered");
  --w.seen.registered;
  return tcm::success;
}

}  // extern "C"

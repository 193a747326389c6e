// SPDX-License-Identifier: MIT
// Lanes of threads from outside need a key of the system's, and room for the key's value in each thread. Without them a thread has no
// lane, and no key is lost. This program brings a pthread_setspecific of its own, which may refuse.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/outside/outside_lane.hpp"

namespace {

std::atomic<bool> refuses_values{false};
using set_function = int (*)(pthread_key_t, void const*);

}  // namespace

extern "C" int pthread_setspecific(pthread_key_t key, void const* value) noexcept {
  if (refuses_values.load()) return ENOMEM;
  static std::atomic<set_function> systems{nullptr};
  if (systems.load() == nullptr) systems = reinterpret_cast<set_function>(::dlsym(RTLD_NEXT, "pthread_setspecific"));
  return systems.load()(key, value);
}

namespace {

using skua::runtime::block_pool, skua::runtime::outside_lane, skua::runtime::outside_lanes;

/// While it lives, no key is left but `but`.
class without_keys {
 public:
  explicit without_keys(int but = 0) {
    for (pthread_key_t key{}; ::pthread_key_create(&key, nullptr) == 0;) keys_.push_back(key);
    for (; but > 0; --but) give_one_back();
  }
  ~without_keys() {
    while (!keys_.empty()) give_one_back();
  }
  without_keys(without_keys const&) = delete;
  without_keys& operator=(without_keys const&) = delete;

  void give_one_back() {
    ::pthread_key_delete(keys_.back());
    keys_.pop_back();
  }

 private:
  std::vector<pthread_key_t> keys_;
};

/// In a thread of its own, because a thread keeps what it has.
template <class Body>
void in_a_thread(Body&& body) {
  std::thread(body).join();
}

TEST(keys_of_outside_lanes, are_given_back) {
  without_keys const rest(1);
  for (int i = 0; i < 3; ++i) {
    block_pool blocks;
    outside_lanes lanes(blocks);
    in_a_thread([&] { EXPECT_NE(lanes.mine(), nullptr) << "round " << i; });
  }
}

TEST(keys_of_outside_lanes, without_one_a_thread_has_no_lane_until_there_is_one) {
  without_keys all;
  block_pool blocks;
  outside_lanes lanes(blocks);
  in_a_thread([&] {
    EXPECT_EQ(lanes.mine(), nullptr);
    EXPECT_EQ(lanes.of_this_thread(), nullptr);
    EXPECT_TRUE(lanes.look_empty());
    all.give_one_back();
    EXPECT_NE(lanes.mine(), nullptr);
  });
}

TEST(keys_of_outside_lanes, a_lane_that_cannot_be_kept_is_left_to_the_next) {
  block_pool blocks;
  outside_lanes lanes(blocks);
  in_a_thread([&] {
    refuses_values = true;
    outside_lane* const refused = lanes.mine();
    refuses_values = false;
    EXPECT_EQ(refused, nullptr);
    EXPECT_EQ(lanes.of_this_thread(), nullptr);
    outside_lane* const mine = lanes.mine();
    ASSERT_NE(mine, nullptr);
    EXPECT_EQ(mine->next, nullptr) << "there is no other lane that somebody has";
  });
}

}  // namespace

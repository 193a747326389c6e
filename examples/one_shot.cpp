// SPDX-License-Identifier: MIT
// Tasks and coroutines that wait for another thread, sums per worker, and tasks that no join waits for (docs/tour.md).
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <thread>

#include "skua/skua.hpp"

/// A coroutine that starts at once and is never joined. Skua works with any coroutine type.
struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

long sum_of_squares(auto& here, long n) {
  if (n == 0) return 0;
  auto [a, b] = here.join([n](auto&) { return n * n; }, [n](auto& h) { return sum_of_squares(h, n - 1); });
  return a + b;
}

detached answer(skua::pool& pool, skua::one_shot<long>& question, skua::one_shot<long>& reply) {
  long const n = co_await question;  // resumes on a worker, whichever thread sets the question
  reply.set_value(co_await skua::run_on(pool, [n](auto& here) { return sum_of_squares(here, n); }));
}

int main() {
  skua::pool pool;
  std::deque<skua::one_shot<long>> packets(100);
  std::thread network([&] {
    for (long i = 0; i < 100; ++i) packets[static_cast<std::size_t>(i)].set_value(i);
  });

  skua::worker_local<long> received;
  pool.run([&](auto& here) {
    here.join_each(packets, [&](auto& h, skua::one_shot<long>& packet) {
      long const n = packet.wait(h);  // the worker runs other tasks meanwhile
      received.local() += n;
    });
  });
  long const sum = received.combine(std::plus<>{});

  skua::one_shot<long> question;
  skua::one_shot<long> reply;
  pool.enqueue([&] { answer(pool, question, reply); });  // no join waits for this task
  question.set_value(10);
  long const squares = reply.wait();

  network.join();
  pool.drain();
  std::printf("%ld received, %ld squared\n", sum, squares);
  return sum == 4950 && squares == 385 ? 0 : 1;
}

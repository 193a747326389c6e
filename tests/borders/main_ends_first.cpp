// SPDX-License-Identifier: MIT
// The thread that runs main ends by pthread_exit, after it has used pools, while others go on: what it leaves behind (its signal stack, its
// watch for overflows, its place) is not used any more, and the process ends with status 0 when the last of them ends it.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "skua/skua.hpp"

namespace {

int sum_of_a_loop() {
  std::atomic<int> sum{0};
  skua::parallel_for(0, 1000, [&](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
  return sum.load();
}

/// Also from a thread that calls for the first time, and through a pool of its own.
bool all_is_well() {
  bool is_well = sum_of_a_loop() == 499'500;
  std::thread([&] { is_well = is_well && sum_of_a_loop() == 499'500; }).join();
  skua::pool own;
  return is_well && own.run([](auto& here) {
    auto const [a, b] = here.join([](auto&) { return 3; }, [](auto&) { return 4; });
    return a + b == 7;
  });
}

/// The kernel keeps the entry of main's thread until the process ends, in state Z.
bool main_has_ended() {
  std::ifstream stat("/proc/self/task/" + std::to_string(::getpid()) + "/stat");
  std::string line;
  std::getline(stat, line);
  return line.find(") Z ") != std::string::npos;
}

}  // namespace

int main() {
  bool const was_well = all_is_well();
  std::thread([was_well] {
    while (!main_has_ended()) std::this_thread::yield();
    bool is_well = was_well;
    for (int i = 0; i < 20; ++i) is_well = is_well && all_is_well();
    if (!is_well) std::fputs("a call failed after main's thread had ended\n", stderr);
    std::exit(is_well ? 0 : 1);
  }).detach();
  pthread_exit(nullptr);
}

// SPDX-License-Identifier: MIT
// The same on one worker, which runs the tasks one after the other: they are siblings all the same, and may meet tomorrow.
#include <cstdio>

#include "skua/skua.hpp"

int main() {
  int both = 0;
  skua::one_shot<int> question;
  skua::pool pool(1);
  // The first to begin waits, and goes on when the second has ended: two flows, and an edge to the answer, but none to the end.
  pool.run([&](auto& here) {
    here.scope([&](auto& s) {
      s.spawn([&](auto&) {
        question.set_value(1);
        ++both;
      });
      s.spawn([&](auto& h) {
        question.wait(h);
        ++both;
      });
    });
  });
  std::printf("wrote %d\n", both);
}

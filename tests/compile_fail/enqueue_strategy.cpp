// SPDX-License-Identifier: MIT
// Expected: strategy: expected double key(skua::strategies::requester const&) const
#include "skua/skua.hpp"

struct by_age {
  double age;
  double key(skua::strategies::requester const&) { return age; }
};

int main() {
  skua::enqueue(by_age{1}, [] {});
}

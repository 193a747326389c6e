// SPDX-License-Identifier: MIT
// Expected: flow::graph: Skua has skua::flow, which is made differently
#include "skua/onetbb/names.hpp"

int main() { tbb::flow::graph const graph; }

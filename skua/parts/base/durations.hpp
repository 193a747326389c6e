// SPDX-License-Identifier: MIT
// std::chrono's durations and clocks, without its calendar and its streams, which cost every program that includes Skua
// 0.05 s to compile. All standard headers with a function that waits until a time declare them; <mutex> is the lightest.
#pragma once

#include <mutex>

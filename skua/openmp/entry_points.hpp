// SPDX-License-Identifier: MIT
// Entry points that others of this library call.
#pragma once

extern "C" {
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
}

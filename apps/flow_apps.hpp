// SPDX-License-Identifier: MIT
// The factories of the apps whose programs are flows (flow_app.hpp).
#pragma once

#include <memory>

#include "apps/app.hpp"

namespace skua::apps {

std::unique_ptr<app> make_chains();
std::unique_ptr<app> make_sparselu();
std::unique_ptr<app> make_cholesky();
std::unique_ptr<app> make_heat_dag();
std::unique_ptr<app> make_matmul_dag();
std::unique_ptr<app> make_random_dag();
std::unique_ptr<app> make_fmm();
std::unique_ptr<app> make_qr();
std::unique_ptr<app> make_nbody_chain();

}  // namespace skua::apps

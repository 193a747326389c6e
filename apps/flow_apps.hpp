// SPDX-License-Identifier: MIT
// The factories of the apps whose programs are flows (flow_app.hpp).
#pragma once

#include <memory>

#include "apps/app.hpp"

namespace skua::apps {

std::unique_ptr<app> make_chains();
std::unique_ptr<app> make_sparselu();

}  // namespace skua::apps

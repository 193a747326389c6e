// SPDX-License-Identifier: MIT
// The apps whose tasks repeat from iteration to iteration, as the papers on retentive stealing and persistence-based
// balancing use them: what registry.cpp lists beside app.hpp's and flow_apps.hpp's.
#pragma once

#include <memory>

#include "apps/app.hpp"

namespace skua::apps {

std::unique_ptr<app> make_hartree_fock();
std::unique_ptr<app> make_tce();
std::unique_ptr<app> make_synthetic_loads();

}  // namespace skua::apps

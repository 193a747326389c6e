// SPDX-License-Identifier: MIT
// Stands in for repulsion.cpp where no header of a libint 2 that fits was found.
#include "apps/hartree_fock/molecules/repulsion.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {

struct integral_library {};
struct repulsion_integrals::room {};

std::string why_no_integrals() { return "this build found no libint 2 with d functions (package libint2-dev)"; }

std::shared_ptr<integral_library const> find_integrals() { throw usage_error(why_no_integrals()); }

repulsion_integrals::repulsion_integrals(std::shared_ptr<integral_library const> library, shells const& of)
    : library_(std::move(library)), of_(of), boys_(0) {}
repulsion_integrals::~repulsion_integrals() = default;
std::span<double const> repulsion_integrals::operator()(shell_pair const&, shell_pair const&) { return {}; }

}  // namespace skua::apps::hartree_fock::molecules

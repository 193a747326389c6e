// SPDX-License-Identifier: MIT
// What libint 2 leaves to callers of its C interface: the Boys functions and the geometry of each four primitives (Obara and
// Saika 1986; its wiki, "Using libint2's C API"). It wants the higher l first in bra and ket, and the larger sum in the ket.
#include "apps/hartree_fock/molecules/repulsion.hpp"

#include <dlfcn.h>
#include <libint2.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

constexpr char const* file_of_library = "libint2.so.2";
/// Fours of primitives with a smaller factor are left out. A Schwarz bound is the root of an integral, so it has half the digits.
constexpr double least_factor = 1e-36;
/// Fours of primitives in one call of the library: about 2 MB.
constexpr std::size_t most_at_once = 1024;

using build_function = void(Libint_t const*);
using build_table =
    build_function * [LIBINT2_MAX_AM_eri + 1][LIBINT2_MAX_AM_eri + 1][LIBINT2_MAX_AM_eri + 1][LIBINT2_MAX_AM_eri + 1];
static_assert(LIBINT2_MAX_AM_eri >= most_l && LIBINT2_MAX_VECLEN == 1);
static_assert(LIBINT2_DEFINED__aB_s___0__s___1___TwoPRep_s___0__s___1___Ab__up_8 == 1, "four d shells");

template <class T>
T* symbol_of(void* library, char const* name) noexcept {
  return reinterpret_cast<T*>(dlsym(library, name));
}

}  // namespace

struct integral_library {
  integral_library() : file(dlopen(file_of_library, RTLD_NOW | RTLD_LOCAL), close) {
    if (file == nullptr) return;
    table = symbol_of<build_table>(file.get(), "libint2_build_eri");
    start = symbol_of<void(Libint_t*, int, void*)>(file.get(), "libint2_init_eri");
    stop = symbol_of<void(Libint_t*)>(file.get(), "libint2_cleanup_eri");
    auto* const fill_tables = symbol_of<void()>(file.get(), "libint2_static_init");
    if (table == nullptr || start == nullptr || stop == nullptr || fill_tables == nullptr) {
      table = nullptr;
    } else {
      fill_tables();
    }
  }
  static void close(void* one) noexcept {
    if (one != nullptr) dlclose(one);
  }

  std::shared_ptr<void> file;
  build_table* table = nullptr;  ///< null: there is no such library
  void (*start)(Libint_t*, int, void*) = nullptr;
  void (*stop)(Libint_t*) = nullptr;
};

std::string why_no_integrals() {
  return integral_library().table == nullptr ? "libint2.so.2 cannot be loaded (package libint2-2)" : "";
}

std::shared_ptr<integral_library const> find_integrals() {
  auto found = std::make_shared<integral_library const>();
  if (found->table == nullptr) throw usage_error(why_no_integrals());
  return found;
}

struct repulsion_integrals::room {
  room(integral_library const& library, std::size_t quartets) : stop(library.stop), of_primitives(quartets) {
    library.start(of_primitives.data(), most_l, nullptr);
  }
  room(room const&) = delete;
  room& operator=(room const&) = delete;
  ~room() { stop(of_primitives.data()); }

  void (*stop)(Libint_t*);
  std::vector<Libint_t> of_primitives;
};

namespace {

/// Recurrences go along these vectors.
void set_geometry(Libint_t& to, shell const& a, shell const& c, primitive_pair const& p,
                  primitive_pair const& q) noexcept {
  double const sum = p.exponent + q.exponent;
  double const of_p = p.exponent / sum;
  double const of_q = q.exponent / sum;
  point const between{q.centre.x - p.centre.x, q.centre.y - p.centre.y, q.centre.z - p.centre.z};
  to.PA_x[0] = p.centre.x - a.at.x;
  to.PA_y[0] = p.centre.y - a.at.y;
  to.PA_z[0] = p.centre.z - a.at.z;
  to.QC_x[0] = q.centre.x - c.at.x;
  to.QC_y[0] = q.centre.y - c.at.y;
  to.QC_z[0] = q.centre.z - c.at.z;
  to.WP_x[0] = of_q * between.x;
  to.WP_y[0] = of_q * between.y;
  to.WP_z[0] = of_q * between.z;
  to.WQ_x[0] = -of_p * between.x;
  to.WQ_y[0] = -of_p * between.y;
  to.WQ_z[0] = -of_p * between.z;
  to.oo2z[0] = 0.5 / p.exponent;
  to.oo2e[0] = 0.5 / q.exponent;
  to.oo2ze[0] = 0.5 / sum;
  to.roz[0] = of_q;
  to.roe[0] = of_p;
}

/// Horizontal recurrences are the same for all primitives.
void set_shells(Libint_t& to, shell const& a, shell const& b, shell const& c, shell const& d) noexcept {
  to.AB_x[0] = a.at.x - b.at.x;
  to.AB_y[0] = a.at.y - b.at.y;
  to.AB_z[0] = a.at.z - b.at.z;
  to.CD_x[0] = c.at.x - d.at.x;
  to.CD_y[0] = c.at.y - d.at.y;
  to.CD_z[0] = c.at.z - d.at.z;
}

std::size_t most_primitives_of(shells const& all) noexcept {
  std::size_t most = 0;
  for (shell const& s : all.all) most = std::max(most, s.exponents.size());
  return most;
}

}  // namespace

repulsion_integrals::repulsion_integrals(std::shared_ptr<integral_library const> library, shells const& of)
    : library_(std::move(library)), of_(of), boys_(4 * most_l) {
  std::size_t const most = most_primitives_of(of);
  room_ = std::make_unique<room>(*library_, std::min(most * most * most * most, most_at_once));
}

repulsion_integrals::~repulsion_integrals() = default;

std::span<double const> repulsion_integrals::operator()(shell_pair const& bra, shell_pair const& ket) {
  shell const& a = of_.all[bra.i];
  shell const& b = of_.all[bra.j];
  shell const& c = of_.all[ket.i];
  shell const& d = of_.all[ket.j];
  std::size_t const order = a.l + b.l + c.l + d.l;
  double const two_pi_to_5_2 = 2 * std::pow(std::numbers::pi, 2.5);
  std::array<std::size_t, 4> sizes{a.cartesians(), b.cartesians(), c.cartesians(), d.cartesians()};
  block_.assign(sizes[0] * sizes[1] * sizes[2] * sizes[3], 0);
  std::vector<Libint_t>& all = room_->of_primitives;
  std::size_t used = 0;
  auto const add_up = [&] {
    if (used == 0) return;
    all.front().contrdepth = static_cast<int>(used);
    (*library_->table)[a.l][b.l][c.l][d.l](all.data());
    for (std::size_t e = 0; e < block_.size(); ++e) block_[e] += all.front().targets[0][e];
    used = 0;
  };
  for (primitive_pair const& p : bra.primitives) {
    for (primitive_pair const& q : ket.primitives) {
      double const sum = p.exponent + q.exponent;
      double const factor = two_pi_to_5_2 * p.factor * q.factor / (p.exponent * q.exponent * std::sqrt(sum));
      if (std::abs(factor) < least_factor) continue;
      Libint_t& one = all[used];
      double* const f = one._aB_s___0__s___1___TwoPRep_s___0__s___1___Ab__up_0;
      boys_(p.exponent * q.exponent / sum * square_distance(p.centre, q.centre), order, f);
      for (std::size_t m = 0; m <= order; ++m) f[m] *= factor;
      if (order == 0) {
        block_[0] += f[0];
        continue;
      }
      set_geometry(one, a, c, p, q);
      set_shells(one, a, b, c, d);
      if (++used == all.size()) add_up();
    }
  }
  add_up();
  make_spherical(a, 0, sizes, block_, scratch_);
  make_spherical(b, 1, sizes, block_, scratch_);
  make_spherical(c, 2, sizes, block_, scratch_);
  make_spherical(d, 3, sizes, block_, scratch_);
  return block_;
}

}  // namespace skua::apps::hartree_fock::molecules

// SPDX-License-Identifier: MIT
#include "apps/nbody_chain/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::nbody_chain {
namespace {

/// Targets that are computed together, each in a lane of its own.
constexpr std::size_t lanes = 16;

std::string differs_at(std::size_t array, std::size_t i, float got, float right) {
  return "nbody-chain: body " + std::to_string(i) + " of array " + std::to_string(array) + " is at " +
         std::to_string(got) + "; a serial run moves it to " + std::to_string(right);
}

}  // namespace

void n_body(std::span<float> targets, std::span<float const> sources) noexcept {
  float const step = time_step / static_cast<float>(sources.size());
  for (std::size_t i = 0; i < targets.size(); i += lanes) {
    std::size_t const used = std::min(lanes, targets.size() - i);
    std::array<float, lanes> x{};
    std::array<float, lanes> force{};
    std::copy_n(&targets[i], used, x.begin());
    for (float const source : sources) {
      for (std::size_t l = 0; l < lanes; ++l) {
        float const dx = source - x[l];
        force[l] += dx * (1 / std::sqrt(dx * dx + softening));
      }
    }
    for (std::size_t l = 0; l < used; ++l) targets[i + l] = x[l] + step * force[l];
  }
}

problem::problem(shape const& s) : shape_(s) {
  runtime::dice roll{s.seed};
  for (std::size_t a = 0; a < initial_.size(); ++a) {
    initial_[a].resize(s.n * (s.fresh ? s.iterations : 1));
    for (float& x : initial_[a]) x = static_cast<float>(roll.unit());
    now_[a] = placed_array<float>(std::span<float const>(initial_[a]));
  }
  reset();
}

std::vector<owned_array> problem::owned(std::uint32_t places) {
  std::vector<owned_array> all;
  if (places == 0) return all;
  for (std::size_t a = 0; a < now_.size(); ++a) {
    place_id const home{static_cast<std::uint32_t>(std::uint64_t{at(a).fraction} * places >> 32)};
    all.push_back({&now_[a], [n = now_[a].size(), home] {
                     return std::vector<memory::share>{{.place = home, .first = 0, .count = n}};
                   }});
  }
  return all;
}

void problem::reset() {
  for (std::size_t a = 0; a < now_.size(); ++a) std::ranges::copy(initial_[a], now_[a].data());
  partitions_.clear();
}

std::string problem::wrong() {
  if (right_[0].empty()) {
    positions got;
    for (std::size_t a = 0; a < now_.size(); ++a) {
      got[a].assign(now_[a].elements().begin(), now_[a].elements().end());
      std::ranges::copy(initial_[a], now_[a].data());
    }
    run_alone(*this);
    for (std::size_t a = 0; a < now_.size(); ++a) {
      right_[a].assign(now_[a].elements().begin(), now_[a].elements().end());
      std::ranges::copy(got[a], now_[a].data());
    }
  }
  for (std::size_t array = 0; array < 2; ++array) {
    for (std::size_t i = 0; i < now_[array].size(); ++i) {
      if (std::memcmp(&now_[array][i], &right_[array][i], sizeof(float)) == 0) continue;
      return differs_at(array, i, now_[array][i], right_[array][i]);
    }
  }
  return {};
}

void run_alone(problem& p) {
  for (std::uint64_t i = 0; i < p.iterations(); ++i) {
    p.run(0, 0, p.n(), i);
    p.run(1, 0, p.n(), i);
  }
}

}  // namespace skua::apps::nbody_chain

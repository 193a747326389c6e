// SPDX-License-Identifier: MIT
// Bodies that attract each other, in chunks: a task is a chunk, and its bodies with their velocities go where the task goes. Every
// chunk needs the positions of all bodies, so the ranks exchange those after each step.
#include <skua/mpi.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr std::uint32_t chunks = 24;
constexpr std::uint32_t most = 32;  // bodies of a chunk
constexpr double step = 1e-3;

using point = std::array<double, 3>;

/// What its function changes is there when the task runs the next time, on this rank or on another one.
struct chunk {
  std::uint32_t number;
  std::uint32_t bodies;
  std::array<point, most> velocity;
};

/// The bodies of a chunk after a step.
struct moved {
  std::uint32_t chunk = 0;
  std::vector<point> to;
  void serialize(auto& archive) { archive(chunk, to); }
};
using all_points = std::vector<std::vector<point>>;  // by chunk

moved move(chunk& c, all_points const& where) {
  moved out{c.number, where[c.number]};
  for (std::uint32_t i = 0; i < c.bodies; ++i) {
    point pull{};
    for (auto const& others : where) {
      for (point const& other : others) {
        point d;
        double square = 1e-4;
        for (std::size_t k = 0; k < 3; ++k) {
          d[k] = other[k] - where[c.number][i][k];
          square += d[k] * d[k];
        }
        for (std::size_t k = 0; k < 3; ++k) pull[k] += d[k] / (square * std::sqrt(square));
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      c.velocity[i][k] += step * pull[k];
      out.to[i][k] += step * c.velocity[i][k];
    }
  }
  return out;
}

std::vector<chunk> begin(all_points& where) {
  std::vector<chunk> all;
  for (std::uint32_t n = 0; n < chunks; ++n) {
    all.push_back({n, n % 4 == 0 ? most : most / 4, {}});
    where.emplace_back();
    for (std::uint32_t i = 0; i < all[n].bodies; ++i)
      where[n].push_back({std::sin(n + 0.1 * i), std::cos(2.0 * n + i), std::sin(3.0 * n - i)});
  }
  return all;
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  all_points where;
  std::vector<chunk> const first = begin(where);
  all_points const origin = where;
  std::vector<moved> own;
  skua::task_collection<chunk> bodies(world, {.name = "bodies"}, [&](chunk& c) { own.push_back(move(c, where)); });
  if (world.rank() == 0) {
    for (chunk const& c : first) bodies.add(c, c.bodies);
  }
  bodies.rebalance("hierarchical");
  for (int n = 0; n < 6; ++n) {
    own.clear();
    bodies.process();
    for (auto const& of_rank : world.allgather(own)) {
      for (moved const& m : of_rank) where[m.chunk] = m.to;
    }
    skua::collection_report const report = bodies.report();
    if (world.rank() == 0) std::printf("step %d: %s\n", n, in_words(report).c_str());
    bodies.restore("auto");
  }

  // The same steps on one rank give the same bits.
  std::vector<chunk> again = first;
  all_points right = origin;
  for (int n = 0; n < 6; ++n) {
    all_points next = right;
    for (chunk& c : again) next[c.number] = move(c, right).to;
    right = next;
  }
  return where == right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// Tasks that own memory: polynomials of any degree. They travel between ranks as the bytes that `serialize` writes.
#include <skua/mpi.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

struct polynomial {
  double from = 0;
  double to = 1;
  std::vector<double> coefficients;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(from, to, coefficients);
  }
};

double area_under(polynomial const& p) {
  double sum = 0;
  for (std::size_t n = 0; n < p.coefficients.size(); ++n) {
    auto const degree = static_cast<double>(n + 1);
    sum += p.coefficients[n] / degree * (std::pow(p.to, degree) - std::pow(p.from, degree));
  }
  return sum;
}

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  double own = 0;
  skua::task_collection<polynomial> areas(world, {.name = "areas"},
                                          [&own](polynomial const& p) { own += area_under(p); });
  if (world.rank() == 0) {
    for (std::size_t degree = 0; degree < 200; ++degree) areas.add({0, 1, std::vector(degree + 1, 1.0)});
  }
  areas.process();
  double const area = world.sum(own);
  if (world.rank() == 0) std::printf("%.6f\n", area);
  double wanted = 0;
  for (int n = 1; n <= 200; ++n) wanted += (201.0 - n) / n;
  return std::abs(area - wanted) < 1e-9 ? 0 : 1;
}

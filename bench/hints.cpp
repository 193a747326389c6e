// SPDX-License-Identifier: MIT
// Hints that are as wrong as they can be: they assign all work to one of two places, or to the first child. They may
// cost speed, but not much. Two workers, each a place of its own; the same program with and without the hints, in turn;
// every answer is verified.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "apps/fib/problem.hpp"
#include "bench/harness.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua;

/// The hints of the two children of every fork.
struct nothing_said {
  static auto join(auto& here, auto&& f, auto&& g) { return here.join(f, g); }
};
struct one_place {
  static auto join(auto& here, auto&& f, auto&& g) { return here.join(at{place_id{0}}, f, at{place_id{0}}, g); }
};
struct first_does_all {
  static auto join(auto& here, auto&& f, auto&& g) { return here.join(work{1}, f, work{0}, g); }
};

/// The same machine code for all hints.
[[gnu::noinline]] double sweep_leaf(double* data, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += (data[i] = data[i] * 0.5 + 1);
  return sum;
}

/// Halves down to leaves of `grain` elements; reads and writes every element. Work O(n), span O(log n + grain).
template <class Said>
double sweep(auto& here, double* data, std::size_t n, std::size_t grain) {
  if (n <= grain) return sweep_leaf(data, n);
  std::size_t const half = n / 2;
  auto const [a, b] = Said::join(
      here, [=](auto& h) { return sweep<Said>(h, data, half, grain); },
      [=](auto& h) { return sweep<Said>(h, data + half, n - half, grain); });
  return a + b;
}

template <class Said>
std::uint64_t fib(auto& here, int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  auto const [a, b] =
      Said::join(here, [n](auto& h) { return fib<Said>(h, n - 1); }, [n](auto& h) { return fib<Said>(h, n - 2); });
  return a + b;
}

struct sizes : bench::option_table {
  bench::number_option<int> n{*this, "--n", 32, bench::between(2, 40), "which Fibonacci number"};
  bench::number_option<std::size_t> elements{*this, "--elements", 1 << 22, bench::between(1, 1 << 28),
                                             "doubles that are swept"};
  bench::number_option<std::size_t> grain{*this, "--grain", 4096, bench::between(1, 1 << 28), "doubles of a leaf"};
  bench::number_option<std::int64_t> rounds{*this, "--rounds", 15, bench::between(1, 1000), "timed rounds"};
};

/// Seconds of one run of fib and of ten sweeps; throws for a wrong answer.
template <class Said>
std::array<double, 2> timed(pool& workers, std::vector<double>& data, sizes const& s) {
  std::size_t const grain = s.grain;
  int const n = s.n;
  auto start = bench::clock::now();
  std::uint64_t const value = workers.run([&](auto& here) { return fib<Said>(here, n); });
  double const first = bench::seconds_since(start);
  bench::verify(value == apps::fib::answer(n), "fib");
  data.assign(data.size(), 2);  // the fixed point of a sweep
  start = bench::clock::now();
  double sum = 0;
  for (int i = 0; i < 10; ++i) {
    sum += workers.run([&](auto& here) { return sweep<Said>(here, data.data(), data.size(), grain); });
  }
  double const second = bench::seconds_since(start);
  bench::verify(sum == 20.0 * static_cast<double>(data.size()), "sweep");
  return {first, second};
}

void compare(bench::report& all, std::string const& policy, sizes const& s) {
  pool workers({.workers = 2, .policy = policy, .places = "threads"});
  if (workers.places() != 2) throw resource_error("two processors are needed, one per place");
  std::vector<double> data(s.elements);
  std::vector<double> without[2], of_place[2], of_work[2];
  for (std::int64_t round = 0; round <= s.rounds; ++round) {
    auto const a = timed<nothing_said>(workers, data, s);
    auto const b = timed<one_place>(workers, data, s);
    auto const c = timed<first_does_all>(workers, data, s);
    if (round == 0) continue;  // warm-up
    for (std::size_t i = 0; i < 2; ++i) {
      without[i].push_back(a[i] * 1e3);
      of_place[i].push_back(b[i] * 1e3);
      of_work[i].push_back(c[i] * 1e3);
    }
  }
  std::array<std::string, 2> const programs{"fib", "sweeps"};
  for (std::size_t i = 0; i < 2; ++i) {
    double const usual = bench::median(without[i]);
    std::string const what = policy + ": " + programs[i] + ", ";
    all.row(what + "no hints", "ms", without[i]);
    all.row(what + "all at place 0", "ms", of_place[i], bench::at_most(usual / 0.9));
    all.row(what + "all work in the first child", "ms", of_work[i], bench::at_most(usual / 0.9));
  }
}

}  // namespace

int main(int argc, char** argv) {
  sizes const s;
  return bench::run("hints", "hints that say that all work is in one place: at least 0.9 of the speed without them", s,
                    argc, argv, [&](bench::report& all) {
                      for (char const* policy : {"random", "adws", "numa-ws"}) compare(all, policy, s);
                    });
}

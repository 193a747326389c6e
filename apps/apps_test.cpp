// SPDX-License-Identifier: MIT
// Properties of every app: each runner's answer is right, a missing answer is noticed, and bad input is refused.
#include "apps/app.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

#include "apps/parse_options.hpp"
#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/recorder.hpp"
#include "skua/skua.hpp"
#include "tests/programs/effort.hpp"

namespace skua::apps { namespace {

/// An app with its options set as on a command line.
std::unique_ptr<app> configured(entry const& which, std::string const& arguments) {
  auto made = which.make();
  parse_options(arguments, made->options());
  return made;
}

using inputs_of_apps = std::map<std::string_view, std::vector<std::string>>;

std::vector<std::string> found_in(std::initializer_list<inputs_of_apps> lists, std::string_view app,
                                  std::vector<std::string> const& otherwise) {
  for (inputs_of_apps const& list : lists) {
    if (auto const at = list.find(app); at != list.end()) return at->second;
  }
  return otherwise;
}

/// Of apps on flows: their graphs are built anew in every run.
inputs_of_apps small_flow_inputs() {
  return {
      {"chains",
       {"--tasks 1 --size 1", "--tasks 7 --parallelism 9 --size 5",
        "--tasks 40 --parallelism 3 --size 33 --kernel mixed", "--tasks 30 --parallelism 4 --size 17 --kernel triad"}},
      {"cholesky", {"--n 1", "--n 30 --tile 8", "--n 50 --tile 50", "--n 70 --tile 16 --seed 3"}},
      {"heat-dag",
       {"--n 1 --iterations 1", "--n 50 --block 16 --iterations 4", "--n 40 --block 9 --iterations 6 --overlap 3"}},
      {"matmul-dag", {"--n 1", "--n 70 --leaf 32", "--n 64 --leaf 32 --form in-place", "--n 130 --leaf 60"}},
      {"fmm",
       {"--n 1", "--n 3000 --order 6", "--n 2000 --distribution circle", "--n 2000 --distribution cluster --leaf 8"}},
      {"qr", {"--n 1", "--n 100 --tile 32", "--n 97 --tile 13"}},
      {"nbody-chain", {"--n 1 --iterations 1", "--n 50 --iterations 20", "--n 33 --iterations 7 --access remote"}},
      {"random-dag",
       {"--layers 1 --width 1", "--layers 10 --width 7 --rounds 3", "--layers 8 --width 9 --rounds 2 --growing"}},
      {"sparselu",
       {"--blocks 1 --size 1", "--blocks 2 --size 3", "--blocks 9 --size 8", "--blocks 6 --size 5 --seed 3"}},
  };
}

/// Of apps whose tasks repeat from iteration to iteration.
inputs_of_apps small_iterated_inputs() {
  return {
      {"hartree-fock",
       {"--atoms 1", "--atoms 1 --tile 7 --iterations 2 --hints work", "--atoms 2 --tile 11 --iterations 2",
        "--atoms 64 --count-only"}},
      {"tce", {"--scale small", "--hints work --seed 5", "--count-only --scale paper"}},
      {"synthetic-loads",
       {"--tasks 1", "--tasks 100 --mean-us 1", "--tasks 60 --mean-us 2 --shape uniform --hints work",
        "--tasks 40 --mean-us 0.5 --shape table3 --floor 0.9", "--tasks 9 --shape equal --mean-us 0 --alone-us 2"}},
  };
}

inputs_of_apps bad_iterated_inputs() {
  return {
      {"hartree-fock",
       {"--atoms 0", "--atoms -1", "--atoms 513", "--atoms 4097 --count-only", "--tile 0", "--tile 1 --atoms 512",
        "--threshold -1", "--threshold nan", "--tolerance -1", "--iterations 0", "--hints cost"}},
      {"tce", {"--scale large", "--scale paper", "--hints flops", "--seed -1"}},
      {"synthetic-loads",
       {"--tasks 0", "--tasks -1", "--tasks 10000001", "--shape bumpy", "--mean-us -1", "--mean-us nan", "--floor -1",
        "--alone-us -1", "--hints time", "--seed -1"}},
  };
}

inputs_of_apps bad_flow_inputs() {
  return {
      {"chains",
       {"--tasks 0", "--tasks -1", "--tasks 100000001", "--parallelism 0", "--parallelism 1000001", "--kernel gemm",
        "--size 0", "--size 4097", "--size 4096 --parallelism 10000", "--seed -1"}},
      {"cholesky",
       {"--n 0", "--n -1", "--n 65537", "--tile 0", "--tile 4097", "--tile 1", "--seed -1", "--dot /no/such/x.dot"}},
      {"heat-dag",
       {"--n 0", "--n -1", "--block 0", "--block 1 --n 2000", "--iterations 0", "--overlap 0", "--overlap 201",
        "--overlap 3", "--seed -1"}},
      {"matmul-dag",
       {"--n 0", "--n 16385", "--leaf 31", "--n 16384 --leaf 32", "--n 16384", "--form inplace", "--seed -1"}},
      {"fmm",
       {"--n 0", "--order 0", "--order 41", "--leaf 0", "--theta 1", "--theta nan", "--distribution square",
        "--seed -1"}},
      {"qr", {"--n 0", "--n 65537", "--tile 0", "--n 10000 --tile 8", "--seed -1"}},
      {"nbody-chain",
       {"--n 0", "--n -1", "--n 10000001", "--iterations 0", "--iterations -1", "--access far", "--seed -1"}},
      {"random-dag",
       {"--layers 0", "--width 0", "--layers 10000 --width 10000", "--edges 0", "--rounds 0", "--seed -1"}},
      {"sparselu",
       {"--blocks 0", "--blocks -1", "--blocks 1025", "--size 0", "--size 1025", "--blocks 1024 --size 100",
        "--seed -1"}},
  };
}

/// Equations of a grid in Matrix Market's form: solved in some 30 iterations. The benchmark's smallest class has 375.
class grid_file {
 public:
  explicit grid_file(std::size_t side)
      : path_(std::filesystem::temp_directory_path() / ("apps_test_" + std::to_string(::getpid()) + ".mtx")) {
    std::size_t const nodes = side * side;
    std::ofstream out(path_);
    out << "%%MatrixMarket matrix coordinate real symmetric\n"
        << nodes << ' ' << nodes << ' ' << nodes + 2 * side * (side - 1) << '\n';
    for (std::size_t at = 1; at <= nodes; ++at) {
      out << at << ' ' << at << ' ' << (at % 5 == 0 ? 9 : 4.125) << '\n';
      if (at % side != 0) out << at + 1 << ' ' << at << " -1\n";
      if (at + side <= nodes) out << at + side << ' ' << at << " -1\n";
    }
  }
  ~grid_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  grid_file(grid_file const&) = delete;
  grid_file& operator=(grid_file const&) = delete;
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// The benchmark's turn comes about once for each policy. An OpenMP loop ends with a barrier that spins, and a short run of the benchmark has a thousand
/// of them: cg's own tests run it.
std::vector<std::string> inputs_of_cg() {
  static grid_file const grid(16);
  std::string const system = "--matrix '" + grid.name() + "' --openmp tasks";
  std::string const benchmark = "--class S --openmp tasks";
  std::vector<std::string> inputs{benchmark,
                                  system,
                                  system + " --leaf-rows 7 --tbb affinity",
                                  system + " --leaf-rows 1000000 --tbb static",
                                  system + " --leaf-rows 16 --tolerance 1e-3",
                                  system + " --leaf-rows 3 --tolerance 0.1",
                                  system + " --leaf-rows 255"};
  if (testing::full_effort()) {
    inputs.push_back(benchmark + " --leaf-rows 7 --tbb affinity");
    inputs.push_back(benchmark + " --leaf-rows 1000000 --tbb static");
  }
  return inputs;
}

/// Small inputs per app: the whole suite must stay fast under sanitizers. An app not named here runs its default.
std::vector<std::string> small_inputs(std::string_view app) {
  static inputs_of_apps const inputs{
      {"fib", {"--n 1", "--n 2", "--n 17", "--n 15 --hints work", "--n 15 --hints place"}},
      {"cilksort", {"--n 1", "--n 2048", "--n 2049", "--n 100003 --seed 5"}},
      {"nqueens", {"--n 1", "--n 2", "--n 3", "--n 4", "--n 8", "--n 9"}},
      {"uts",
       {"--tree T3 --branching 60", "--tree T1 --depth 6", "--type hybrid --shape expdec --depth 5 --seed 3",
        "--tree T3 --branching 60 --form spawn", "--tree T1 --depth 6 --form spawn --strategy none"}},
      {"matmul",
       {"--n 1", "--n 2", "--n 65 --leaf 32", "--n 100 --m 3 --k 257 --leaf 32", "--n 128", "--n 256 --tight"}},
      {"matmul-z", {"--n 1", "--n 2", "--n 65 --leaf 32", "--n 100 --m 3 --k 257 --leaf 63", "--n 128 --leaf 64"}},
      {"strassen",
       {"--n 1", "--n 33 --cutoff 32", "--n 128 --cutoff 64 --leaf 32", "--n 321 --cutoff 63 --leaf 50 --seed 7",
        "--n 256 --cutoff 128 --tight", "--n 100"}},
      {"strassen-z",
       {"--n 1", "--n 33 --cutoff 32", "--n 128 --cutoff 64 --leaf 32", "--n 321 --cutoff 63 --leaf 50 --seed 7",
        "--n 256 --cutoff 128", "--n 100"}},
      {"heat",
       {"--n 1 --iterations 3", "--n 2 --iterations 2", "--n 65 --iterations 5 --leaf-rows 8 --leaf-cols 32",
        "--n 127 --iterations 4 --openmp tasks --tbb affinity",
        "--n 129 --iterations 3 --leaf-rows 16 --leaf-cols 32 --alpha 1 --alpha-kind random",
        "--n 640 --iterations 3 --openmp dynamic --tbb static --alpha 1"}},
      {"sph",
       {"--scale 1 --steps 1 --leaf 512 --openmp static", "--scale 1 --steps 3 --leaf 16 --tbb affinity",
        "--scale 1 --steps 3 --openmp tasks --hints none", "--scale 1 --steps 4 --leaf 16 --hints measured"}},
      {"cg", inputs_of_cg()},
      {"bipartition",
       {"--n 2", "--n 15 --instances 3", "--n 14 --weights 9 --density 0.9 --strategy none", "--n 20 --density 0"}},
      {"sssp", {"--n 1", "--n 50 --density 0", "--n 300 --density 0.1", "--n 200 --dense --longest 5 --source 200"}},
      {"puzzle15",
       {"--moves 0", "--moves 1", "--moves 16 --seed 3", "--moves 12 --strategy none",
        "--instance '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'"}},
      {"latency",
       {"--levels 1", "--levels 5 --shortest-us 0 --longest-us 2 --urgent-us 1 --urgent 1",
        "--levels 6 --shortest-us 1 --longest-us 3 --urgent-us 0 --strategy none"}},
      {"quicksort",
       {"--n 1", "--n 2 --cutoff 1", "--n 30011 --cutoff 16 --seed 5", "--n 20000 --input equal --cutoff 16",
        "--n 20000 --input organ-pipe --strategy none"}},
      {"strips",
       {"--triangles 1", "--triangles 2 --interval 1", "--triangles 5000 --interval 64 --seed 3",
        "--triangles 3000 --strategy none"}},
      {"prefix-sum",
       {"--n 1", "--n 4097", "--n 100000 --block 64", "--n 9000 --arrays 12 --block 100", "--n 50000 --strategy none",
        "--n 5 --block 1 --arrays 70"}},
      {"mix",
       {"--of 'prefix-sum --n 20000 --block 64, uts --tree T1 --depth 5 --form spawn'",
        "--of 'uts --tree T1 --depth 5 --form spawn, sssp --n 50, cilksort --n 5000, prefix-sum --n 3000 --block 10'"}},
      {"hull",
       {"--n 1", "--n 2", "--n 3 --points on", "--n 30011 --leaf 100", "--n 20011 --points on --leaf 16 --seed 5",
        "--n 20011 --points on"}},
  };
  return found_in({inputs, small_flow_inputs(), small_iterated_inputs()}, app, {""});
}

std::vector<std::string> bad_inputs(std::string_view app) {
  static inputs_of_apps const inputs{
      {"fib", {"--n 0", "--n -1", "--n 94", "--n 9223372036854775807", "--hints yes"}},
      {"cilksort", {"--n 0", "--n -1", "--n 1073741825"}},
      {"nqueens", {"--n 0", "--n -1", "--n 19"}},
      {"uts",
       {"--tree T9", "--type bushy", "--shape round", "--depth 0", "--children 0", "--branching nan",
        "--tree T3 --probability 0.125", "--probability -1", "--shift inf", "--seed -1", "--form spawned",
        "--strategy lifo"}},
      {"matmul",
       {"--n 0", "--n -1", "--n 32769", "--n 4 --m 0", "--n 4 --k -7", "--n 4 --leaf 31", "--leaf 0", "--seed -1"}},
      {"matmul-z",
       {"--n 0", "--n -1", "--n 32769", "--n 4 --m 0", "--n 4 --k -7", "--n 4 --leaf 31", "--leaf 0", "--seed -1"}},
      {"strassen",
       {"--n 0", "--n -1", "--n 32769", "--n 9 --cutoff 31", "--n 9 --leaf 31", "--leaf 0", "--seed -1",
        "--n 8192 --cutoff 256"}},
      {"strassen-z",
       {"--n 0", "--n -1", "--n 32769", "--n 9 --cutoff 31", "--n 9 --leaf 31", "--leaf 0", "--seed -1",
        "--n 8192 --cutoff 256"}},
      {"heat",
       {"--n 0", "--n -4", "--n 32769", "--iterations 0", "--iterations -1", "--leaf-rows 0", "--leaf-cols 31",
        "--openmp guided", "--tbb none", "--openmp Static", "--input /no/such/file.pgm", "--output x.jpg", "--seed -1",
        "--output /no/such/folder/x.png", "--alpha -0.1", "--alpha 1.01", "--alpha nan", "--alpha inf",
        "--alpha 0.1 --alpha-kind wild"}},
      {"sph",
       {"--dim 1", "--dim 4", "--scale 0", "--scale -1", "--scale 65", "--dim 3 --scale 5", "--steps 0", "--steps -3",
        "--steps 1000001", "--leaf 0", "--leaf 4097", "--openmp guided", "--openmp Dynamic", "--tbb none",
        "--output x.jpg", "--output /no/such/folder/x.png", "--hints guessed", "--hints None"}},
      {"cg", {"--class D", "--class s", "--leaf-rows 0", "--leaf-rows -3", "--openmp guided", "--tbb none"}},
      {"bipartition",
       {"--n 1", "--n 65", "--density 1.01", "--density nan", "--weights 0", "--instances 0", "--seed -1",
        "--strategy lifo"}},
      {"sssp",
       {"--n 0", "--density -0.1", "--density nan", "--longest 0", "--seed -1", "--source 0", "--n 5 --source 6",
        "--graph /no/such/file.gr", "--strategy lifo"}},
      {"puzzle15",
       {"--instance korf:0", "--instance korf:101", "--instance korf:1x", "--instance korf:", "--instance '1 2 3'",
        "--instance '0 2 1 3 4 5 6 7 8 9 10 11 12 13 14 15'", "--instance '0 0 1 3 4 5 6 7 8 9 10 11 12 13 14 15'",
        "--instance '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16'", "--instance '0 -1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'",
        "--moves -1", "--moves 1001", "--seed -1", "--table-mib 0", "--strategy lifo"}},
      {"latency",
       {"--levels 0", "--levels 21", "--shortest-us -1", "--shortest-us nan", "--shortest-us 20 --longest-us 10",
        "--longest-us 1e9", "--urgent-us -1", "--urgent-us inf", "--urgent 1.1", "--urgent nan", "--seed -1",
        "--strategy lifo"}},
      {"quicksort",
       {"--n 0", "--n -1", "--n 1073741825", "--input shuffled", "--seed -1", "--cutoff 0", "--cutoff -5",
        "--strategy lifo"}},
      {"strips",
       {"--triangles 0", "--triangles -1", "--triangles 100000001", "--seed -1", "--interval 0",
        "--mesh /no/such/file.ply", "--strategy lifo"}},
      {"prefix-sum",
       {"--n 0", "--n -1", "--n 4294967297", "--n 9223372036854775807", "--arrays 0", "--n 4294967296 --arrays 2",
        "--block 0", "--n 1000000000 --block 1", "--seed -1", "--strategy lifo"}},
      {"mix", {"--of uts", "--of uts,bush", "--of uts,mix", "--of 'uts, prefix-sum --n 0'", "--of 'uts,fib --m 3'"}},
      {"hull",
       {"--n 0", "--n -1", "--n 268435457", "--points at", "--points In", "--leaf 15", "--leaf -1", "--seed -1"}},
  };
  return found_in({inputs, bad_flow_inputs(), bad_iterated_inputs()}, app, {});
}

/// All policies, and the labelled variants that the papers compare with.
std::vector<std::string> every_policy() {
  std::vector<std::string> names = testing::whole_policies();
  names.emplace_back("adws:no-steal");
  return names;
}

bool can_be_simulated(app& a) { return a.simulation() != nullptr; }
bool can_be_recorded(app& a) { return can_be_simulated(a) && a.simulation()->can_be_recorded(); }

/// Policies times numbers of workers times inputs are many runs. A test of every change gives each pair of policy and
/// workers one input, which changes with both; full effort combines all three.
struct input_turn {
  std::size_t policy;
  std::size_t workers;

  [[nodiscard]] bool takes(std::size_t input, std::size_t inputs) const {
    return skua::testing::full_effort() || input == (policy + workers) % inputs;
  }
};

class every_app : public ::testing::TestWithParam<entry> {
 protected:
  /// Runs each small input with `run` and expects the right answer, twice: the second run starts from a reset. Leaves out
  /// inputs with which the app cannot be run so.
  template <class Run>
  void expect_right(Run&& run, bool (*can)(app&) = [](app&) { return true; }, std::optional<input_turn> turn = {}) {
    auto const inputs = small_inputs(GetParam().name);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::string const& input = inputs[i];
      if (turn && !turn->takes(i, inputs.size())) continue;
      auto const app = configured(GetParam(), input);
      app->prepare();
      if (!can(*app)) continue;
      for (int round = 0; round < 2; ++round) {
        app->reset();
        EXPECT_NE(app->wrong(), "") << GetParam().name << " " << input << ": an answer without a run";
        run(*app);
        EXPECT_EQ(app->wrong(), "") << GetParam().name << " " << input;
        EXPECT_TRUE(app->facts().is_object());
      }
    }
  }
};

TEST_P(every_app, carries_the_name_it_is_listed_under) {
  auto const app = GetParam().make();
  EXPECT_EQ(app->name(), GetParam().name);
  EXPECT_FALSE(app->about().empty());
}

TEST_P(every_app, the_answer_is_right_serially) {
  if (GetParam().make()->elision() == nullptr) GTEST_SKIP() << "this app has no serial elision";
  expect_right([](app& a) { a.elision()->run_serial(); });
}

TEST_P(every_app, is_right_on_pools_of_every_policy) {
  std::vector<std::string> const policies = every_policy();
  constexpr std::array counts{1U, 2U, 3U, 7U, 16U, 64U};
  for (std::size_t p = 0; p < policies.size(); ++p) {
    for (std::size_t w = 0; w < counts.size(); ++w) {
      SCOPED_TRACE(policies[p] + ", workers " + std::to_string(counts[w]));
      pool several(
          {.workers = counts[w], .policy = "checked:" + policies[p], .topology = "package:4 numa:1 l3:1 core:16"});
      expect_right([&several](app& a) { a.run_skua(several); }, [](app&) { return true; }, input_turn{p, w});
    }
  }
}

TEST_P(every_app, is_right_when_recorded) {
  auto const made = GetParam().make();
  if (made->simulation() == nullptr) GTEST_SKIP() << "this app cannot be simulated";
  if (!made->simulation()->can_be_recorded()) GTEST_SKIP() << "this app is simulated live only";
  expect_right(
      [](app& a) {
        recorder here;
        a.simulation()->run_recorded(here, 4);
        EXPECT_GT(here.take().size(), 0U);
      },
      can_be_recorded);
}

TEST_P(every_app, is_right_in_virtual_time_under_every_policy) {
  if (GetParam().make()->simulation() == nullptr) GTEST_SKIP() << "this app cannot be simulated";
  std::vector<std::string> const all_policies = every_policy();
  constexpr std::array counts{1U, 7U, 64U};
  for (std::size_t p = 0; p < all_policies.size(); ++p) {
    for (std::size_t w = 0; w < counts.size(); ++w) {
      std::string const& policy = all_policies[p];
      std::uint32_t const workers = counts[w];
      layout const where(topology::synthetic("package:4 numa:1 l3:1 core:16"), {.workers = workers});
      expect_right(
          [&](app& a) {
            SCOPED_TRACE(::testing::Message()
                         << a.name() << ": --policy " << policy << " --workers " << workers << " --seed 3");
            sim::rules const by{.seed = 3, .spin_ticks = 300};
            sim::flat_costs prices(by);
            sim::observer nobody;
            auto const scheduler = policies::make_policy(policy, where, by.seed);
            auto const run = [&](sim::here& h) { a.simulation()->run_simulated(h, where.places()); };
            sim::simulation const done = simulate(run, *scheduler, where, by, prices, nobody);
            EXPECT_TRUE(done.result.finished);
          },
          can_be_simulated, input_turn{p, w});
    }
  }
}

TEST_P(every_app, is_right_with_openmp) {
  if (GetParam().make()->openmp() == nullptr) GTEST_SKIP() << "this app has no OpenMP twin";
  if (runtime::under_tsan)
    GTEST_SKIP() << "the OpenMP library is not instrumented: its own synchronisation looks like races";
  for (unsigned workers : {1U, 2U, 5U}) {
    expect_right([workers](app& a) { a.openmp()->run_openmp(workers); });
  }
}

TEST_P(every_app, is_right_with_tbb) {
  if (GetParam().make()->tbb() == nullptr) GTEST_SKIP() << "this app has no oneTBB twin";
  if (runtime::under_tsan)
    GTEST_SKIP() << "the oneTBB library is not instrumented: its own synchronisation looks like races";
  for (unsigned workers : {1U, 2U, 5U}) {
    expect_right([workers](app& a) { a.tbb()->run_tbb(workers); });
  }
}

TEST_P(every_app, refuses_senseless_input_in_one_line) {
  for (auto const& input : bad_inputs(GetParam().name)) {
    auto const app = configured(GetParam(), input);
    try {
      app->prepare();
      ADD_FAILURE() << GetParam().name << " " << input << " was accepted";
    } catch (usage_error const& refusal) {
      std::string const message = refusal.what();
      EXPECT_EQ(message.find(GetParam().name), 0U) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(apps, every_app, ::testing::ValuesIn(all()), [](auto const& tested) {
  std::string word(tested.param.name);
  std::ranges::replace(word, '-', '_');
  return word;
});

}}  // namespace skua::apps

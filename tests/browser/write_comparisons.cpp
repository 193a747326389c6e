// SPDX-License-Identifier: MIT
// Writes the pages of comparisons that nobody measured, which comparison_test.py looks at: write_comparisons FOLDER
//
//   many      1 to 64 workers, 30 rounds, no serial elision
//   wrong     a policy and a peer that gave wrong answers
//   names     more contenders than colours, long names, one number of workers
//   hostile   texts that would end the page's script
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "cli/compare/invented_test.hpp"
#include "cli/compare/page_data.hpp"
#include "cli/page/page.hpp"
#include "cli/page/page_sources.hpp"

namespace {

using namespace skua::cli;

std::vector<double> rounds_around(double s, std::size_t rounds, unsigned seed) {
  std::mt19937 dice(seed);
  std::vector<double> all;
  for (std::size_t i = 0; i < rounds; ++i) {
    double const noise = std::uniform_real_distribution<double>(0, 0.06)(dice);
    all.push_back(s * (1 + noise) * (dice() % 40 == 0 ? 4 : 1));
  }
  return all;
}

struct texts {
  std::string app = "heat";
  json options = {{"n", "640"}, {"iterations", "2000"}};
  std::vector<std::string> notes = {};
};

void write(std::string const& path, invented_rows& all, texts const& said) {
  auto const& rows = all.rows();
  json document{{"app", said.app},
                {"options", said.options},
                {"machine",
                 {{"cpu", "Invented 64-Core Processor"},
                  {"pus", 64},
                  {"usable_pus", 64},
                  {"kernel", "Linux 6.1"},
                  {"compiler", "GNU 12.2.0"},
                  {"build_type", "Release"},
                  {"skua_version", "0.1.0"},
                  {"load_average", nullptr}}},
                {"rows", report_of(rows).rows()}};
  for (std::size_t i = 0; i < rows.size(); ++i) document["rows"][i]["times_s"] = rows[i].what->times_s;
  json const data = page_data(comparison(rows), document,
                              {.command = "skua compare " + said.app,
                               .date = "2030-01-02 03:04 UTC",
                               .warm_up_rounds = 1,
                               .seed = 1,
                               .notes = said.notes});
  std::ofstream(path) << page_of(
      {.name = "comparison", .subcommand = "compare", .script = page_sources::comparison_script()}, data);
}

void write_many(std::string const& path) {
  invented_rows all;
  unsigned seed = 1;
  for (unsigned workers = 1; workers <= 64; workers *= 2) {
    double slower = 0;
    for (char const* name : {"random", "hierarchical", "adws"}) {
      all.policy(name, workers, rounds_around(0.8 / std::pow(workers, 0.97 - slower), 30, seed++));
      slower += 0.06;
    }
    all.peer("openmp:static", workers, rounds_around(0.8 / std::pow(workers, 0.95), 30, seed++));
    all.peer("tbb:affinity", workers, rounds_around(0.82 / std::pow(workers, 0.8), 30, seed++));
  }
  write(path, all, {});
}

void write_wrong(std::string const& path) {
  invented_rows all;
  all.serial(rounds_around(0.2, 9, 1));
  for (unsigned workers : {1U, 2U}) {
    all.policy("random", workers, rounds_around(0.2 / workers, 9, 2));
    record& wrong = all.policy("adws", workers, rounds_around(0.1 / workers, 9, 3));
    wrong.wrong_answers = 3;
    wrong.first_error = "the sum is 7, not 8";
    record& also_wrong = all.peer("openmp", workers, rounds_around(0.05 / workers, 9, 4));
    also_wrong.wrong_answers = 1;
    also_wrong.first_error = "the sum is 9, not 8";
    all.peer("tbb", workers, rounds_around(0.22 / workers, 9, 5));
  }
  write(path, all, {.notes = {"before 3 of 90 runs a peer's threads were still spinning (OMP_WAIT_POLICY?)"}});
}

void write_names(std::string const& path) {
  invented_rows all;
  for (unsigned i = 0; i < 12; ++i) {
    std::string const bias = std::to_string(i);
    all.policy("numa-ws:threshold=2,bias=" + bias + ",no-pushes", 8, rounds_around(0.1 + 0.003 * i, 5, i));
  }
  all.peer("openmp:dynamic", 8, rounds_around(0.12, 5, 20));
  write(path, all, {});
}

void write_hostile(std::string const& path) {
  invented_rows all;
  all.policy("</script><script>window.hurt = 1</script>", 2, rounds_around(0.1, 3, 1));
  all.policy("<img src=x onerror='window.hurt = 1'>", 2, rounds_around(0.2, 3, 2));
  write(path, all, {.app = "<!--{{data}}", .options = {{"n", "<b>caf\xe9"}}, .notes = {"{{script}}"}});
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  std::string const folder = std::string(argv[1]) + "/";
  write_many(folder + "many.html");
  write_wrong(folder + "wrong.html");
  write_names(folder + "names.html");
  write_hostile(folder + "hostile.html");
  return 0;
} catch (std::exception const& wrong) {
  std::fprintf(stderr, "%s\n", wrong.what());
  return 1;
}

// SPDX-License-Identifier: MIT
// What a loop of one pool costs beside another runtime of the same process: a second pool, OpenMP, oneTBB. Once one thread calls both in turn, once a
// thread calls each at the same time. Idle threads search or spin for a while, so two runtimes in turn compete for the processors as well.
//
// Each runner has a process of its own (runners.hpp). A figure is the mean of all loops of the process.
#include "bench/pools.hpp"

#include <string>
#include <vector>

#include "skua/skua.hpp"

namespace skua::bench::pools {

runtime skua_pool(setting const& s) {
  auto const on = std::make_shared<pool>(pool_options{.workers = static_cast<std::uint32_t>(s.workers)});
  return [on](loop& l) {
    on->run([&l](auto& here) { for_each(here, std::size_t{0}, l.size(), [&l](std::size_t i) { l.index(i); }); });
  };
}

namespace {

struct peer {
  char const* name;
  runtime (*make)(setting const&);
};
constexpr peer peers[] = {{"skua", skua_pool}, {"openmp", openmp_team}, {"tbb", tbb_arena}};

std::vector<runner> runners(setting const& s) {
  std::vector<runner> all = {{"serial", [s](figures& f) { alone(f, s, [](loop& l) { l.piece(0, l.size()); }); }}};
  for (peer const& p : peers) {
    std::string const name = p.name;
    all.push_back({"alone:" + name, [s, p](figures& f) { alone(f, s, p.make(s)); }});
    all.push_back({"turns:" + name, [s, p](figures& f) { in_turns(f, s, skua_pool(s), p.make(s)); }});
    all.push_back({"at_once:" + name, [s, p](figures& f) { at_once(f, s, skua_pool(s), p.make(s)); }});
  }
  return all;
}

void report_pairs(report& say, results const& seen, std::int64_t us) {
  std::string const what = std::to_string(us) + " us, ";
  std::string const own = key_of("loop", us);
  column const serial = seen.of("serial", own);
  column const alone = seen.of("alone:skua", own);
  say.row(what + "serial", "us", serial);
  for (peer const& p : peers) say.row(what + p.name + " alone", "us", seen.of(std::string("alone:") + p.name, own));
  for (std::string const how : {"turns", "at_once"}) {
    for (peer const& p : peers) {
      std::string const pair = how + ":" + p.name;
      std::string const row = what + (how == "turns" ? "in turn with " : "at once with ") + p.name;
      column const beside = seen.of(pair, own);
      say.row(row + ": skua", "us", beside);
      say.row(row + ": skua, x alone", "", ratios(beside, alone));
      say.row(row + ": skua, x serial", "", ratios(beside, serial));
      say.row(row + ": the other, x alone", "",
              ratios(seen.of(pair, key_of("other", us)), seen.of(std::string("alone:") + p.name, own)));
    }
  }
}

struct options : runner_options {
  number_option<std::int64_t> workers{*this, "--workers", 2, between(1, 1024), "workers of each runtime"};
  number_option<std::int64_t> index_ps{*this, "--index-ps", 0, between(0, 1'000'000),
                                       "picoseconds of one index of the loops; 0: measured"};
};

void compare(setting const& s, options const& o, report& say) {
  std::vector<process> all;
  for (auto const& r : runners(s)) {
    all.push_back(
        {"/proc/self/exe", r.name, {"--workers", std::to_string(s.workers), "--index-ps", std::to_string(s.index_ps)}});
  }
  results const seen(all, o.rounds);
  for (std::int64_t us : lengths_us) report_pairs(say, seen, us);
}

}  // namespace

}  // namespace skua::bench::pools

int main(int argc, char** argv) {
  using namespace skua::bench;
  pools::options const o;
  return run("pools_bench",
             "a pool's loops beside another runtime in the process; each sample is the mean of one process", o, argc,
             argv, [&](report& say) {
               pools::setting const s{o.workers, o.index_ps > 0 ? o.index_ps : regions::measured_index_ps()};
               if (!o.only.empty()) return print_figures(pools::runners(s), o.only);
               pools::compare(s, o, say);
             });
}

// SPDX-License-Identifier: MIT
#include "cli/measure/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/measure/first_mask.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/report.hpp"
#include "skua/machine/threads/face/pool_marks.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

/// With some thousands of threads libgomp crashes and oneTBB takes minutes to start them.
constexpr unsigned most_peer_workers = 1024;

constexpr std::array all_peers{
    peer{"serial", "the serial elision of the same source, without a runtime",
         [](apps::app& a) { return a.elision() != nullptr; }, [](apps::app& a, unsigned) { a.elision()->run_serial(); },
         false},
    peer{"openmp", "the same algorithm with OpenMP", [](apps::app& a) { return a.openmp() != nullptr; },
         [](apps::app& a, unsigned workers) {
           openmp_binding const as_the_user_asked;
           a.openmp()->run_openmp(workers);
         },
         true, &apps::loop_styles::openmp_words, &apps::loop_styles::choose_openmp},
    peer{"tbb", "the same algorithm with oneTBB", [](apps::app& a) { return a.tbb() != nullptr; },
         [](apps::app& a, unsigned workers) { a.tbb()->run_tbb(workers); }, true, &apps::loop_styles::tbb_words,
         &apps::loop_styles::choose_tbb},
};

/// Also for runs that spread no loop: the app's facts name the style of its twins, and the last run chose another one.
void set_style(apps::app& a, peer_choice const& chosen) {
  apps::loop_styles* const styles = a.styles();
  if (styles == nullptr) return;
  styles->as_asked();
  if (!chosen.style.empty()) (styles->*chosen.which->choose)(chosen.style);
}

void refuse_missing(std::string_view option, std::string_view text, apps::app& what) {
  std::vector<std::string_view> const has = peers_of(what);
  refuse(option, text,
         has.empty() ? fmt::format("none, because {} runs on Skua only", what.name())
                     : fmt::format("{}, the peers that {} has", joined(has), what.name()));
}

apps::ways way_of(peer_choice const& chosen, apps::app& what) {
  using apps::ways;
  if (!chosen.which->is_parallel) return ways::serial;
  if (chosen.which->name == "tbb") return ways::tbb;
  apps::loop_styles const* const styles = what.styles();
  if (styles == nullptr) return ways::openmp;
  auto const words = apps::loop_styles::openmp_words();
  auto const schedule =
      chosen.style.empty() ? styles->asked_openmp() : apps::meaning_of<apps::openmp_schedule>(chosen.style, words);
  if (schedule == apps::openmp_schedule::of_static) return ways::openmp_static;
  return schedule == apps::openmp_schedule::of_dynamic ? ways::openmp_dynamic : ways::openmp;
}

}  // namespace

std::span<peer const> peers() noexcept { return all_peers; }

std::vector<std::string_view> peers_of(apps::app& what) {
  std::vector<std::string_view> names;
  for (peer const& p : all_peers) {
    if (p.can_run(what)) names.push_back(p.name);
  }
  return names;
}

peer const& peer_of(std::string_view option, std::string_view name) {
  auto const found = std::ranges::find(all_peers, name, &peer::name);
  if (found != all_peers.end()) return *found;
  std::vector<std::string_view> names;
  for (peer const& p : all_peers) names.push_back(p.name);
  refuse_name(option, name, names);
}

void refuse_too_many(peer const& which, unsigned workers) {
  if (!which.is_parallel || workers <= most_peer_workers) return;
  throw usage_error(
      fmt::format("--workers is '{}'; allowed: at most {} for the peer {}", workers, most_peer_workers, which.name));
}

std::string peer_choice::name() const {
  return style.empty() ? std::string(which->name) : fmt::format("{}:{}", which->name, style);
}

peer_choice peer_choice_of(std::string_view option, std::string_view text, apps::app& what) {
  auto const colon = text.find(':');
  peer const& which = peer_of(option, text.substr(0, colon));
  if (!which.can_run(what)) refuse_missing(option, text, what);
  if (colon == std::string_view::npos) return {&which};
  std::string const style(text.substr(colon + 1));
  if (which.styles == nullptr || what.styles() == nullptr) {
    refuse(option, text, fmt::format("'{0}'; {1} runs on {0} in one way only", which.name, what.name()));
  }
  auto const styles = which.styles();
  if (std::ranges::find(styles, style) == styles.end())
    refuse_name(fmt::format("style of {} in {}", which.name, option), style, {styles.begin(), styles.end()});
  return {&which, style};
}

void refuse_unused(app_arguments const& of, std::span<peer_choice const> peers, bool has_pools,
                   std::string_view peer_option, std::string_view typed) {
  apps::ways in_use = has_pools ? apps::ways::pool : apps::ways::none;
  for (peer_choice const& p : peers) in_use = in_use | way_of(p, of.chosen());
  of.refuse_unused(in_use, typed, peer_option);
  json const given = of.given();
  for (peer_choice const& p : peers) {
    bool const is_asked_twice = !p.style.empty() && given.contains(p.which->name);
    auto const reads_option = [&p](peer_choice const& other) { return other.which == p.which && other.style.empty(); };
    if (is_asked_twice && std::ranges::none_of(peers, reads_option)) {
      refuse_together(fmt::format("--{}", p.which->name), fmt::format("{} {}", peer_option, p.name()),
                      "both say how its loops are spread");
    }
  }
}

std::string runner::full_name() const { return fmt::format("{} with {}", name, in_words(workers, "worker")); }

runner runner_of(peer_choice const& chosen, unsigned workers) {
  peer const& which = *chosen.which;
  refuse_too_many(which, workers);
  return {.name = chosen.name(),
          .workers = workers,
          .is_serial = !which.is_parallel,
          .is_peer = which.is_parallel,
          .prepare = [chosen](apps::app& a) { set_style(a, chosen); },
          .run = [run = which.run, workers](apps::app& a) { run(a, workers); }};
}

runner runner_of(std::shared_ptr<pool> const& workers, std::string name, breaking_down how) {
  unsigned const count = workers->num_workers();
  runner it{.name = std::move(name),
            .workers = count,
            .is_serial = false,
            .is_peer = false,
            .prepare =
                [workers](apps::app& a) {
                  set_style(a, {});
                  a.place_data(*workers);
                },
            .run = [workers](apps::app& a) { a.run_skua(*workers); },
            .run_mapped = [workers](apps::mapped& a) { return a.run_mapped(*workers); },
            .mark = [workers](char const* what, std::uint64_t n) { runtime::mark_from_outside(*workers, what, n); }};
  if (how == breaking_down::on) it.counters = [workers](auto at) { return workers->counters(at); };
  return it;
}

}  // namespace skua::cli

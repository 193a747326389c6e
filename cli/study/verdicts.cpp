// SPDX-License-Identifier: MIT
#include "cli/study/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "cli/probes/samples.hpp"

namespace skua::cli {
namespace {

/// The rows of a part that ended well; empty if it did not.
json rows_of_part(json const& study, std::string const& key) {
  json const& parts = study["parts"];
  if (!parts.contains(key) || !parts[key].value("ended_well", false)) return json::array();
  json const& result = parts[key]["result"];
  return result.contains("rows") ? result["rows"] : json::array();
}

std::vector<std::string> apps_of(json const& study) {
  std::vector<std::string> all;
  for (auto const& [key, part] : study["parts"].items()) {
    if (part["kind"].template get<std::string>() == "scaling")
      all.push_back(std::string{key}.substr(std::string_view{"scaling/"}.size()));
  }
  return all;
}

std::optional<double> speed_up_in(json const& row) {
  if (!row.value("verified", false) || !row.contains("speedup_over_serial") || !row["speedup_over_serial"].is_number())
    return {};
  return row["speedup_over_serial"].get<double>();
}

json const* row_of(json const& rows, std::string const& runner, unsigned workers) {
  for (json const& row : rows) {
    if (row["runner"].get<std::string>() == runner && row["workers"].get<unsigned>() == workers) return &row;
  }
  return nullptr;
}

bool is_skuas(json const& row) { return row.contains("work_s") && row["work_s"].is_number(); }

struct timed {
  double predicted_s;
  double min_s;
  double max_s;
};

/// Of an app: the policies that were measured and predicted on as many workers.
std::vector<timed> timed_on(json const& predicted, json const& measured, unsigned workers) {
  std::vector<timed> all;
  for (json const& row : predicted) {
    if (row["workers"].get<unsigned>() != workers) continue;
    json const* const real = row_of(measured, row["runner"].get<std::string>(), workers);
    if (real == nullptr || !real->value("verified", false)) continue;
    all.push_back({row["median_s"].get<double>(), (*real)["min_s"].get<double>(), (*real)["max_s"].get<double>()});
  }
  return all;
}

void count_pairs(std::vector<timed> const& all, order_check& into) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      bool const is_first = all[i].max_s < all[k].min_s;
      if (!is_first && all[k].max_s >= all[i].min_s) continue;
      ++into.pairs;
      into.right += is_first ? all[i].predicted_s < all[k].predicted_s : all[k].predicted_s < all[i].predicted_s;
    }
  }
}

unsigned most_workers(json const& rows) {
  unsigned most = 0;
  for (json const& row : rows) most = std::max(most, row["workers"].get<unsigned>());
  return most;
}

/// The row with the largest speed-up on so many workers, of Skua or of its peers.
json const* best_of(json const& rows, unsigned workers, bool skuas) {
  json const* best = nullptr;
  for (json const& row : rows) {
    if (row["workers"].get<unsigned>() != workers || is_skuas(row) != skuas || !speed_up_in(row)) continue;
    if (row["runner"].get<std::string>() == "serial") continue;
    if (best == nullptr || *speed_up_in(row) > *speed_up_in(*best)) best = &row;
  }
  return best;
}

std::string cause_of(double inflation, double idle, double scheduling) {
  if (inflation >= idle && inflation >= scheduling && inflation > 0.05)
    return fmt::format("the same work took {:.0f} % longer than on one worker (memory, caches or a lower clock)",
                       100 * inflation);
  if (idle >= scheduling && idle > 0.05)
    return fmt::format(
        "workers had nothing to do for {:.0f} % of their time (too little parallelism, or too few steals)", 100 * idle);
  if (scheduling > 0.05) return fmt::format("scheduling took {:.0f} % of the workers' time", 100 * scheduling);
  return "";
}

std::optional<json> limit_of(json const& study, std::string const& app) {
  json const rows = rows_of_part(study, "scaling/" + app);
  unsigned const workers = most_workers(rows);
  json const* const best = best_of(rows, workers, true);
  if (best == nullptr) return {};
  double const speed_up = *speed_up_in(*best);
  double const work = (*best)["work_s"].get<double>();
  double const idle = (*best)["idle_s"].get<double>();
  double const scheduling = (*best)["scheduling_s"].get<double>();
  double const all = std::max(work + idle + scheduling, 1e-12);
  double const inflation =
      (*best)["inflation_over_one"].is_number() ? (*best)["inflation_over_one"].get<double>() - 1 : 0;
  json const* const peer = best_of(rows, workers, false);
  return json{{"app", app},
              {"title", study["parts"]["scaling/" + app]["title"].get<std::string>()},
              {"runner", (*best)["runner"].get<std::string>()},
              {"workers", workers},
              {"speed_up", speed_up},
              {"efficiency", speed_up / workers},
              {"work_inflation", inflation},
              {"idle_share", idle / all},
              {"scheduling_share", scheduling / all},
              {"best_peer", peer == nullptr ? json() : json((*peer)["runner"].get<std::string>())},
              {"peer_speed_up", peer == nullptr ? json() : json(*speed_up_in(*peer))},
              {"says", speed_up / workers >= 0.95 ? "" : cause_of(inflation, idle / all, scheduling / all)}};
}

}  // namespace

std::vector<prediction_check> checks_of(json const& study) {
  std::vector<prediction_check> all;
  for (std::string const& app : apps_of(study)) {
    json const measured = rows_of_part(study, "scaling/" + app);
    for (json const& row : rows_of_part(study, "prediction/" + app)) {
      unsigned const workers = row["workers"].get<unsigned>();
      json const* const real = row_of(measured, row["runner"].get<std::string>(), workers);
      std::optional<double> const predicted = speed_up_in(row);
      if (real == nullptr || !predicted || !speed_up_in(*real)) continue;
      double const seen = *speed_up_in(*real);
      all.push_back({app, row["runner"].get<std::string>(), workers, *predicted, seen, *predicted / seen - 1});
    }
  }
  return all;
}

order_check orders_of(json const& study) {
  order_check all;
  for (std::string const& app : apps_of(study)) {
    json const predicted = rows_of_part(study, "prediction/" + app);
    json const measured = rows_of_part(study, "scaling/" + app);
    for (json const& workers : study["worker_counts"])
      count_pairs(timed_on(predicted, measured, workers.get<unsigned>()), all);
  }
  return all;
}

json limits_of(json const& study) {
  json all = json::array();
  for (std::string const& app : apps_of(study)) {
    if (std::optional<json> found = limit_of(study, app)) all.push_back(std::move(*found));
  }
  return all;
}

std::vector<std::string> summary_of_study(json const& study) {
  std::vector<std::string> all;
  for (json const& limit : limits_of(study)) {
    std::string line = fmt::format("{}: {:.2f} times the serial speed with {} ({}), {:.0f} % of linear",
                                   limit["title"].get<std::string>(), limit["speed_up"].get<double>(),
                                   in_words(limit["workers"].get<unsigned>(), "worker"),
                                   limit["runner"].get<std::string>(), 100 * limit["efficiency"].get<double>());
    if (limit["best_peer"].is_string())
      line += fmt::format("; the best peer, {}, {:.2f}", limit["best_peer"].get<std::string>(),
                          limit["peer_speed_up"].get<double>());
    if (std::string const why = limit["says"].get<std::string>(); !why.empty()) line += ": " + why;
    all.push_back(line + ".");
  }
  std::vector<double> errors;
  for (prediction_check const& check : checks_of(study)) errors.push_back(std::abs(check.error));
  if (!errors.empty()) {
    std::size_t const rows = errors.size();
    order_check const order = orders_of(study);
    all.push_back(
        fmt::format("Of {} speed-ups that were predicted before anything was timed, the median error is {:.0f} %; of "
                    "{} that differ by more "
                    "than the rounds do, {} are in the predicted order.",
                    rows, 100 * median(std::move(errors)), in_words(order.pairs, "pair"), order.right));
  }
  return all;
}

}  // namespace skua::cli

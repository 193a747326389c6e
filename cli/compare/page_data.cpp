// SPDX-License-Identifier: MIT
#include "cli/compare/page_data.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/text/command_line.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

json to_json(interval const& all) { return {{"low", all.low}, {"middle", all.middle}, {"high", all.high}}; }

json to_json(std::optional<interval> const& all) { return all ? to_json(*all) : json(); }

char const* kind_of(runner const& who) { return who.is_serial ? "serial" : who.is_peer ? "peer" : "policy"; }

json ratio_json(contender const& c) {
  if (!c.ratio_to_peer) return nullptr;
  json all = to_json(*c.ratio_to_peer);
  all["peer"] = c.peer->name();
  all["is_apart"] = are_apart(c.peer->time_s, c.time_s);
  return all;
}

/// "1, 2 and 4 workers"
std::string counts_in_words(std::vector<unsigned> const& counts) {
  std::vector<std::string> numbers;
  for (unsigned const n : counts) numbers.push_back(std::to_string(n));
  return listed(numbers) + (counts == std::vector{1U} ? " worker" : " workers");
}

}  // namespace

std::string app_in_words(json const& document) {
  std::string all = document["app"].get<std::string>();
  for (auto const& [name, value] : document["options"].items()) {
    std::string const text = value.get<std::string>();
    all += " --" + name + (text == "true" ? "" : " " + quoted_for_shell(text));
  }
  return all;
}

json page_data(comparison const& c, json document, comparison_origin const& origin) {
  std::size_t const rounds = c.all().front().of->what->times_s.size();
  std::vector<unsigned> const counts = c.worker_counts();
  document["question"] = fmt::format("Which runs {} fastest on {}?", app_in_words(document), counts_in_words(counts));
  document["command"] = origin.command;
  document["date"] = origin.date;
  document["warm_up_rounds"] = origin.warm_up_rounds;
  document["seed_of_order"] = origin.seed;
  document["notes"] = origin.notes;
  document["summary"] = summary_of(c);
  document["spread"] = rounds < rounds_for_middle_half ? "all rounds" : "the middle half of the rounds";
  document["reference"] = nullptr;
  if (contender const* const base = c.reference())
    document["reference"] = {{"runner", base->name()}, {"workers", base->workers()}, {"name", name_of_reference(c)}};
  document["worker_counts"] = counts;
  for (std::size_t i = 0; i < c.all().size(); ++i) {
    contender const& one = c.all()[i];
    json& into = document["rows"][i];
    into["kind"] = kind_of(*one.of->who);
    into["wrong_answers"] = one.of->what->wrong_answers;
    into["first_error"] = one.of->what->first_error;
    into["spread_s"] = to_json(one.time_s);
    into["speed_up"] = to_json(one.speed_up);
    into["efficiency"] = to_json(one.efficiency);
    into["to_peer"] = ratio_json(one);
  }
  return document;
}

}  // namespace skua::cli

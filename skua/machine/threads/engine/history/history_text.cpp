// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/history_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr double line = 4294967296.0;  // an address is a fraction of it
constexpr std::uint64_t longest_ns = std::uint64_t{1} << 60;
constexpr std::uint64_t most = std::uint64_t{1} << 60;
constexpr std::array<std::string_view, 6> parts{"version", "workers", "program", "machine", "times", "calls"};
constexpr char const* allowed_file = "; allowed: a file that a run of arms or auto has written";

class reader {
 public:
  reader(std::string_view name, std::string_view text) : name_(name), all_(parsed(text)) {}

  [[nodiscard]] history whole() {
    if (!all_.is_object() || !all_.contains("times") || !all_["times"].is_array())
      refuse(std::string("it has no list \"times\"") + allowed_file);
    history made;
    made.version = all_.contains("version") ? number(all_, "version", 1, most) : 1;
    if (made.version > history::newest_version) return made;
    for (auto const& [key, value] : all_.items()) {
      if (std::ranges::find(parts, key) == parts.end())
        refuse("\"" + key + "\" is no part of it; allowed: version, workers, program, machine, times, calls");
    }
    made.of.workers = static_cast<std::uint32_t>(number(all_, "workers", 1, 65'536));
    if (made.version > 1) {
      made.of.program = text(all_, "program");
      made.of.machine = text(all_, "machine");
    }
    list_ = "times";
    for (auto const& entry : all_["times"]) {
      ++entry_;
      made.times.push_back(time(entry, made.of.workers));
    }
    if (!all_.contains("calls")) return made;
    entry_ = 0;
    if (!all_["calls"].is_array()) refuse(std::string("\"calls\" is no list") + allowed_file);
    list_ = "calls";
    for (auto const& entry : all_["calls"]) {
      ++entry_;
      made.calls.push_back(call(entry));
    }
    return made;
  }

 private:
  [[noreturn]] void refuse(std::string const& what) const {
    std::string const where =
        entry_ == 0 ? "" : ", entry " + std::to_string(entry_) + " of \"" + std::string(list_) + "\"";
    throw usage_error(printable(std::string(name_) + where + ": " + what));
  }

  [[nodiscard]] nlohmann::json parsed(std::string_view text) const {
    try {
      return nlohmann::json::parse(text);
    } catch (nlohmann::json::parse_error const& e) {
      refuse("no JSON from byte " + std::to_string(e.byte) + " on" + allowed_file);
    } catch (nlohmann::json::out_of_range const& e) {  // 1e999
      refuse(std::string("a number that is too large: ") + e.what() + allowed_file);
    }
  }

  static std::string value_in(nlohmann::json const& of, char const* name) {
    return of.is_object() && of.contains(name) ? of[name].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                                               : "missing";
  }
  [[noreturn]] void refuse_value(nlohmann::json const& of, char const* name, std::string const& allowed) const {
    refuse(std::string("\"") + name + "\" is " + value_in(of, name) + "; allowed: " + allowed);
  }

  [[nodiscard]] std::uint64_t number(nlohmann::json const& of, char const* name, std::uint64_t least,
                                     std::uint64_t greatest) const {
    bool const is_number = of.is_object() && of.contains(name) && of[name].is_number_unsigned();
    if (!is_number || of[name].get<std::uint64_t>() < least || of[name].get<std::uint64_t>() > greatest)
      refuse_value(of, name, std::to_string(least) + " to " + std::to_string(greatest));
    return of[name].get<std::uint64_t>();
  }
  [[nodiscard]] std::uint32_t small_number(nlohmann::json const& of, char const* name) const {
    return static_cast<std::uint32_t>(number(of, name, 0, 1'000'000));
  }
  [[nodiscard]] double time_of(nlohmann::json const& of, char const* name) const {
    return static_cast<double>(number(of, name, 0, longest_ns));
  }
  [[nodiscard]] double ratio(nlohmann::json const& of, char const* name) const {
    bool const is_number = of.is_object() && of.contains(name) && of[name].is_number();
    if (!is_number || !(of[name].get<double>() >= 0) || !(of[name].get<double>() <= 1e9))
      refuse_value(of, name, "0 to 1e9");
    return of[name].get<double>();
  }
  [[nodiscard]] std::string text(nlohmann::json const& of, char const* name) const {
    if (!of.is_object() || !of.contains(name) || !of[name].is_string()) refuse_value(of, name, "a text");
    return of[name].get<std::string>();
  }
  /// A list that belongs to an entry.
  [[nodiscard]] nlohmann::json const& inner(nlohmann::json const& of, char const* name) const {
    if (!of.contains(name) || !of[name].is_array()) refuse_value(of, name, "a list");
    return of[name];
  }

  [[nodiscard]] policies::known_time time(nlohmann::json const& entry, std::uint32_t workers) const {
    policies::known_time made;
    made.type = static_cast<std::uint32_t>(number(entry, "type", 0, 65'535));
    if (!entry.contains("address") || !entry["address"].is_number() || !(entry["address"].get<double>() >= 0) ||
        !(entry["address"].get<double>() < 1))
      refuse_value(entry, "address", "0 or more and less than 1");
    made.address = address::at(entry["address"].get<double>());
    made.leader = worker_id{static_cast<std::uint32_t>(number(entry, "leader", 0, workers - 1))};
    made.width = static_cast<std::uint16_t>(number(entry, "width", 1, workers));
    made.ns = number(entry, "ns", 1, longest_ns);
    return made;
  }

  [[nodiscard]] known_call call(nlohmann::json const& entry) const {
    known_call made{.place = {.module = text(entry, "module"),
                              .build = text(entry, "build"),
                              .offset = number(entry, "offset", 0, ~std::uint64_t{0})},
                    .choice = {}};
    policies::call_choice& c = made.choice;
    c.call = text(entry, "call");
    c.scheduler = text(entry, "scheduler");
    std::string const why = text(entry, "evidence");
    auto const& words = policies::evidence_words;
    auto const known = std::ranges::find(words, why);
    if (known == words.end()) refuse_value(entry, "evidence", "first, spawns, measured, tiny");
    c.why = static_cast<policies::evidence>(known - words.begin());
    c.since_call = number(entry, "since_call", 1, most);
    c.since_group = number(entry, "since_group", 1, most);
    c.calls = number(entry, "calls", 0, most);
    c.calls_ns = time_of(entry, "calls_ns");
    c.groups = number(entry, "groups", 0, most);
    c.groups_ns = time_of(entry, "groups_ns");
    c.lost_ns = time_of(entry, "lost_ns");
    c.gain = ratio(entry, "gain");
    c.changes = small_number(entry, "changes");
    for (auto const& t : inner(entry, "trials")) {
      c.others.push_back({.scheduler = text(t, "scheduler"),
                          .trials = small_number(t, "trials"),
                          .since_change = small_number(t, "since_change"),
                          .ratio = ratio(t, "ratio")});
    }
    for (auto const& s : inner(entry, "shapes"))
      c.shapes.push_back({.number = number(s, "shape", 0, ~std::uint64_t{0}), .usual_ns = time_of(s, "ns")});
    return made;
  }

  std::string_view name_;
  std::string_view list_;
  std::size_t entry_ = 0;  ///< from 1 on; 0: not in a list
  nlohmann::json all_;
};

// By hand: nlohmann's ordered_json would be compiled for these lines only.

std::string quoted(std::string const& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string in_digits(double number) { return nlohmann::json(number).dump(); }
std::string in_whole_ns(double ns) {
  return std::to_string(static_cast<std::uint64_t>(std::llround(std::clamp(ns, 0.0, static_cast<double>(longest_ns)))));
}

std::string text_of_time(policies::known_time const& t) {
  return "{\"type\":" + std::to_string(t.type) +
         ",\"address\":" + in_digits(static_cast<double>(t.address.fraction) / line) +
         ",\"leader\":" + std::to_string(index(t.leader)) + ",\"width\":" + std::to_string(t.width) +
         ",\"ns\":" + std::to_string(t.ns) + "}";
}

std::string text_of_call(known_call const& k) {
  policies::call_choice const& c = k.choice;
  std::string all = "{\"module\":" + quoted(k.place.module) + ",\"build\":" + quoted(k.place.build) +
                    ",\"offset\":" + std::to_string(k.place.offset) + ",\"call\":" + quoted(c.call) +
                    ",\"scheduler\":" + quoted(c.scheduler) + ",\"evidence\":\"" +
                    std::string(policies::evidence_words[static_cast<std::size_t>(c.why)]) +
                    "\",\"since_call\":" + std::to_string(c.since_call) +
                    ",\"since_group\":" + std::to_string(c.since_group) + ",\"calls\":" + std::to_string(c.calls) +
                    ",\"calls_ns\":" + in_whole_ns(c.calls_ns) + ",\"groups\":" + std::to_string(c.groups) +
                    ",\"groups_ns\":" + in_whole_ns(c.groups_ns) + ",\"lost_ns\":" + in_whole_ns(c.lost_ns) +
                    ",\"gain\":" + in_digits(c.gain) + ",\"changes\":" + std::to_string(c.changes) + ",\"trials\":[";
  char const* separator = "";
  for (auto const& t : c.others) {
    all += separator + ("{\"scheduler\":" + quoted(t.scheduler)) + ",\"trials\":" + std::to_string(t.trials) +
           ",\"since_change\":" + std::to_string(t.since_change) + ",\"ratio\":" + in_digits(t.ratio) + "}";
    separator = ",";
  }
  all += "],\"shapes\":[";
  separator = "";
  for (auto const& s : c.shapes) {
    all += separator + ("{\"shape\":" + std::to_string(s.number)) + ",\"ns\":" + in_whole_ns(s.usual_ns) + "}";
    separator = ",";
  }
  return all + "]}";
}

/// An entry per line: files of two runs can be compared.
template <class Entries, class Text>
std::string listed(Entries const& entries, Text text) {
  std::string all = "[";
  char const* separator = "\n";
  for (auto const& e : entries) {
    all += separator + ("  " + text(e));
    separator = ",\n";
  }
  return all + "\n]";
}

}  // namespace

history read_history(std::string_view name, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  return reader(name, text).whole();
}

std::string text_of(history const& known) {
  return "{\"version\": " + std::to_string(known.version) + ",\n \"workers\": " + std::to_string(known.of.workers) +
         ",\n \"program\": " + quoted(known.of.program) + ",\n \"machine\": " + quoted(known.of.machine) +
         ",\n \"times\": " + listed(known.times, text_of_time) + ",\n \"calls\": " + listed(known.calls, text_of_call) +
         "}\n";
}

}}}  // namespace skua::v0::runtime

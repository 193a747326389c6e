// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/history_text.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "skua/parts/base/error.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr double line = 4294967296.0;  // an address is a fraction of it
constexpr std::uint64_t longest_ns = std::uint64_t{1} << 60;

class reader {
 public:
  reader(std::string_view name, std::string_view text) : name_(name), all_(parsed(text)) {}

  [[nodiscard]] history whole() {
    if (!all_.is_object() || !all_.contains("times") || !all_["times"].is_array())
      refuse("it has no list \"times\"; allowed: a file that a run of arms has written");
    history made{.workers = static_cast<std::uint32_t>(number(all_, "workers", 1, 65'536)), .times = {}};
    for (auto const& entry : all_["times"]) {
      ++entry_;
      made.times.push_back(time(entry, made.workers));
    }
    return made;
  }

 private:
  [[noreturn]] void refuse(std::string const& what) const {
    throw usage_error(std::string(name_) + (entry_ == 0 ? "" : ", entry " + std::to_string(entry_) + " of \"times\"") +
                      ": " + what);
  }

  [[nodiscard]] nlohmann::json parsed(std::string_view text) const {
    try {
      return nlohmann::json::parse(text);
    } catch (nlohmann::json::parse_error const& e) {
      refuse("no JSON from byte " + std::to_string(e.byte) + " on; allowed: a file that a run of arms has written");
    }
  }

  [[nodiscard]] std::uint64_t number(nlohmann::json const& of, char const* name, std::uint64_t least,
                                     std::uint64_t most) const {
    bool const is_number = of.is_object() && of.contains(name) && of[name].is_number_unsigned();
    if (!is_number || of[name].get<std::uint64_t>() < least || of[name].get<std::uint64_t>() > most) {
      refuse(std::string("\"") + name + "\" is " + (of.is_object() && of.contains(name) ? of[name].dump() : "missing") +
             "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
    }
    return of[name].get<std::uint64_t>();
  }

  [[nodiscard]] policies::known_time time(nlohmann::json const& entry, std::uint32_t workers) const {
    policies::known_time made;
    made.type = static_cast<std::uint32_t>(number(entry, "type", 0, 65'535));
    if (!entry.contains("address") || !entry["address"].is_number() || !(entry["address"].get<double>() >= 0) ||
        !(entry["address"].get<double>() < 1)) {
      refuse("\"address\" is " + (entry.contains("address") ? entry["address"].dump() : "missing") +
             "; allowed: 0 or more and less than 1");
    }
    made.address = address::at(entry["address"].get<double>());
    made.leader = worker_id{static_cast<std::uint32_t>(number(entry, "leader", 0, workers - 1))};
    made.width = static_cast<std::uint16_t>(number(entry, "width", 1, workers));
    made.ns = number(entry, "ns", 1, longest_ns);
    return made;
  }

  std::string_view name_;
  std::size_t entry_ = 0;  ///< from 1 on; 0: not in the list
  nlohmann::json all_;
};

}  // namespace

history read_history(std::string_view name, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  return reader(name, text).whole();
}

std::string text_of(history const& known) {
  // An entry per line: files of two runs can be compared.
  std::string all = "{\"workers\": " + std::to_string(known.workers) + ",\n \"times\": [";
  char const* separator = "\n";
  for (policies::known_time const& t : known.times) {
    // By hand: nlohmann's ordered_json would be compiled for this line only.
    nlohmann::json const address = static_cast<double>(t.address.fraction) / line;
    all += separator + ("  {\"type\":" + std::to_string(t.type)) + ",\"address\":" + address.dump() +
           ",\"leader\":" + std::to_string(index(t.leader)) + ",\"width\":" + std::to_string(t.width) +
           ",\"ns\":" + std::to_string(t.ns) + "}";
    separator = ",\n";
  }
  return all + "\n]}\n";
}

}}}  // namespace skua::v0::runtime

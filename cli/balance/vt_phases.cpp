// SPDX-License-Identifier: MIT
#include "cli/balance/vt_phases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

using document = nlohmann::json;

constexpr int deepest = 64;  // the library writes values recursively

/// The callback of the parser. It keeps nothing of the file but the phase that is being read.
class phase_parser {
 public:
  phase_parser(std::string const& name, std::uint32_t rank, vt_phase_reader const& reader)
      : name_(name), rank_(rank), reader_(reader) {}

  /// Depths: 1 are the keys of the file, 2 its phases, 3 their keys. Returns whether a value is kept.
  bool see(int depth, document::parse_event_t event, document& parsed) {
    using kind = document::parse_event_t;
    if (depth > deepest) refuse(fmt::format("values are nested more than {} deep", deepest));
    if (event == kind::key && depth == 1) {
      key_ = parsed.get_ref<std::string const&>();
      return key_ == "phases" || key_ == "metadata" || key_ == "type";
    }
    if (key_ != "phases") return true;
    if (event == kind::key && depth == 3) {
      auto const& key = parsed.get_ref<std::string const&>();
      if (key == "communications") facts_.has_communications = true;
      return key == "id" || key == "tasks";
    }
    if (event != kind::object_end || depth != 2) return true;
    take(parsed);
    return false;
  }

  /// Checks what is left of the file without its phases.
  vt_file_facts finish(document rest) {
    if (!rest.is_object() || !rest.contains("phases"))
      refuse("there is no \"phases\"; allowed: JSON of the type LBDatafile");
    auto const& phases = rest["phases"];
    if (!phases.is_array() || !phases.empty()) refuse("\"phases\" is no list of objects");
    check_type(rest);
    if (!rest.contains("metadata")) return facts_;
    auto& metadata = rest["metadata"];
    if (!metadata.is_object()) refuse("\"metadata\" is no object");
    check_type(metadata);
    if (metadata.contains("rank") && metadata["rank"] != rank_) {
      refuse(fmt::format("the rank in its metadata is {}, that in its name {}", metadata["rank"].dump(), rank_));
    }
    if (metadata.contains("phases")) read_repeated(metadata["phases"]);
    metadata.erase("phases");
    if (reader_.keeps_entities) facts_.metadata = metadata.dump();
    return facts_;
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const {
    throw usage_error(runtime::printable(fmt::format("{}: {}", name_, why)));
  }

  void check_type(document const& of) const {
    if (of.contains("type") && of["type"] != "LBDatafile")
      refuse(fmt::format("its type is {}; allowed: LBDatafile", of["type"].dump()));
  }

  /// vt leaves out what did not change: {"identical_to_previous": {"list": [3], "range": [[5, 8]]}}.
  void read_repeated(document const& said) {
    if (!said.is_object()) refuse("the phases of its metadata are no object");
    if (!said.contains("identical_to_previous")) return;
    document const& repeated = said["identical_to_previous"];
    std::uint64_t count = 0;
    auto const add = [&](document const& first, document const& last) {
      if (!first.is_number_unsigned() || !last.is_number_unsigned() || first > last) refuse_repeated();
      phase_range const found{first.get<std::uint64_t>(), last.get<std::uint64_t>()};
      if (found.last - found.first >= most_phases - count)
        refuse(fmt::format("there are more than {} phases", most_phases));
      count += found.last - found.first + 1;
      facts_.repeated.push_back(found);
    };
    for (char const* const form : {"list", "range"}) {
      if (!repeated.is_object()) refuse_repeated();
      if (!repeated.contains(form) || repeated[form].is_null()) continue;
      if (!repeated[form].is_array()) refuse_repeated();
      for (document const& one : repeated[form]) {
        bool const is_range = form == std::string_view("range");
        if (is_range && (!one.is_array() || one.size() != 2)) refuse_repeated();
        add(is_range ? one[0] : one, is_range ? one[1] : one);
      }
    }
  }

  [[noreturn]] void refuse_repeated() const {
    refuse("identical_to_previous in its metadata is no list of phases and list of ranges");
  }

  void take(document const& phase) {
    if (!phase.contains("id") || !phase["id"].is_number_unsigned())
      refuse(fmt::format("phase number {} of the file has no id that is a whole number", facts_.phases + 1));
    vt_phase found{.id = phase["id"].get<std::uint64_t>(), .tasks = {}};
    ++facts_.phases;
    if (!seen_.insert(found.id).second) refuse(fmt::format("phase {} is there twice", found.id));
    // vt writes no list where a rank has no task.
    document const none = document::array();
    document const& tasks = phase.contains("tasks") ? phase["tasks"] : none;
    if (!tasks.is_array()) refuse(fmt::format("phase {} has no list of tasks", found.id));
    bool const wanted = reader_.wants(found.id);
    std::size_t number = 0;
    for (document const& task : tasks) {
      std::string const where = fmt::format("phase {}, task {}", found.id, ++number);
      vt_task one = task_of(task, where);
      if (!wanted) continue;
      if (task.contains("node") && task["node"] != rank_) ++found.elsewhere;
      found.tasks.push_back(std::move(one));
    }
    if (wanted) reader_.take(std::move(found));
  }

  vt_task task_of(document const& task, std::string const& where) const {
    if (!task.is_object()) refuse(fmt::format("{} is no object", where));
    if (!task.contains("time") || !task["time"].is_number())
      refuse(fmt::format("{} has no time that is a number", where));
    double const ns = std::round(task["time"].get<double>() * 1e9);
    if (!(ns >= 0 && ns < 0x1p64)) {
      refuse(fmt::format("{}: time is {}; allowed: seconds from 0 to 18446744073", where, task["time"].dump()));
    }
    if (!task.contains("entity") || !task["entity"].is_object()) refuse(fmt::format("{} has no entity", where));
    document const& entity = task["entity"];
    auto const whole = [&entity](char const* key) { return entity.contains(key) && entity[key].is_number_integer(); };
    if (!whole("id") && !whole("seq_id")) refuse(fmt::format("{}: its entity has neither id nor seq_id", where));
    if (!entity.contains("migratable") || !entity["migratable"].is_boolean())
      refuse(fmt::format("{}: its entity does not say whether it is migratable (true or false)", where));
    vt_task found{.load = static_cast<load_ns>(ns),
                  .entity = {.migratable = entity["migratable"].get<bool>(), .text = {}}};
    if (reader_.keeps_entities) found.entity.text = task.dump();
    return found;
  }

  std::string const& name_;
  std::uint32_t rank_;
  vt_phase_reader const& reader_;
  std::string key_;  ///< of the file, that is being read
  std::set<std::uint64_t> seen_;
  vt_file_facts facts_;
};

/// "line 3, column 7: ..." of "[json.exception.parse_error.101] parse error at line 3, column 7: ..."
std::string without_prefix(std::string_view what) {
  for (std::string_view const prefix : {"] ", "parse error at ", "parse error: "}) {
    auto const at = what.find(prefix);
    if (at != std::string_view::npos) what.remove_prefix(at + prefix.size());
  }
  return std::string(what);
}

}  // namespace

vt_file_facts read_vt_phases(std::string_view text, std::string const& name, std::uint32_t rank,
                             vt_phase_reader const& reader) {
  phase_parser phases(name, rank, reader);
  try {
    document rest = document::parse(text.begin(), text.end(),
                                    [&phases](int depth, document::parse_event_t event, document& parsed) {
                                      return phases.see(depth, event, parsed);
                                    });
    return phases.finish(std::move(rest));
  } catch (document::exception const& fault) {
    throw usage_error(runtime::printable(fmt::format("{}: not JSON: {}", name, without_prefix(fault.what()))));
  }
}

}  // namespace skua::cli

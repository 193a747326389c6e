// SPDX-License-Identifier: MIT
#include "cli/study/notebook.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::cli {
namespace {

json read(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw resource_error(fmt::format("{} cannot be read", path));
  json all = json::parse(text.str());
  if (all.is_object() && all.contains("study") && all.contains("of") && all.contains("parts") &&
      all["parts"].is_object())
    return all;
  throw resource_error(fmt::format("{} is no study; move it, or give another --output", path));
}

}  // namespace

notebook::notebook(std::string path, json of) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) {
    all_ = {{"study", 1}, {"of", std::move(of)}, {"parts", json::object()}};
    return;
  }
  all_ = read(path_);
  if (all_["of"] != of) {
    throw usage_error(fmt::format(
        "{} is a study of another machine, build or kind ({}); allowed: another --output, or the same there", path_,
        all_["of"].dump()));
  }
  before_ = all_["parts"].size();
}

bool notebook::has(study_part const& part) const {
  json const& parts = all_["parts"];
  if (!parts.contains(part.key)) return false;
  json const& known = parts[part.key];
  return known.value("ended_well", false) &&
         (known["words"] == json(part.words) || (known.value("is_repeated", false) && !part.is_repeated));
}

json notebook::entry_of(study_part const& part) const {
  return {{"kind", std::string{name_of(part.kind)}},
          {"title", part.title},
          {"words", part.words},
          {"is_repeated", part.is_repeated}};
}

void notebook::add(study_part const& part, child_end const& end, json result, json conditions) {
  bool const is_good = end.is_good && !result.is_null() && !result.is_discarded();
  if (result.is_discarded()) result = json();
  json& parts = all_["parts"];
  if (!is_good && parts.contains(part.key) && parts[part.key].value("ended_well", false)) return;
  json entry = entry_of(part);
  entry["ended_well"] = is_good;
  entry["why"] = is_good ? "" : end.is_good ? "it wrote no result" : end.how;
  entry["seconds"] = end.seconds;
  entry["conditions"] = std::move(conditions);
  entry["result"] = std::move(result);
  parts[part.key] = std::move(entry);
  write();
}

void notebook::leave_out(study_part const& part, std::string const& why) {
  json& parts = all_["parts"];
  if (parts.contains(part.key) && parts[part.key].value("ended_well", false)) return;
  json entry = entry_of(part);
  entry["ended_well"] = false;
  entry["why"] = why;
  parts[part.key] = std::move(entry);
}

// Not by write_to_file: after it a command heeds no interrupt, and a study goes on.
void notebook::write() const { runtime::write_whole_file(path_, all_.dump(1) + "\n"); }

}  // namespace skua::cli

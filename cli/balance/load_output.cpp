// SPDX-License-Identifier: MIT
#include "cli/balance/load_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/balance/brotli.hpp"
#include "cli/balance/vt_files.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

namespace fs = std::filesystem;

bool is_compressed(load_set const& read) { return read.name_end.ends_with(".br"); }

/// The tasks of all ranks, one after the other.
template <class T>
std::vector<T const*> in_a_row(std::vector<std::vector<T>> const& by_rank) {
  std::vector<T const*> all;
  for (auto const& of_rank : by_rank) {
    for (T const& one : of_rank) all.push_back(&one);
  }
  return all;
}

std::string lines_of(load_set const& read, machine_loads const& placed) {
  std::vector<load_ns const*> const tasks = in_a_row(read.loads);
  std::string const phase = read.phase ? fmt::format(",{}", *read.phase) : "";
  std::string text = read.phase ? "rank,load,phase\n" : "rank,load\n";
  for (std::size_t r = 0; r < placed.size(); ++r) {
    for (load_ns const task : placed[r])
      text += fmt::format("{},{}{}\n", r, in_unit(*tasks[static_cast<std::size_t>(task)], read.unit), phase);
  }
  return text;
}

/// In vt's order of keys.
std::string file_of_rank(load_set const& read, std::size_t rank, std::vector<load_ns> const& placed,
                         std::vector<task_entity const*> const& entities) {
  using document = nlohmann::json;
  document tasks = document::array();
  for (load_ns const task : placed) {
    document one = document::parse(entities[static_cast<std::size_t>(task)]->text);
    one["node"] = rank;
    tasks.push_back(std::move(one));
  }
  bool const has_metadata = rank < read.metadata.size() && !read.metadata[rank].empty();
  document metadata = has_metadata ? document::parse(read.metadata[rank]) : document::object();
  metadata["rank"] = rank;
  metadata["type"] = "LBDatafile";
  document const all{{"metadata", std::move(metadata)},
                     {"phases", document::array({document{{"id", *read.phase}, {"tasks", std::move(tasks)}}})},
                     {"type", "LBDatafile"}};
  return all.dump(1) + "\n";
}

[[noreturn]] void refuse_directory(std::string const& path) {
  refuse("--output", path, "a directory that is new or empty, for a file per rank");
}

/// Files in a directory that is there or that this makes; removes both again unless all are written.
class new_files {
 public:
  explicit new_files(fs::path folder) : folder_(std::move(folder)) {
    std::error_code fault;
    made_ = fs::create_directory(folder_, fault);
    if (fault) {
      throw resource_error(
          runtime::printable(fmt::format("cannot make the directory {}: {}", folder_.string(), fault.message())));
    }
  }
  ~new_files() {
    std::error_code ignored;
    if (complete_) return;
    for (fs::path const& each : written_) fs::remove(each, ignored);
    if (made_) fs::remove(folder_, ignored);
  }
  new_files(new_files const&) = delete;
  new_files& operator=(new_files const&) = delete;

  void write(std::string const& name, std::string_view text) {
    write_to_file((folder_ / name).string(), text);
    written_.push_back(folder_ / name);
  }
  void keep() noexcept { complete_ = true; }

 private:
  fs::path folder_;
  bool made_ = false;
  bool complete_ = false;
  std::vector<fs::path> written_;
};

void write_files(load_set const& read, machine_loads const& placed, std::string const& path) {
  std::vector<task_entity const*> const entities = in_a_row(read.entities);
  new_files files(path);
  for (std::size_t r = placed.size(); r-- > 0;) {
    std::string const text = file_of_rank(read, r, placed[r], entities);
    files.write(fmt::format("{}{}{}", read.name_begin, r, read.name_end),
                is_compressed(read) ? brotli_compressed(text) : text);
  }
  files.keep();
}

}  // namespace

void require_output_of(load_set const& read, std::string const& loads, std::string const& path) {
  if (read.of == load_set::form::text) {
    refuse_same_file("--output", path, "--loads", loads);
    require_writable(path);
    return;
  }
  std::error_code fault;
  if (fs::is_directory(path, fault)) {
    if (!fs::is_empty(path, fault) || fault) refuse_directory(path);
    require_writable((fs::path(path) / (read.name_begin + "0" + read.name_end)).string());
    return;
  }
  if (fs::exists(path, fault) || stands_for_vt_files(path)) refuse_directory(path);
  std::string end = path;
  while (end.size() > 1 && end.ends_with('/')) end.pop_back();
  require_writable(end);  // a name that is free for a file is free for a directory
}

void write_output(load_set const& read, machine_loads const& placed, std::string const& path) {
  if (read.of == load_set::form::text) {
    write_to_file(path, lines_of(read, placed));
  } else {
    write_files(read, placed, path);
  }
}

}  // namespace skua::cli

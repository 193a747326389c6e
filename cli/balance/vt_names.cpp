// SPDX-License-Identifier: MIT
// Which files are those of all ranks.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "cli/balance/vt_files.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view forms_of_paths = "a directory with files STEM.RANK.json, or one of them, or STEM.*.json";

[[noreturn]] void refuse_files(std::string const& path, std::string const& why) {
  throw usage_error(runtime::printable(fmt::format("{}: {}", path, why)));
}

std::optional<std::uint32_t> rank_in(std::string_view digits) {
  std::uint32_t rank = 0;
  auto const [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (fault != std::errc{} || end != digits.data() + digits.size() || rank >= most_ranks) return {};
  if (digits.size() > 1 && digits.front() == '0') return {};  // 01 would be rank 1 again
  return rank;
}

/// What stands before and after the rank; none before and after: any name that vt_name_of takes.
struct shape_of_name {
  std::optional<std::pair<std::string, std::string>> around;

  [[nodiscard]] std::optional<vt_name> match(std::string const& name) const {
    if (!around) return vt_name_of(name);
    auto const& [before, after] = *around;
    if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) return {};
    auto const rank = rank_in(std::string_view(name).substr(before.size(), name.size() - before.size() - after.size()));
    if (!rank) return {};
    return vt_name{before, *rank, after};
  }
};

std::map<std::uint32_t, std::string> matching(fs::path const& folder, shape_of_name const& shape,
                                              std::string const& path) {
  std::map<std::uint32_t, std::string> found;
  std::string before;
  std::error_code fault;
  for (fs::directory_iterator each(folder, fault), end; !fault && each != end; each.increment(fault)) {
    std::string const name = each->path().filename().string();
    auto const parts = shape.match(name);
    if (!parts) continue;
    if (!found.empty() && parts->before != before)
      refuse_files(path,
                   fmt::format("there are files of two programs, {}*.json and {}*.json; allowed: a name with one of "
                               "these beginnings",
                               before, parts->before));
    before = parts->before;
    auto const [place, is_new] = found.emplace(parts->rank, each->path().string());
    if (!is_new) refuse_files(path, fmt::format("rank {} has two files, {} and {}", parts->rank, place->second, name));
  }
  if (fault) refuse_files(path, "the directory is not readable: " + fault.message());
  return found;
}

}  // namespace

std::optional<vt_name> vt_name_of(std::string_view file_name) {
  std::string_view stem = file_name;
  for (std::string_view const end : {".br", ".json"}) {
    if (stem.ends_with(end)) {
      stem.remove_suffix(end.size());
    } else if (end == ".json") {
      return {};
    }
  }
  auto const dot = stem.rfind('.');
  if (dot == std::string_view::npos) return {};
  auto const rank = rank_in(stem.substr(dot + 1));
  if (!rank) return {};
  return vt_name{std::string(stem.substr(0, dot + 1)), *rank, std::string(file_name.substr(stem.size()))};
}

bool stands_for_vt_files(std::string const& path) {
  std::string const name = fs::path(path).filename().string();
  std::error_code fault;
  return name.ends_with(".json") || name.ends_with(".json.br") || name.find('*') != std::string::npos ||
         fs::is_directory(path, fault);
}

std::vector<std::string> vt_files_of(std::string const& path) {
  fs::path folder(path);
  shape_of_name shape;
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) {
    std::string const name = folder.filename().string();
    auto const star = name.find('*');
    if (star != std::string::npos) {
      if (name.find('*', star + 1) != std::string::npos)
        refuse_files(path, "there are two *; allowed: one, for the rank");
      shape.around = {name.substr(0, star), name.substr(star + 1)};
    } else {
      auto const parts = vt_name_of(name);
      if (!parts) refuse_files(path, fmt::format("the name has no rank; allowed: {}", forms_of_paths));
      shape.around = {parts->before, parts->after};
      if (!fs::exists(folder, fault))
        refuse_files(path, fmt::format("the file is not readable; allowed: {}", forms_of_paths));
    }
    folder = folder.parent_path().empty() ? fs::path(".") : folder.parent_path();
  }
  std::vector<std::string> all;
  for (auto& [rank, file] : matching(folder, shape, path)) {
    if (rank != all.size()) refuse_files(path, fmt::format("rank {} has no file, but rank {} has", all.size(), rank));
    all.push_back(std::move(file));
  }
  if (all.empty()) refuse_files(path, fmt::format("there is no file of a rank; allowed: {}", forms_of_paths));
  return all;
}

}  // namespace skua::cli

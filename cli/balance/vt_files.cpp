// SPDX-License-Identifier: MIT
#include "cli/balance/vt_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "cli/balance/brotli.hpp"
#include "cli/balance/vt_phases.hpp"
#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

[[noreturn]] void refuse_file(std::string const& file, std::string const& why) {
  throw usage_error(runtime::printable(fmt::format("{}: {}", file, why)));
}

std::string bytes_of_file(std::string const& file) {
  std::error_code fault;
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file, fault)) refuse_file(file, "the file is not readable");
  std::string bytes;
  for (std::vector<char> piece(1U << 16U); in;) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    bytes.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > largest_vt_file)
      refuse_file(file, fmt::format("the file is larger than {} bytes", largest_vt_file));
  }
  if (in.bad()) refuse_file(file, "the file cannot be read to its end");
  if (bytes.empty()) refuse_file(file, "the file is empty");
  return bytes;
}

/// Brotli has no mark of its own, and may begin with any byte, a brace among them.
bool begins_as_json(std::string_view bytes) {
  constexpr std::string_view blanks = " \t\r\n";
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  auto const brace = bytes.find_first_not_of(blanks);
  if (brace == std::string_view::npos || bytes[brace] != '{') return false;
  auto const next = bytes.find_first_not_of(blanks, brace + 1);
  return next == std::string_view::npos || bytes[next] == '"' || bytes[next] == '}';
}

std::string text_of_file(std::string const& file) {
  std::string bytes = bytes_of_file(file);
  bool const named = file.ends_with(".br");
  if (!named && begins_as_json(bytes)) return bytes;
  if (!named && !has_brotli())
    refuse_file(file, "the file is no JSON, and this build found no brotli library (package libbrotli-dev)");
  try {
    return brotli_decompressed(bytes, largest_vt_file, file);
  } catch (usage_error const&) {
    if (named) throw;
    refuse_file(file, "the file is neither a JSON object nor one compressed with brotli");
  }
}

/// Reads the files of all ranks into a load_set.
class vt_reader {
 public:
  explicit vt_reader(load_request const& wanted) : wanted_(wanted), phases_(wanted.phase) {
    set_.of = load_set::form::vt;
    set_.unit = load_unit::s;
  }

  void read(std::string const& file, std::uint32_t rank) {
    file_phases of{.file = file, .last = {}, .repeated = {}};
    vt_phase last;
    vt_phase_reader const reader{.wants = [&](std::uint64_t id) { return may_count(id, of); },
                                 .take = [&](vt_phase&& phase) { last = std::move(phase); },
                                 .keeps_entities = wanted_.keeps_entities};
    vt_file_facts facts = read_vt_phases(text_of_file(file), file, rank, reader);
    communicates_ = communicates_ || facts.has_communications;
    set_.metadata.push_back(std::move(facts.metadata));
    for (phase_range const& each : facts.repeated) {
      for (std::uint64_t id = each.first;; ++id) {
        static_cast<void>(phases_.see(id));
        if (id == each.last) break;
      }
    }
    of.repeated = std::move(facts.repeated);
    if (facts.phases > 0 || !of.repeated.empty()) files_.push_back(std::move(of));
    take(std::move(last), file, rank);
  }

  load_set finish(std::string const& path, std::uint32_t files) && {
    if (!phases_.chosen() && wanted_.phase) {
      std::string const seen = phases_.seen_in_words();
      refuse_file(path, fmt::format("there is no phase {}; allowed: {}", *wanted_.phase,
                                    seen.empty() ? "none, since no file has one" : seen));
    }
    if (!phases_.chosen()) refuse_file(path, "no file has a phase");
    std::uint64_t const id = phases_.chosen().value_or(0);
    require_phase(id);
    set_.loads.resize(wanted_.ranks.value_or(files));
    set_.entities.resize(set_.loads.size());
    set_.phase = id;
    set_.phase_text = phases_.in_words();
    if (communicates_) set_.notes.emplace_back("communications are ignored: balancers know loads only");
    if (elsewhere_ > 0) {
      set_.notes.push_back(
          fmt::format("{} of the tasks name another node than that of their file, which counts", elsewhere_));
    }
    if (repeats_) {
      set_.notes.push_back(fmt::format(
          "phase {} is like the last one before it that the files have: they call it identical_to_previous", id));
    }
    return std::move(set_);
  }

 private:
  /// What a file has of the phases up to the one asked for.
  struct file_phases {
    std::string file;
    std::optional<std::uint64_t> last;
    std::vector<phase_range> repeated;

    [[nodiscard]] bool repeats(std::uint64_t id) const {
      return last &&
             std::ranges::any_of(repeated, [id](phase_range const& r) { return r.first <= id && id <= r.last; });
    }
    [[nodiscard]] bool has(std::uint64_t id) const { return last == id || repeats(id); }
  };

  /// The last phase of a file counts, or the one asked for; what is not known before the end is whether the file repeats it later.
  bool may_count(std::uint64_t id, file_phases& of) {
    static_cast<void>(phases_.see(id));
    if ((wanted_.phase && id > *wanted_.phase) || (of.last && id < *of.last)) return false;
    of.last = id;
    return true;
  }

  void require_phase(std::uint64_t id) {
    auto const lacks = std::ranges::find_if(files_, [id](file_phases const& of) { return !of.has(id); });
    auto const has = std::ranges::find_if(files_, [id](file_phases const& of) { return of.has(id); });
    if (has == files_.end())
      refuse_file(lacks->file, fmt::format("phase {} is identical to the previous one, of which there is none", id));
    if (lacks != files_.end())
      refuse_file(lacks->file, fmt::format("there is no phase {}, which {} has", id, has->file));
    repeats_ = std::ranges::any_of(files_, [id](file_phases const& of) { return of.last != id; });
  }

  void take(vt_phase&& phase, std::string const& file, std::uint32_t rank) {
    elsewhere_ += phase.elsewhere;
    if (set_.entities.size() <= rank) set_.entities.resize(std::size_t{rank} + 1);
    for (vt_task& each : phase.tasks) {
      set_.add(rank, each.load, file);
      set_.entities[rank].push_back(std::move(each.entity));
    }
  }

  load_request const& wanted_;
  phase_choice phases_;
  load_set set_;
  std::vector<file_phases> files_;  ///< those that have a phase
  bool communicates_ = false;
  bool repeats_ = false;  ///< files do not have the phase that counts, but one like it
  std::uint64_t elsewhere_ = 0;
};

}  // namespace

load_set read_vt_files(std::string const& path, load_request const& wanted) {
  std::vector<std::string> const files = vt_files_of(path);
  if (wanted.ranks && *wanted.ranks < files.size()) {
    refuse("--ranks", std::to_string(*wanted.ranks), fmt::format("at least {}, the number of files", files.size()));
  }
  vt_reader reader(wanted);
  for (std::uint32_t r = 0; r < files.size(); ++r) reader.read(files[r], r);
  load_set read = std::move(reader).finish(path, static_cast<std::uint32_t>(files.size()));
  std::string const first = std::filesystem::path(files.front()).filename().string();
  vt_name const name = vt_name_of(first).value_or(vt_name{"data.", 0, ".json"});
  read.name_begin = name.before;
  read.name_end = name.after;
  return read;
}

}  // namespace skua::cli

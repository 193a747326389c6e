// SPDX-License-Identifier: MIT
#include "cli/balance/vt_files.hpp"

#include <fmt/format.h>

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
    bool has_it = false;
    vt_phase_reader const reader{.wants = [this, &has_it](std::uint64_t id) { return counts(id, has_it); },
                                 .take = [&](vt_phase&& phase) { take(std::move(phase), file, rank); },
                                 .keeps_entities = wanted_.keeps_entities};
    vt_file_facts const facts = read_vt_phases(text_of_file(file), file, rank, reader);
    communicates_ = communicates_ || facts.has_communications;
    if (facts.phases != 0 && !has_it) lacks_.push_back(file);
    if (has_it) has_.push_back(file);
  }

  load_set finish(std::string const& path, std::uint32_t files) && {
    if (!phases_.chosen() && wanted_.phase) {
      std::string const seen = phases_.seen_in_words();
      refuse_file(path, fmt::format("there is no phase {}; allowed: {}", *wanted_.phase,
                                    seen.empty() ? "none, since no file has one" : seen));
    }
    if (!phases_.chosen()) refuse_file(path, "no file has a phase");
    if (!lacks_.empty())
      refuse_file(lacks_.front(), fmt::format("there is no phase {}, which {} has", *phases_.chosen(), has_.front()));
    set_.loads.resize(wanted_.ranks.value_or(files));
    set_.entities.resize(set_.loads.size());
    set_.phase = phases_.chosen();
    set_.phase_text = phases_.in_words();
    if (communicates_) set_.notes.emplace_back("communications are ignored: balancers know loads only");
    if (elsewhere_ > 0) {
      set_.notes.push_back(
          fmt::format("{} of the tasks name another node than that of their file, which counts", elsewhere_));
    }
    return std::move(set_);
  }

 private:
  bool counts(std::uint64_t id, bool& has_it) {
    phase_choice::answer const now = phases_.see(id);
    if (now == phase_choice::answer::start_over) {
      set_.clear_tasks();
      elsewhere_ = 0;
      lacks_.insert(lacks_.end(), has_.begin(), has_.end());
      has_.clear();
    }
    if (now != phase_choice::answer::skip) has_it = true;
    return now != phase_choice::answer::skip;
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
  std::vector<std::string> has_;    ///< files with the phase that is chosen now
  std::vector<std::string> lacks_;  ///< files with other phases only
  bool communicates_ = false;
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
  return std::move(reader).finish(path, static_cast<std::uint32_t>(files.size()));
}

}  // namespace skua::cli

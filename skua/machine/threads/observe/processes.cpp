// SPDX-License-Identifier: MIT
#include "skua/machine/threads/observe/processes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{1} << 20;

std::string folder_of(int process) { return "/proc/" + std::to_string(process); }

std::optional<int> number_in(std::string const& text) {
  int n = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault != std::errc{} || end != text.data() + text.size()) return {};
  return n;
}

/// When the process began, in the kernel's ticks; nothing if it has ended.
std::optional<std::uint64_t> begin_of(int process) {
  file_text const stat = read_file(folder_of(process) + "/stat", most_bytes);
  // The short name, in parentheses, may contain anything. Behind it: the state, and as the 20th word from there the start time.
  std::size_t const name_ends = stat.text.rfind(')');
  if (stat.wrong || name_ends == std::string::npos) return {};
  std::istringstream words(stat.text.substr(name_ends + 1));
  std::string word;
  words >> word;
  if (word == "Z" || word == "X") return {};
  for (int i = 0; i < 19; ++i) words >> word;
  std::uint64_t began = 0;
  auto const [end, fault] = std::from_chars(word.data(), word.data() + word.size(), began);
  if (!words || fault != std::errc{}) return {};
  return began;
}

/// The process's number as it sees it itself, which differs in a container: the last of its numbers.
std::uint32_t own_number_of(int process) {
  file_text const status = read_file(folder_of(process) + "/status", most_bytes);
  std::size_t const line = status.text.find("\nNSpid:");
  if (status.wrong || line == std::string::npos) return static_cast<std::uint32_t>(process);
  std::istringstream numbers(status.text.substr(line + 7, status.text.find('\n', line + 1) - line - 7));
  std::uint32_t last = 0;
  while (numbers >> last) {}
  return last;
}

/// The open files of a process that are memories of pools; a path each. `wrong`: why they cannot be listed.
std::vector<std::string> files_of(int process, std::error_code& wrong) {
  std::vector<std::string> found;
  std::string name = "/memfd:";
  name.append(shared_pool_name).append(" (deleted)");  // `+` makes GCC 12 see copies out of bounds
  for (fs::directory_iterator at(folder_of(process) + "/fd", wrong), end; !wrong && at != end; at.increment(wrong)) {
    std::error_code closed;  // meanwhile
    if (fs::read_symlink(at->path(), closed) == name && !closed) found.push_back(at->path());
  }
  return found;
}

class open_file {
 public:
  explicit open_file(std::string const& path) noexcept : number_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~open_file() {
    if (number_ >= 0) ::close(number_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int const number_;
};

}  // namespace

process_identity find_process(int number) {
  std::string const name = "process " + std::to_string(number);
  struct stat about{};
  std::optional<std::uint64_t> const began = begin_of(number);
  if (::stat(folder_of(number).c_str(), &about) != 0 || !began) throw error("there is no " + name);
  if (about.st_uid != ::geteuid()) {
    throw error(name + " belongs to user " + std::to_string(about.st_uid) +
                "; only its user can observe it, and you are user " + std::to_string(::geteuid()));
  }
  std::error_code wrong;
  static_cast<void>(files_of(number, wrong));
  if (wrong) throw error(name + " cannot be observed: " + wrong.message());
  return {number, *began};
}

bool is_running(process_identity const& p) { return begin_of(p.number) == p.began; }

std::string command_of(process_identity const& p) {
  std::string text = read_file(folder_of(p.number) + "/cmdline", most_bytes).text;
  while (!text.empty() && text.back() == '\0') text.pop_back();
  if (text.empty()) text = read_file(folder_of(p.number) + "/comm", most_bytes).text;
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, ' ');
  return text;
}

std::vector<std::shared_ptr<attached_pool>> pools_of(process_identity const& p,
                                                     std::vector<std::shared_ptr<attached_pool>> const& known) {
  std::vector<std::shared_ptr<attached_pool>> pools;
  std::error_code wrong;
  std::vector<std::string> const paths = files_of(p.number, wrong);
  std::uint32_t const own_number = paths.empty() ? 0 : own_number_of(p.number);
  for (std::string const& path : paths) {
    open_file const file(path);
    if (file.number() < 0) continue;  // the pool has ended meanwhile
    auto const same = std::ranges::find_if(known, [&](auto const& k) { return k->is_of(file.number()); });
    auto pool = same != known.end() ? *same : std::make_shared<attached_pool>(file.number());
    // Others belong to a parent that had them open when it made this process.
    if (pool->process() == own_number) pools.push_back(std::move(pool));
  }
  std::ranges::sort(pools, {}, [](auto const& pool) { return pool->opened_ns(); });
  return pools;
}

std::vector<process_identity> processes_with_pools() {
  std::vector<process_identity> found;
  std::error_code wrong;
  for (fs::directory_iterator at("/proc", wrong), end; !wrong && at != end; at.increment(wrong)) {
    std::optional<int> const number = number_in(at->path().filename());
    struct stat about{};
    if (!number || ::stat(at->path().c_str(), &about) != 0 || about.st_uid != ::geteuid()) continue;
    std::error_code refused;
    std::optional<std::uint64_t> const began = begin_of(*number);
    if (began && !files_of(*number, refused).empty()) found.push_back({*number, *began});
  }
  std::ranges::sort(found, {}, &process_identity::number);
  return found;
}

}}}  // namespace skua::v0::runtime

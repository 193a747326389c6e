// SPDX-License-Identifier: MIT
#include "tests/readers/reader_runs.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "tests/readers/mutation.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

/// In memory that parent and child share.
struct progress {
  std::atomic<std::uint64_t> number;  ///< of the case that runs
  reader_counts counts;
  char why[1'024];  ///< empty: nothing has failed
};

std::string compressed(std::string const& bytes) {
  z_stream s{};
  if (deflateInit2(&s, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&s, bytes.size()) + 32, '\0');
  std::string in = bytes;
  s.next_in = reinterpret_cast<Bytef*>(in.data());
  s.avail_in = static_cast<uInt>(in.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  deflate(&s, Z_FINISH);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

bool is_original(std::uint64_t number) { return number % 10 == 0; }

/// Several cases share an original: some take milliseconds to make.
std::string const& original_of(reader const& of, std::uint64_t seed, std::uint64_t number) {
  static std::string bytes;
  static reader const* whose = nullptr;
  static std::uint64_t key = 0;
  std::uint64_t const wanted = runtime::dice{seed ^ (number / 20 * 0x9e37'79b9)}.next();
  if (whose != &of || key != wanted) {
    runtime::dice d{wanted};
    bytes = of.original(d);
    whose = &of;
    key = wanted;
  }
  return bytes;
}

/// Throws if a terminal would obey it, or if it says nothing.
void require_readable(std::string_view said) {
  bool const good = !said.empty() && std::all_of(said.begin(), said.end(), [](char c) {
    auto const b = static_cast<unsigned char>(c);
    return c == '\n' || (b >= 0x20 && b != 0x7f);
  });
  if (!good) throw broken_promise("a message with bytes that a terminal obeys, or an empty one");
}

/// Of the process so far.
std::uint64_t address_space() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t pages = 0;
  in >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// A sanitizer's shadow takes all of the address space: what it watches has no limit here.
void limit_memory(reader_limits const& most) {
  constexpr bool has_shadow = runtime::under_asan || runtime::under_tsan;
  rlimit const all{.rlim_cur = address_space() + most.memory_bytes, .rlim_max = RLIM_INFINITY};
  if (!has_shadow) setrlimit(RLIMIT_AS, &all);
  rlimit const none{};
  setrlimit(RLIMIT_CORE, &none);
}

/// Processor time: that of a busy machine does not count. Wall time ends what blocks.
void limit_time(reader_limits const& most) {
  auto const s = static_cast<time_t>(most.processor_s);
  itimerval const left{
      .it_interval = {},
      .it_value = {s, static_cast<suseconds_t>((most.processor_s - static_cast<double>(s)) * 1e6) + 1}};
  setitimer(ITIMER_PROF, &left, nullptr);
  alarm(static_cast<unsigned>(most.processor_s * 30) + 1);
}

void run_case(reader const& of, std::string const& path, bool original, progress& p) {
  try {
    of.read(path);
    ++(original ? p.counts.originals : p.counts.read);
  } catch (usage_error const& refused) {
    require_readable(refused.what());
    if (original) throw broken_promise(std::string("an original is refused: ") + refused.what());
    ++p.counts.refused;
  } catch (resource_error const& refused) {
    require_readable(refused.what());
    if (original) throw broken_promise(std::string("an original is refused: ") + refused.what());
    ++p.counts.refused;
  }
}

void write(std::string const& path, std::string const& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
  if (!out.flush()) throw std::system_error(errno, std::generic_category(), path);
}

/// The child. 0: all is right; 1: p.why says what is not.
int run_all(reader const& of, std::uint64_t seed, std::uint64_t first, std::uint64_t end, std::string const& path,
            progress& p, reader_limits const& most) {
  limit_memory(most);
  try {
    for (std::uint64_t i = first; i < end; ++i) {
      p.number = i;
      write(path, file_of_case(of, seed, i));
      limit_time(most);
      run_case(of, path, is_original(i), p);
    }
    return 0;
  } catch (std::bad_alloc const&) {
    std::strncpy(p.why, "std::bad_alloc: it wants more memory than it may, or does not say so", sizeof p.why - 1);
  } catch (std::exception const& e) {
    std::strncpy(p.why, e.what(), sizeof p.why - 1);
  } catch (...) {
    std::strncpy(p.why, "an exception of no known type", sizeof p.why - 1);
  }
  return 1;
}

std::string in_words(int status, progress const& p, reader_limits const& most) {
  if (WIFEXITED(status))
    return p.why[0] != 0 ? p.why : "it ended the process with " + std::to_string(WEXITSTATUS(status));
  int const signal = WTERMSIG(status);
  if (signal == SIGPROF) return "more than " + std::to_string(most.processor_s) + " s of processor time";
  if (signal == SIGALRM) return "it waits for ever";
  return std::string("signal ") + std::to_string(signal) + " (" + sigdescr_np(signal) + ")";
}

}  // namespace

std::string file_of_case(reader const& of, std::uint64_t seed, std::uint64_t number) {
  std::string bytes = original_of(of, seed, number);
  runtime::dice d{runtime::dice{seed + 1}.next() ^ number};
  bool const packed = of.may_compress && d.below(4) == 0;
  std::uint32_t const times = is_original(number) ? 0 : d.below(2) == 0 ? 1 : 1 + d.below(8);
  for (std::uint32_t i = 0; i < times; ++i) mutate(d, bytes);
  if (!packed) return bytes;
  bytes = compressed(bytes);
  if (times > 0 && d.below(2) == 0) mutate(d, bytes);
  return bytes;
}

std::optional<reader_failure> run_cases(reader const& of, std::uint64_t seed, std::uint64_t first, std::uint64_t end,
                                        std::string const& folder, reader_counts& counts, reader_limits const& most) {
  void* const shared = mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  auto& p = *new (shared) progress{};
  std::string const path = folder + "/" + std::string(of.file);
  pid_t const child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) _exit(run_all(of, seed, first, end, path, p, most));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  counts.originals += p.counts.originals;
  counts.read += p.counts.read;
  counts.refused += p.counts.refused;
  std::optional<reader_failure> failed;
  if (status != 0) failed = {p.number, in_words(status, p, most), path};
  munmap(shared, sizeof(progress));
  return failed;
}

}}}  // namespace skua::v0::testing

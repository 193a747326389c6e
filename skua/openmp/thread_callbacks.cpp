// SPDX-License-Identifier: MIT
// libskua-callbacks.so: OpenBLAS's and FFTW's threads of POSIX are replaced by OpenMP's, which libgomp-skua serves. Both have a function for that, by which a program
// says how their jobs are to be run. [OpenBLAS: openblas_set_threads_callback_function; FFTW 3.3: fftw_threads_set_callback]
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

extern "C" {
void GOMP_parallel(void (*code)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_active_level();

/// Gives our callbacks to all copies of OpenBLAS and FFTW that are loaded and do not have them yet; returns how many those are. Cost: a call of dl_iterate_phdr
/// if nothing was loaded since the last time.
[[gnu::visibility("default")]] int skua_attach_callbacks();
}

namespace {

// --- OpenBLAS -----------------------------------------------------------------------------------------------------------

struct blas_jobs {
  void (*run)(int number, void* job, int data);
  int count;
  std::size_t bytes_each;
  char* first;
  int data;
  void operator()(int number) const { run(number, first + bytes_each * static_cast<std::size_t>(number), data); }
};

/// Jobs with the same number share a buffer, whoever calls. So the calls of all threads come one after the other. A fork does not wait for the one that is in
/// progress, which may wait for a lock that the fork holds: the child's mutex is made anew.
constinit std::mutex one_call_at_a_time;

void run_on_own_threads(blas_jobs const& jobs) {
  std::vector<std::thread> others;
  for (int j = 1; j < jobs.count; ++j) others.emplace_back([&jobs, j] { jobs(j); });
  jobs(0);
  for (std::thread& t : others) t.join();
}

/// The jobs wait for each other by spinning: each needs a thread. A team may have fewer than were asked for.
void run_as_member(void* data) {
  auto const& jobs = *static_cast<blas_jobs const*>(data);
  int const me = omp_get_thread_num();
  if (omp_get_num_threads() == jobs.count)
    jobs(me);
  else if (me == 0)
    run_on_own_threads(jobs);
}

void run_blas_jobs(int, void (*run)(int, void*, int), int count, std::size_t bytes_each, void* first, int data) {
  blas_jobs jobs{run, count, bytes_each, static_cast<char*>(first), data};
  std::lock_guard const hold(one_call_at_a_time);
  // A nested team is one of fibers, and would park while we hold the lock.
  if (count == 1)
    jobs(0);
  else if (omp_get_active_level() > 0)
    run_on_own_threads(jobs);
  else
    GOMP_parallel(&run_as_member, &jobs, static_cast<unsigned>(count), 0);
}

// --- FFTW ---------------------------------------------------------------------------------------------------------------

struct fft_jobs {
  void* (*run)(char*);
  char* first;
  std::size_t bytes_each;
  int count;
};

void run_share_of_fft(void* data) {
  auto const& jobs = *static_cast<fft_jobs const*>(data);
  for (int j = omp_get_thread_num(); j < jobs.count; j += omp_get_num_threads())
    jobs.run(jobs.first + jobs.bytes_each * static_cast<std::size_t>(j));
}

void run_fft_jobs(void* (*run)(char*), char* first, std::size_t bytes_each, int count, void*) {
  fft_jobs jobs{run, first, bytes_each, count};
  GOMP_parallel(&run_share_of_fft, &jobs, static_cast<unsigned>(count), 0);
}

// --- who is loaded --------------------------------------------------------------------------------------------------------

using set_blas = void (*)(decltype(&run_blas_jobs));
using set_fft = void (*)(decltype(&run_fft_jobs), void*);
using get_parallel = int (*)();

constexpr int on_posix_threads = 1;

/// Builds for Python's wheels rename everything, in several ways.
bool attach_to_blas(void* library) {
  for (std::string const prefix : {"", "scipy_"}) {
    for (std::string const suffix : {"", "64_", "_64", "_"}) {
      void* const set = ::dlsym(library, (prefix + "openblas_set_threads_callback_function" + suffix).c_str());
      if (set == nullptr) continue;
      for (std::string const& asked : {prefix, std::string("scipy_")}) {
        void* const get = ::dlsym(library, (asked + "openblas_get_parallel" + suffix).c_str());
        if (get != nullptr && reinterpret_cast<get_parallel>(get)() != on_posix_threads) return false;
      }
      reinterpret_cast<set_blas>(set)(&run_blas_jobs);
      return true;
    }
  }
  return false;
}

bool attach_to_fft(void* library) {
  bool is_attached = false;
  for (char const* const name :
       {"fftw_threads_set_callback", "fftwf_threads_set_callback", "fftwl_threads_set_callback"}) {
    if (void* const set = ::dlsym(library, name)) {
      reinterpret_cast<set_fft>(set)(&run_fft_jobs, nullptr);
      is_attached = true;
    }
  }
  return is_attached;
}

struct loaded {
  unsigned long long additions = 0;
  std::vector<std::string> names;
};

int note_loaded(dl_phdr_info* info, std::size_t, void* into) {
  auto& all = *static_cast<loaded*>(into);
  if (info->dlpi_adds == all.additions) return 1;
  std::string const path = info->dlpi_name;
  std::string const name = path.substr(path.rfind('/') + 1);
  if (name.find("blas") != std::string::npos || name.find("fftw") != std::string::npos) all.names.push_back(path);
  return 0;
}

/// The libraries that have our callbacks.
struct attached {
  std::mutex one_at_a_time{};
  unsigned long long seen = 0;
  std::unordered_set<std::string> known{};
};
attached& the_attached() {
  static auto* const all = new attached;  // never destroyed: as above
  return *all;
}

/// From the beginning: a child would wait for ever for a thread that was registering them at the fork.
[[gnu::constructor]] void register_fork_handlers() {
  ::pthread_atfork([] { static_cast<void>(the_attached()); }, nullptr,
                   [] {
                     ::new (&one_call_at_a_time) std::mutex;
                     ::new (&the_attached()) attached;
                   });
}

}  // namespace

int skua_attach_callbacks() {
  auto& [one_at_a_time, seen, known] = the_attached();
  std::lock_guard const hold(one_at_a_time);
  loaded now{seen, {}};
  ::dl_iterate_phdr(&note_loaded, &now);
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = info->dlpi_adds;
        return 1;
      },
      &seen);
  int count = 0;
  for (std::string const& name : now.names) {
    if (!known.insert(name).second) continue;
    void* const library = ::dlopen(name.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) continue;
    bool const has_blas = attach_to_blas(library);
    bool const has_fft = attach_to_fft(library);
    if (has_blas || has_fft) ++count;
    ::dlclose(library);
  }
  return count;
}

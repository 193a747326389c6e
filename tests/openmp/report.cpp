// SPDX-License-Identifier: MIT
// Prints what an OpenMP library answers about itself, for same_answers_test.py: one subject per run.
#include <omp.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace {

void print_place(char const* what) {
  std::vector<int> partition(static_cast<std::size_t>(omp_get_partition_num_places()));
  omp_get_partition_place_nums(partition.data());
  std::string text = std::string(what) + ": level " + std::to_string(omp_get_level()) + " thread " +
                     std::to_string(omp_get_thread_num()) + " of " + std::to_string(omp_get_num_threads()) + " place " +
                     std::to_string(omp_get_place_num()) + " bind " + std::to_string(omp_get_proc_bind()) +
                     " partition";
  for (int const p : partition) text += ' ' + std::to_string(p);
  std::array<char, 200> mask{};
  omp_capture_affinity(mask.data(), mask.size(), "%A");
  text += std::string(" processors ") + mask.data() + '\n';
#pragma omp critical
  std::fputs(text.c_str(), stdout);
}

void places() {
  std::printf("%d places\n", omp_get_num_places());
  for (int p = -1; p <= omp_get_num_places(); ++p) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(p)));
    omp_get_place_proc_ids(p, ids.data());
    std::printf("place %d:", p);
    for (int const id : ids) std::printf(" %d", id);
    std::puts("");
  }
  print_place("main");
  for (int n = 1; n <= 5;
       ++n) {  // with more, libgomp places the threads of a team that it uses again otherwise than those of a new one
#pragma omp parallel num_threads(n)
    print_place("default");
#pragma omp parallel num_threads(n) proc_bind(close)
    print_place("close");
#pragma omp parallel num_threads(n) proc_bind(spread)
    print_place("spread");
#pragma omp parallel num_threads(n) proc_bind(primary)
    print_place("primary");
#pragma omp parallel for num_threads(n) schedule(static) proc_bind(spread)
    for (int i = 0; i < n; ++i) print_place("loop");
  }
  print_place("end");
}

/// Teams inside of teams: each member says where it is.
void nested_places() {
  omp_set_max_active_levels(3);
  auto const inner = [](int n) {
#pragma omp parallel num_threads(n)
    print_place("default");
#pragma omp parallel num_threads(n) proc_bind(close)
    print_place("close");
#pragma omp parallel num_threads(n) proc_bind(spread)
    {
      print_place("spread");
#pragma omp parallel num_threads(2) proc_bind(close)
      print_place("close in it");
    }
#pragma omp parallel num_threads(n) proc_bind(primary)
    print_place("primary");
  };
  for (int n = 1; n <= 4; ++n) {
#pragma omp parallel num_threads(2) proc_bind(spread)
    {
      inner(n);
      print_place("behind it");
    }
#pragma omp parallel num_threads(2) proc_bind(close)
    inner(n);
  }
  print_place("end");
}

void capture(char const* format) {
  std::array<char, 300> text{};
  std::size_t const length = omp_capture_affinity(text.data(), text.size(), format);
  std::printf("[%s] %zu [%s]\n", format, length, text.data());
}

void formats() {
  for (char const* format :
       {"%n", "%5n|", "%.5n|", "%0.5n|", "%{thread_num}", "%0.4{nesting_level}|%a|%{ancestor_tnum}|%N|%t|%T",
        "%A|%10A|%.10A|%0.10A|", "%H|%0.30H|", "%0.3a|%2a|", "%%", "%{num_threads}", "%{thread_affinity}|%{host}", "x"})
    capture(format);
  std::array<char, 8> small{};
  small.fill('x');
  std::printf("%zu [%s]\n", omp_capture_affinity(small.data(), 5, "0123456789"), small.data());
  std::printf("%zu\n", omp_capture_affinity(nullptr, 0, "0123456789"));
  omp_set_affinity_format("hello %n");
  std::printf("%zu [%s]\n", omp_get_affinity_format(small.data(), 6), small.data());
  omp_display_affinity(nullptr);
  omp_display_affinity("own %n");
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    omp_display_affinity("%L %n %N %a %A");
  }
}

/// One line per thread and region with another team, if OMP_DISPLAY_AFFINITY says so.
void regions() {
  for (int const n : {2, 2, 1, 2, 3, 2}) {
    std::fflush(stdout);
#pragma omp parallel num_threads(n)
    {}
  }
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {}
}

void environment() {
  omp_display_env(0);
  omp_display_env(1);
}

omp_allocator_handle_t made(std::vector<omp_alloctrait_t> const& traits) {
  return omp_init_allocator(omp_default_mem_space, static_cast<int>(traits.size()), traits.data());
}

void traits() {
  for (int key = 0; key <= 10; ++key) {
    for (long value = -1; value <= 20; ++value) {
      auto const k = static_cast<omp_alloctrait_key_t>(key);
      std::printf("trait %d = %ld: %d\n", key, value,
                  made({{k, static_cast<omp_uintptr_t>(value)}}) != omp_null_allocator);
    }
  }
}

void pools() {
  for (omp_uintptr_t const align : {8u, 64u, 4096u}) {
    omp_allocator_handle_t const a =
        made({{omp_atk_alignment, align}, {omp_atk_pool_size, 16384}, {omp_atk_fallback, omp_atv_null_fb}});
    std::size_t most = 0;
    for (std::size_t s = 1; s < 20000; ++s) {
      void* const p = omp_alloc(s, a);
      if (p == nullptr) break;
      if (reinterpret_cast<std::uintptr_t>(p) % align != 0) std::puts("not aligned");
      omp_free(p, a);
      most = s;
    }
    void* const one = omp_alloc(5000, a);
    void* const two = omp_alloc(5000, a);
    void* const three = omp_alloc(5000, a);
    std::printf("aligned to %zu: at most %zu; %d %d %d\n", static_cast<std::size_t>(align), most, one != nullptr,
                two != nullptr, three != nullptr);
    omp_free(one, a);
    omp_free(two, a);
    omp_free(three, a);
    omp_destroy_allocator(a);
  }
  omp_allocator_handle_t const small = made({{omp_atk_pool_size, 64}});
  omp_allocator_handle_t const none = made({{omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_null_fb}});
  omp_allocator_handle_t const other =
      made({{omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, none}});
  for (omp_allocator_handle_t const a :
       {small, none, other, omp_default_mem_alloc, omp_thread_mem_alloc, omp_null_allocator}) {
    void* p = omp_alloc(1000, a);
    std::printf("alloc %d", p != nullptr);
    p = omp_realloc(p, 2000, a, a);
    std::printf(" realloc %d", p != nullptr);
    omp_free(p, a);
    p = omp_calloc(10, 2, a);
    std::printf(" calloc %d %d\n", p != nullptr, p != nullptr && static_cast<char*>(p)[19] == 0);
    omp_free(p, a);
  }
  std::printf("nothing %d %d %d\n", omp_alloc(0, small) != nullptr, omp_calloc(0, 8, small) != nullptr,
              omp_realloc(omp_alloc(9, small), 0, small, small) != nullptr);
  std::size_t volatile huge = ~std::size_t{0};
  std::printf("too much %d %d\n", omp_alloc(huge, omp_default_mem_alloc) != nullptr,
              omp_calloc(huge, 16, omp_default_mem_alloc) != nullptr);
}

void defaults() {
  std::printf("default %d\n", static_cast<int>(omp_get_default_allocator()));
  omp_set_default_allocator(omp_cgroup_mem_alloc);
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    std::printf("in a region %d\n", static_cast<int>(omp_get_default_allocator()));
    omp_set_default_allocator(omp_pteam_mem_alloc);
  }
  std::printf("afterwards %d\n", static_cast<int>(omp_get_default_allocator()));
  omp_set_default_allocator(omp_null_allocator);
  std::printf("default %d\n", static_cast<int>(omp_get_default_allocator()));
  std::fflush(stdout);
  omp_allocator_handle_t const a = made({{omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_abort_fb}});
  std::printf("%d\n", omp_alloc(1000, a) != nullptr);
}

void warning() {
  char const* const text = "a text";
#pragma omp error at(execution) severity(warning) message(text)
#pragma omp error at(execution) severity(warning)
}
void failure() {
#pragma omp error at(execution) severity(fatal) message("the end")
}
void failure_without_text() {
#pragma omp error at(execution) severity(fatal)
}
void target() {
  int x = 1;
#pragma omp target map(tofrom : x)
  ++x;
  std::printf("%d\n", x);
}

struct subject {
  char const* name;
  void (*print)();
};
constexpr std::array subjects{subject{"places", places},
                              subject{"nested_places", nested_places},
                              subject{"formats", formats},
                              subject{"regions", regions},
                              subject{"environment", environment},
                              subject{"traits", traits},
                              subject{"pools", pools},
                              subject{"defaults", defaults},
                              subject{"warning", warning},
                              subject{"failure", failure},
                              subject{"failure_without_text", failure_without_text},
                              subject{"target", target}};

}  // namespace

int main(int count, char** arguments) {
  std::span const given(arguments, static_cast<std::size_t>(count));
  if (given.size() != 2) return 2;
  for (subject const& s : subjects) {
    if (std::strcmp(s.name, given[1]) != 0) continue;
    s.print();
    return 0;
  }
  return 2;
}

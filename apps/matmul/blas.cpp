// SPDX-License-Identifier: MIT
#include "apps/matmul/blas.hpp"

#include <dlfcn.h>

namespace skua::apps::matmul {
namespace {

// The C interface of the BLAS, as far as this file uses it; the numbers are part of its ABI.
constexpr int row_major = 101;
constexpr int not_transposed = 111;
using sgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, float const* a,
                   int a_stride, float const* b, int b_stride, float beta, float* c, int c_stride);
using set_threads = void(int count);

template <class Function>
Function* symbol(void* library, char const* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

void open_blas::unload::operator()(void* library) const noexcept { dlclose(library); }

std::optional<open_blas> open_blas::find() {
  open_blas found(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL));
  if (found.library_ == nullptr || symbol<sgemm>(found.library_.get(), "cblas_sgemm") == nullptr) return std::nullopt;
  if (auto* const set = symbol<set_threads>(found.library_.get(), "openblas_set_num_threads")) set(1);
  return found;
}

void open_blas::multiply(padded const& a, padded const& b, padded& c) const {
  auto const size = [](std::size_t n) { return static_cast<int>(n); };
  symbol<sgemm>(library_.get(), "cblas_sgemm")(row_major, not_transposed, not_transposed, size(c.rows()),
                                               size(c.columns()), size(a.columns()), 1.0F, a.row(0), size(a.stride()),
                                               b.row(0), size(b.stride()), 0.0F, c.row(0), size(c.stride()));
}

}  // namespace skua::apps::matmul

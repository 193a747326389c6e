// SPDX-License-Identifier: MIT
// OpenBLAS on one thread. It is found at run time, so that builds need none, and loaded on demand and unloaded afterwards:
// if it were linked in, it would start its threads in every process that contains an app, whatever that process does.
#pragma once

#include <memory>
#include <string_view>

namespace skua::apps {

class openblas {
 public:
  openblas();

  /// Null: libopenblas.so.0 is not installed, or lacks the function.
  template <class Function>
  [[nodiscard]] Function* find(char const* name) const noexcept {
    return reinterpret_cast<Function*>(address_of(name));
  }
  /// Throws usage_error in the name of the app where find() finds nothing.
  template <class Function>
  [[nodiscard]] Function* require(std::string_view app, char const* name) const {
    auto* const found = find<Function>(name);
    if (found == nullptr) refuse(app);
    return found;
  }

 private:
  [[nodiscard]] void* address_of(char const* name) const noexcept;
  [[noreturn]] static void refuse(std::string_view app);

  std::shared_ptr<void> library_;
};

/// The C interface of the BLAS, as far as apps use it; the numbers are part of its ABI.
namespace cblas {
inline constexpr int row_major = 101;
inline constexpr int by_columns = 102;
inline constexpr int plain = 111;
inline constexpr int transposed = 112;
inline constexpr int lower = 122;
inline constexpr int any_diagonal = 131;
inline constexpr int from_right = 142;
template <class Float>
using gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, Float alpha, Float const* a,
                  int lda, Float const* b, int ldb, Float beta, Float* c, int ldc);
}  // namespace cblas

}  // namespace skua::apps

// SPDX-License-Identifier: MIT
// OpenBLAS, as the independent judge of a product.
#pragma once

#include <optional>

#include "apps/openblas.hpp"
#include "apps/padded.hpp"

namespace skua::apps::matmul {

class open_blas {
 public:
  /// Nothing if the library (libopenblas.so.0) is not installed.
  static std::optional<open_blas> find();

  /// c = a * b on the calling thread.
  void multiply(padded const& a, padded const& b, padded& c) const;

 private:
  openblas library_;
  cblas::gemm<float>* call_ = library_.find<cblas::gemm<float>>("cblas_sgemm");
};

}  // namespace skua::apps::matmul

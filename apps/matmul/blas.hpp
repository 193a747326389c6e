// SPDX-License-Identifier: MIT
// OpenBLAS, as the independent judge of a product. Loaded on demand and unloaded afterwards: if it were linked in, it
// would start its threads in every process that contains this app, whatever that process does.
#pragma once

#include <memory>
#include <optional>

#include "apps/padded.hpp"

namespace skua::apps::matmul {

class open_blas {
 public:
  /// Nothing if the library (libopenblas.so.0) is not installed.
  static std::optional<open_blas> find();

  /// c = a * b on the calling thread.
  void multiply(padded const& a, padded const& b, padded& c) const;

 private:
  struct unload {
    void operator()(void* library) const noexcept;
  };
  explicit open_blas(void* library) noexcept : library_(library) {}

  std::unique_ptr<void, unload> library_;
};

}  // namespace skua::apps::matmul

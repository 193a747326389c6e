// SPDX-License-Identifier: MIT
// What MPI returned, as an exception.
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Throws resource_error "MPI: WHAT: why".
inline void check_mpi(int result, char const* what) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  throw resource_error(std::string("MPI: ") + what + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

/// True if all of them are complete. Frees the complete ones.
inline bool all_complete(std::vector<MPI_Request>& requests) {
  int done = 0;
  check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "test");
  return done != 0;
}

}}}  // namespace skua::v0::ranks

// SPDX-License-Identifier: MIT
// Entry points: the directive error, at run time. [OpenMP 5.1, 2.5.4]
#include <cstddef>
#include <string>

#include "skua/openmp/last_words.hpp"

namespace omp = skua::openmp;

namespace {

/// `length`: of a Fortran text; all ones for C's, which ends with a zero.
std::string message_of(char const* text, std::size_t length) {
  std::string all = "error directive encountered";
  if (text == nullptr) return all;
  all += ": ";
  return length == ~std::size_t{0} ? all.append(text) : all.append(text, length);
}

}  // namespace

extern "C" {

void GOMP_warning(char const* text, std::size_t length) { omp::say_as_libgomp(message_of(text, length)); }
void GOMP_error(char const* text, std::size_t length) {
  omp::end_as_libgomp("fatal error: " + message_of(text, length));
}

}  // extern "C"

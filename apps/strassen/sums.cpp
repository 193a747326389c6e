// SPDX-License-Identifier: MIT
// The body of sum<Arch> (sums.hpp), compiled once per vector width.
#include <cstddef>

#include "apps/simd/arches.hpp"
#include "apps/strassen/sums.hpp"

namespace skua::apps::strassen {

template <class Arch>
void sum(pass which, std::size_t count, float const* const* in, float* const* out) noexcept {
  using vector [[gnu::vector_size(Arch::lanes * sizeof(float))]] = float;
  // Elements are aligned as floats are. GCC 12 drops the attribute that says so of a type that depends on the template.
  auto const from = [](float const* p, std::size_t i) {
    vector v;
    __builtin_memcpy(&v, p + i, sizeof v);
    return v;
  };
  auto const put = [](float* p, std::size_t i, vector v) { __builtin_memcpy(p + i, &v, sizeof v); };
  for (std::size_t i = 0; i < count; i += Arch::lanes) {
    vector const x0 = from(in[0], i);
    vector const x1 = from(in[1], i);
    vector const x2 = from(in[2], i);
    if (which == pass::of_a) {
      vector const sum1 = x2 + from(in[3], i);
      vector const sum2 = sum1 - x0;
      put(out[0], i, sum1);
      put(out[1], i, sum2);
      put(out[2], i, x0 - x2);
      put(out[3], i, x1 - sum2);
    } else if (which == pass::of_b) {
      vector const x3 = from(in[3], i);
      vector const sum1 = x1 - x0;
      vector const sum2 = x3 - sum1;
      put(out[0], i, sum1);
      put(out[1], i, sum2);
      put(out[2], i, x3 - x1);
      put(out[3], i, sum2 - x2);
    } else {
      vector const product5 = from(out[3], i);
      vector const with6 = x0 + x1;
      vector const with7 = with6 + x2;
      put(out[0], i, x0 + from(out[0], i));
      put(out[1], i, with6 + product5 + from(out[1], i));
      put(out[2], i, with7 - from(out[2], i));
      put(out[3], i, with7 + product5);
    }
  }
}

template void sum<simd::SKUA_SIMD_WIDTH>(pass, std::size_t, float const* const*, float* const*) noexcept;

}  // namespace skua::apps::strassen

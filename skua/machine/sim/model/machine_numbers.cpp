// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/machine_numbers.hpp"

namespace skua { inline namespace v0 { namespace sim {

machine_numbers machine_numbers::of_kind(std::uint32_t kind, double speed) const {
  machine_numbers made = *this;
  if (kind == 0) return made;
  auto const given = [kind](std::vector<double> const& by_kind, double otherwise) {
    return by_kind.empty() ? otherwise : by_kind[kind - 1];
  };
  made.clock_ghz = given(kind_clock_ghz, clock_ghz * speed);
  made.flops_per_ns = given(kind_flops_per_ns, flops_per_ns * speed);
  made.misses_in_flight = given(kind_misses_in_flight, misses_in_flight);
  made.first_level_bytes = given(kind_first_level_bytes, first_level_bytes);
  made.private_bytes = given(kind_private_bytes, private_bytes);
  made.memory_core_bytes_per_ns = given(kind_memory_core_bytes_per_ns, memory_core_bytes_per_ns);
  double const clock = made.clock_ghz / clock_ghz;
  for (double machine_numbers::* const rate :
       {&machine_numbers::first_level_bytes_per_ns, &machine_numbers::private_bytes_per_ns})
    made.*rate *= clock;
  for (double machine_numbers::* const latency :
       {&machine_numbers::first_level_latency_ns, &machine_numbers::private_latency_ns})
    made.*latency /= clock;
  for (double machine_numbers::* const price :
       {&machine_numbers::fork_ns, &machine_numbers::spawn_ns, &machine_numbers::compare_ns,
        &machine_numbers::expose_ns, &machine_numbers::pop_ns, &machine_numbers::steal_ns, &machine_numbers::miss_ns,
        &machine_numbers::send_ns, &machine_numbers::park_ns, &machine_numbers::resume_ns, &machine_numbers::rest_ns})
    made.*price /= speed;
  return made;
}

}}}  // namespace skua::v0::sim

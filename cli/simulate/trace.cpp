// SPDX-License-Identifier: MIT
#include "cli/simulate/trace.hpp"

#include <filesystem>
#include <system_error>

#include "cli/text/output.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/trace/this_process.hpp"

namespace skua::cli {
namespace {

json known_number(std::uint32_t n) { return n == runtime::no_index ? json(-1) : json(n); }

std::string describe(std::string_view app, std::string_view policy, std::string_view machine, std::uint64_t seed,
                     layout const& where) {
  json all{{"program", app},
           {"command", trace::command_line()},
           {"arguments", trace::arguments()},
           {"policy", policy},
           {"machine", machine},
           {"simulated", true},
           {"model", machine},
           {"options", {{"seed", seed}}}};
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    worker_id const id{w};
    all["workers"].push_back({{"processor", known_number(where.pu_of(id))},
                              {"place", runtime::index(where.place_of(id))},
                              {"node", known_number(where.numa_of(id))},
                              {"package", known_number(where.package_of(id))}});
    if (where.speed_of(id) != 1) all["workers"].back()["speed"] = where.speed_of(id);
  }
  for (std::uint32_t d = 0; d < where.distance_classes(); ++d) all["distances"].push_back(where.distance_name(d));
  return all.sorted().dump_repaired();
}

}  // namespace

void sim_trace_flags::add_to(parser command) {
  command.add_option("--trace", path_, "FILE",
                     "write a trace of the simulated workers, for one policy and number of workers");
  command.add_option("--trace-size", size_, "SIZE", "of all its events together, e.g. 256m (default: 32m)")
      .only_with("--trace", "it is the size of that file");
}

std::size_t sim_trace_flags::bytes() const {
  return size_ ? runtime::read_trace_bytes("--trace-size", *size_) : trace::default_bytes;
}

traced_run::traced_run(sim_trace_flags const& to, std::string_view app, std::string_view policy,
                       std::string_view machine, std::uint64_t seed, layout const& where, sim::tick ticks_per_ns)
    : file_(trace::trace_file::make({.path = to.path(),
                                     .chosen_by = "--trace",
                                     .tracks = where.workers(),
                                     .bytes = to.bytes(),
                                     .description = describe(app, policy, machine, seed, where),
                                     .is_virtual = true})),
      events_(*file_, where.workers(), ticks_per_ns) {}

traced_run::~traced_run() {
  std::error_code ignored;
  if (std::uncaught_exceptions() > exceptions_) std::filesystem::remove(file_->path(), ignored);
}

}  // namespace skua::cli

// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/stall_report.hpp"

#include <cstdio>
#include <exception>

#include "skua/parts/base/options.hpp"

namespace skua { inline namespace v0 { namespace ranks {

stall_report::stall_report() {
  auto const text = runtime::process_environment()("SKUA_STALL");
  if (!text || text->find_first_not_of(" \t\r\n") == std::string::npos) return;
  every_ns_ = static_cast<std::uint64_t>(runtime::read_duration("SKUA_STALL", *text).count());
}

stall_report stall_report::or_never() noexcept {
  try {
    return {};
  } catch (std::exception const&) {
    return stall_report(0);
  }
}

void stall_report::tell(std::uint32_t rank, std::string const& what, std::string const& state,
                        std::uint64_t now_ns) const {
  std::string const line = "skua: rank " + std::to_string(rank) + ": " + what + " for " +
                           std::to_string((now_ns - since_ns_) / 1'000'000) + " ms: " + state + "\n";
  std::fputs(line.c_str(), stderr);
}

}}}  // namespace skua::v0::ranks

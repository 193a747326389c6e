// SPDX-License-Identifier: MIT
#include "cli/probes/bare_system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace skua::cli {
namespace {

/// Why no terminal can be made; empty if one can. The name of its other end is a file of /dev/pts, which must be
/// mounted.
std::string why_no_terminal() {
  int const ours = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (ours < 0) return std::generic_category().message(errno);
  std::array<char, 128> name{};
  bool const works = ::grantpt(ours) == 0 && ::unlockpt(ours) == 0 &&
                     ::ptsname_r(ours, name.data(), name.size()) == 0 && ::access(name.data(), R_OK | W_OK) == 0;
  std::string const why = works ? "" : std::generic_category().message(errno);
  ::close(ours);
  return why;
}

std::string name_of_this_host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

/// Why that name has no address; empty if it has one.
std::string why_no_address(std::string const& name) {
  ::setenv("RES_OPTIONS", "timeout:1 attempts:1", 0);  // read at the first question; by default it waits for 10 s
  addrinfo* found = nullptr;
  int const failed = ::getaddrinfo(name.c_str(), nullptr, nullptr, &found);
  if (failed != 0) return ::gai_strerror(failed);
  ::freeaddrinfo(found);
  return "";
}

}  // namespace

std::vector<std::string> missing_on_a_bare_system() {
  std::vector<std::string> all;
  if (auto const why = why_no_terminal(); !why.empty()) {
    all.push_back(fmt::format(
        "terminals: a program can make none ({}), perhaps because /dev/pts is not mounted; make test skips what it "
        "checks on one",
        why));
  }
  auto const name = name_of_this_host();
  if (auto const why = why_no_address(name); !why.empty()) {
    all.push_back(fmt::format(
        "an address of this host's name, {} ({}): mpirun may wait for a name server at every start; a line in "
        "/etc/hosts or, for ranks on one host, RES_OPTIONS=attempts:0 spares that",
        name, why));
  }
  return all;
}

}  // namespace skua::cli

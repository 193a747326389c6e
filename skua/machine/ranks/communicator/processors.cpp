// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/processors.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/cgroup.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

using word = runtime::cpu_mask::word;

/// A word for the node, one for the quota, and the mask.
allowed_processors decode(bytes const& from) {
  std::vector<word> words(from.size() / sizeof(word));
  std::memcpy(words.data(), from.data(), words.size() * sizeof(word));
  return {.node = static_cast<std::uint32_t>(words.at(0)),
          .quota = static_cast<std::uint32_t>(words.at(1)),
          .mask = runtime::cpu_mask(std::span(words).subspan(2))};
}

}  // namespace

allowed_processors processors_here(std::uint32_t node) {
  return {.node = node,
          .quota = runtime::read_cpu_quota().whole_cpus().value_or(0),
          .mask = runtime::affinity_of_this_thread()};
}

bytes encode(allowed_processors const& a) {
  std::vector<word> words{a.node, a.quota};
  words.insert(words.end(), a.mask.words().begin(), a.mask.words().end());
  return bytes_of(std::as_bytes(std::span(words)));
}

std::vector<std::uint32_t> shares_of(std::span<bytes const> all) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> users;  // of a node's processor
  std::map<std::uint32_t, std::uint32_t> ranks_of;                         // a node
  std::vector<allowed_processors> each;
  for (bytes const& b : all) {
    allowed_processors const& a = each.emplace_back(b.empty() ? allowed_processors{} : decode(b));
    if (b.empty()) continue;  // it has died
    ++ranks_of[a.node];
    for (std::uint32_t const p : a.mask.members()) ++users[{a.node, p}];
  }
  std::vector<std::uint32_t> shares;
  for (allowed_processors const& a : each) {
    double sum = 1e-9;  // thirds of a processor add up to a whole one
    for (std::uint32_t const p : a.mask.members()) sum += 1.0 / users[{a.node, p}];
    auto share = static_cast<std::uint32_t>(sum);
    if (a.quota > 0) share = std::min(share, a.quota / ranks_of[a.node]);
    shares.push_back(std::max<std::uint32_t>(share, 1));
  }
  return shares;
}

}}}  // namespace skua::v0::ranks

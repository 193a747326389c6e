// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/communicator.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "skua/machine/ranks/collection/collection_core.hpp"
#include "skua/machine/ranks/communicator/build_identity.hpp"
#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/machine/ranks/communicator/processors.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"

namespace skua::inline v0 {

namespace ranks {

namespace {

// Which error a text is of, on its way to other ranks.
constexpr char usage_mark = 'u';
constexpr char resource_mark = 'r';

}  // namespace

void communicator_core::agree(std::string const& what, std::string const& mine) {
  auto const texts = all_.gather(bytes_of(std::as_bytes(std::span(mine))));
  auto const text_of = [&](std::size_t r) {
    return std::string(reinterpret_cast<char const*>(texts[r].data()), texts[r].size());
  };
  std::string verdict;
  for (std::size_t r = 1; r < texts.size() && verdict.empty(); ++r) {
    if (texts[r] == texts[0]) continue;
    verdict = what + " differs between ranks: rank 0 has " + text_of(0) + ", rank " + std::to_string(r) + " has " +
              text_of(r);
  }
  throw_everywhere(verdict.empty() ? verdict : usage_mark + verdict);
}

std::string communicator_core::fault_of(std::function<void()> const& f) {
  try {
    f();
    return {};
  } catch (usage_error const& e) {
    return std::string(1, usage_mark) + e.what();
  } catch (std::exception const& e) {
    return std::string(1, resource_mark) + e.what();
  }
}

void communicator_core::throw_everywhere(std::string fault) {
  bytes const heard = all_.broadcast(bytes_of(std::as_bytes(std::span(fault))));
  if (heard.empty()) return;
  std::string const text(reinterpret_cast<char const*>(heard.data()), heard.size());
  if (text.front() == usage_mark) throw usage_error(text.substr(1));
  throw resource_error(text.substr(1));
}

}  // namespace ranks

communicator::communicator(std::unique_ptr<ranks::transport> network)
    : core_(std::make_unique<ranks::communicator_core>(std::move(network))) {
  if (size() > 1) core_->agree("the program", ranks::build_identity());
}

communicator::~communicator() = default;

std::unique_ptr<communicator> communicator::alone() {
  return std::make_unique<communicator>(
      ranks::loopback_network::owned_end(std::make_shared<ranks::loopback_network>(1), 0));
}

std::uint32_t communicator::rank() const noexcept { return core_->network().rank(); }
std::uint32_t communicator::size() const noexcept { return core_->network().ranks(); }

double communicator::sum(double own) {
  ranks::sum_elements(core_->all(), std::span(&own, 1));
  return own;
}
std::uint64_t communicator::sum(std::uint64_t own) {
  ranks::sum_elements(core_->all(), std::span(&own, 1));
  return own;
}
double communicator::max(double own) {
  ranks::max_elements(core_->all(), std::span(&own, 1));
  return own;
}
void communicator::sum(std::span<double> own) { ranks::sum_elements(core_->all(), own); }

void communicator::barrier() {
  static_cast<void>(core_->all().reduce_to_all({}, [](ranks::bytes&, auto) {}));
}

void communicator::work_with(runtime::worker_threads* threads, serving how) noexcept { core_->work_with(threads, how); }

std::uint32_t communicator::workers() const noexcept {
  if (core_->threads() == nullptr) return 1;
  return core_->threads()->count() + (core_->serves() == serving::between_tasks ? 1 : 0);
}

std::uint32_t communicator::processors() {
  std::vector<ranks::bytes> const all =
      core_->all().gather(ranks::encode(ranks::processors_here(core_->network().node().first)));
  std::vector<ranks::bytes> parts;
  for (std::uint32_t const share : ranks::shares_of(all))
    parts.push_back(ranks::bytes_of(std::as_bytes(std::span(&share, 1))));
  ranks::bytes const mine = core_->all().scatter(std::move(parts));
  std::uint32_t share = 1;
  std::memcpy(&share, mine.data(), sizeof share);
  return share;
}

std::unique_ptr<runtime::collection_engine> communicator::make_collection(collection_options const& options,
                                                                          runtime::task_binding const& binding) {
  return std::make_unique<ranks::collection_core>(*core_, options, binding);
}

}  // namespace skua::inline v0

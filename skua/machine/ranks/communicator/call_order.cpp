// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/call_order.hpp"

#include <algorithm>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::size_t longest_detail = 60'000;  // its length has 16 bits

std::string elements_in_words(collective_call const& call) {
  std::string const one = call.of == element::real               ? "double"
                          : call.of == element::unsigned_integer ? "unsigned integer"
                                                                 : "signed integer";
  return std::to_string(call.length) + " " + one + (call.length == 1 ? "" : "s");
}

}  // namespace

void append_call(message_header& head, std::vector<std::byte>& body, collective_call const& call) {
  std::size_t const detail = std::min(call.detail.size(), longest_detail);
  head.a = static_cast<std::uint64_t>(call.what) | static_cast<std::uint64_t>(call.of) << 8 |
           std::uint64_t{call.collection} << 32;
  head.b = call.length;
  head.flags = static_cast<std::uint16_t>(detail);
  auto const text = std::as_bytes(std::span(call.detail)).first(detail);
  body.insert(body.end(), text.begin(), text.end());
}

collective_call call_in(message_header const& head, std::span<std::byte const> body) {
  auto const text = body.last(head.flags);
  return {.what = static_cast<operation>(head.a & 0xFF),
          .collection = static_cast<std::uint32_t>(head.a >> 32),
          .detail = {reinterpret_cast<char const*>(text.data()), text.size()},
          .of = static_cast<element>(head.a >> 8 & 0xFF),
          .length = head.b};
}

std::string call_order::in_words(collective_call const& call) const {
  bool const is_named = call.collection > 0 && call.collection <= names_.size();
  std::string const of = is_named ? " of '" + names_[call.collection - 1] + "'" : " of a task collection";
  switch (call.what) {
    case operation::none: break;
    case operation::start: return "the start of a communicator";
    case operation::sum: return "sum of " + elements_in_words(call);
    case operation::max: return "max of " + elements_in_words(call);
    case operation::min: return "min of " + elements_in_words(call);
    case operation::gather: return "gather of " + call.detail;
    case operation::allgather: return "allgather of " + call.detail;
    case operation::broadcast: return "broadcast of " + call.detail;
    case operation::scatter: return "scatter of " + call.detail;
    case operation::barrier: return "barrier";
    case operation::processors: return "processors";
    case operation::construction: return "the constructor of a task collection";
    case operation::process: return "process" + of;
    case operation::report: return "report" + of;
    case operation::rebalance: return "rebalance" + of + " with '" + call.detail + "'";
    case operation::rebalance_if_due: return "rebalance_if_due" + of + " with '" + call.detail + "'";
    case operation::checkpoint: return "checkpoint" + of;
    case operation::restart: return "restart" + of;
    case operation::restore: return "restore" + of;
    case operation::restore_as: return "restore" + of + " with '" + call.detail + "'";
    case operation::recover: return "recover" + of + (call.detail.empty() ? "" : " with " + call.detail);
    case operation::matrix: return call.detail;
    case operation::end: return "the end of its session";
  }
  return "another call";
}

void call_order::refuse_in_task(collective_call const& call) const {
  if (!is_processing_) [[likely]]
    return;
  throw usage_error(in_words(call) + " in a task, during " + in_words(call_) +
                    "; allowed: outside tasks, between two calls of process");
}

void call_order::begin(collective_call call) {
  refuse_in_task(call);
  if (over_) throw_difference(difference(*over_));
  failure_.reset();
  ++step_;
  std::erase_if(heard_, [&](difference const& d) { return is_before(d.step, step_); });
  is_part_ = false;
  is_processing_ = call.what == operation::process;
  call_ = std::move(call);
}

void call_order::begin_part() {
  ++step_;
  is_part_ = true;
}

void call_order::compare(rank_number other, collective_call const& theirs) {
  if (is_part_ || theirs == call_) return;
  rank_number const me = network_.rank();
  std::string const ours_in_words = in_words(call_);
  std::string const theirs_in_words = in_words(theirs);
  bool const they_first = other < me;
  // A rank that ends its session has no caller to tell.
  bool const i_report = call_.what == operation::end || (theirs.what != operation::end && !they_first);
  difference const found{.step = step_,
                         .is_final = call_.what == operation::process || theirs.what == operation::process,
                         .reporter = i_report ? me : other,
                         .text = "collective calls differ: rank " + std::to_string(they_first ? other : me) +
                                 " is in " + (they_first ? theirs_in_words : ours_in_words) + ", rank " +
                                 std::to_string(they_first ? me : other) + " in " +
                                 (they_first ? ours_in_words : theirs_in_words) +
                                 "; allowed: the same calls in the same order on every rank"};
  announce(found);
}

void call_order::refuse(collective_call call, std::string const& text) {
  begin(std::move(call));
  is_processing_ = false;
  announce({.step = step_, .is_final = call_.what == operation::process, .reporter = 0, .text = text});
}

void call_order::announce(difference const& found) {
  message_header h;
  h.kind = kind::differ;
  h.epoch = found.step;
  h.a = found.is_final ? 1 : 0;
  h.b = found.reporter;
  live_.each([&](rank_number r) {
    if (r != network_.rank()) network_.send(r, h, std::as_bytes(std::span(found.text)));
  });
  throw_difference(found);
}

void call_order::hear(message const& m) {
  bool const is_known = std::ranges::find(heard_, m.head.epoch, &difference::step) != heard_.end();
  if (is_known || is_before(m.head.epoch, step_)) return;
  heard_.push_back({.step = m.head.epoch,
                    .is_final = m.head.a != 0,
                    .reporter = static_cast<rank_number>(m.head.b),
                    .text = {reinterpret_cast<char const*>(m.body.data()), m.body.size()}});
}

void call_order::throw_heard() {
  auto const at = std::ranges::find(heard_, step_, &difference::step);
  if (at == heard_.end()) return;
  throw_difference(difference(*at));
}

void call_order::throw_difference(difference const& d) {
  if (d.is_final) over_ = d;
  note_failure({d.reporter, d.text});
  throw usage_error(d.text);
}

}}}  // namespace skua::v0::ranks

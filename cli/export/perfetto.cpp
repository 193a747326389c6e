// SPDX-License-Identifier: MIT
// Perfetto's trace format: packets of protocol buffers. Numbers of fields are those of perfetto_trace.proto.
//
// A pool is a process, a worker a thread of it, and a worker's activity a track below. Names are interned. An arrow is a
// flow whose id both its ends carry. Packets of a track are in the order of time; those of different tracks need not be.
#include <algorithm>
#include <protozero/pbf_builder.hpp>
#include <string>

#include "cli/export/formats.hpp"
#include "cli/export/perfetto_fields.hpp"

namespace skua::cli {
namespace {

using namespace perfetto;
using protozero::pbf_builder;

constexpr std::uint32_t our_sequence = 1;

/// Tracks are named by numbers of their own: rows first, then a track for each pool's each counter.
std::uint64_t track_of_row(std::uint32_t r) noexcept { return 1 + r; }

class perfetto_writer {
 public:
  explicit perfetto_writer(timeline const& t) : t_(t), arrows_(arrows_by_end(t)) {}

  std::string write() && {
    intern();
    describe_tracks();
    auto const by_row = slices_by_row(t_);
    for (auto const& of_row : by_row) {
      walk(t_, of_row, [&](std::size_t i) { begin(i); }, [&](std::size_t i) { end(t_.slices[i]); });
    }
    for (std::size_t i = 0; i < t_.points.size(); ++i) add_point(i);
    for (sample const& s : t_.samples) add_sample(s);
    return std::move(data_);
  }

 private:
  enum annotation : std::uint64_t { id = 1, ending, bytes, width, number, flow, node };

  template <class Fill>
  void packet(Fill&& fill) {
    pbf_builder<trace_file> file(data_);
    pbf_builder<trace_packet> p(file, trace_file::packet);
    p.add_uint32(trace_packet::trusted_packet_sequence_id, our_sequence);
    fill(p);
  }
  template <class Fill>
  void event(std::uint64_t at_ns, std::uint64_t track, type what, Fill&& fill) {
    packet([&](auto& p) {
      p.add_uint64(trace_packet::timestamp, at_ns);
      p.add_uint32(trace_packet::sequence_flags, needs_incremental_state);
      pbf_builder<track_event> e(p, trace_packet::event);
      e.add_enum(track_event::what, static_cast<std::int32_t>(what));
      e.add_uint64(track_event::track_uuid, track);
      fill(e);
    });
  }

  void intern() {
    packet([&](auto& p) {
      p.add_uint32(trace_packet::sequence_flags, incremental_state_cleared);
      pbf_builder<interned_data> names(p, trace_packet::interned);
      auto const add = [&](interned_data kind, std::uint64_t iid, std::string_view text) {
        pbf_builder<interned_text> one(names, kind);
        one.add_uint64(interned_text::iid, iid);
        one.add_string(interned_text::text, text.data(), text.size());
      };
      for (std::uint32_t i = 0; i < t_.texts.size(); ++i) add(interned_data::event_names, i + 1, t_.texts[i]);
      for (auto const k : {slice::kind::task, slice::kind::leaf, slice::kind::member, slice::kind::activity,
                           slice::kind::iteration, slice::kind::node})
        add(interned_data::event_categories, category(k), name_of(k));
      for (auto const& [a, said] :
           {std::pair{id, "id"}, std::pair{ending, "ended"}, std::pair{bytes, "bytes"}, std::pair{width, "width"},
            std::pair{number, "value"}, std::pair{flow, "flow"}, std::pair{node, "node"}})
        add(interned_data::debug_annotation_names, a, said);
    });
  }
  static std::uint64_t category(slice::kind k) noexcept { return static_cast<std::uint64_t>(k) + 1; }

  void describe_tracks() {
    for (std::uint32_t r = 0; r < t_.rows.size(); ++r) {
      row const& of = t_.rows[r];
      auto const pid = static_cast<std::int32_t>(of.pool + 1);
      packet([&](auto& p) {
        pbf_builder<track_descriptor> d(p, trace_packet::descriptor);
        d.add_uint64(track_descriptor::uuid, track_of_row(r));
        if (of.what == row::kind::pool) {
          pbf_builder<process_descriptor> process(d, track_descriptor::process);
          process.add_int32(process_descriptor::pid, pid);
          process.add_string(process_descriptor::process_name, t_.pools[of.pool].name);
        } else if (of.what == row::kind::tasks) {
          pbf_builder<thread_descriptor> thread(d, track_descriptor::thread);
          thread.add_int32(thread_descriptor::pid, pid);
          // Number 0 would be the idle process of Linux, and the first thread of a process has the process's number.
          thread.add_int64(thread_descriptor::tid, std::int64_t{pid} * 100'000 + of.worker);
          thread.add_string(thread_descriptor::thread_name, name_of(of));
        } else {
          d.add_uint64(track_descriptor::parent_uuid, track_of_row(r - 1));
          d.add_string(track_descriptor::name, "activity");
        }
      });
      if (of.what == row::kind::pool) {
        describe_counter(of.pool, sample::kind::working_workers, r);
        describe_counter(of.pool, sample::kind::waiting_tasks, r);
      }
    }
  }
  [[nodiscard]] std::uint64_t track_of(std::uint32_t pool, sample::kind what) const noexcept {
    return 1 + t_.rows.size() + 2 * pool + static_cast<std::uint64_t>(what);
  }
  void describe_counter(std::uint32_t pool, sample::kind what, std::uint32_t pool_row) {
    packet([&](auto& p) {
      pbf_builder<track_descriptor> d(p, trace_packet::descriptor);
      d.add_uint64(track_descriptor::uuid, track_of(pool, what));
      d.add_uint64(track_descriptor::parent_uuid, track_of_row(pool_row));
      std::string_view const name = name_of(what);
      d.add_string(track_descriptor::name, name.data(), name.size());
      d.add_message(track_descriptor::counter, std::string());
    });
  }

  static void annotate(pbf_builder<track_event>& e, annotation what, std::uint64_t value) {
    pbf_builder<debug_annotation> a(e, track_event::debug_annotations);
    a.add_uint64(debug_annotation::name_iid, what);
    a.add_uint64(debug_annotation::uint_value, value);
  }
  static void add_flows(pbf_builder<track_event>& e, std::vector<std::size_t> const& from,
                        std::vector<std::size_t> const& to) {
    for (std::size_t const arrow : from) e.add_fixed64(track_event::flow_ids, arrow + 1);
    for (std::size_t const arrow : to) e.add_fixed64(track_event::terminating_flow_ids, arrow + 1);
  }

  void begin(std::size_t i) {
    slice const& s = t_.slices[i];
    event(s.begin_ns, track_of_row(s.row), type::slice_begin, [&](auto& e) {
      e.add_uint64(track_event::name_iid, s.name + 1);
      e.add_uint64(track_event::category_iids, category(s.what));
      if (s.what == slice::kind::task) annotate(e, id, s.id);
      if (s.what == slice::kind::leaf) annotate(e, bytes, s.value);
      if (s.what == slice::kind::member) annotate(e, width, s.value);
      if (s.what == slice::kind::node) {
        annotate(e, flow, s.id >> 32);
        annotate(e, node, static_cast<std::uint32_t>(s.id));
        annotate(e, width, s.value);
      }
      if (s.how != slice::ending::ended) {
        pbf_builder<debug_annotation> a(e, track_event::debug_annotations);
        a.add_uint64(debug_annotation::name_iid, ending);
        std::string_view const said = name_of(s.how);
        a.add_string(debug_annotation::string_value, said.data(), said.size());
      }
      add_flows(e, arrows_.from_slice[i], arrows_.to_slice[i]);
    });
  }
  void end(slice const& s) {
    event(s.end_ns, track_of_row(s.row), type::slice_end, [](auto&) {});
  }
  void add_point(std::size_t i) {
    point const& at = t_.points[i];
    event(at.at_ns, track_of_row(at.row), type::instant, [&](auto& e) {
      e.add_uint64(track_event::name_iid, at.name + 1);
      if (at.has_value) annotate(e, number, at.value);
      add_flows(e, arrows_.from_point[i], arrows_.to_point[i]);
    });
  }
  void add_sample(sample const& s) {
    event(s.at_ns, track_of(s.pool, s.what), type::counter,
          [&](auto& e) { e.add_int64(track_event::counter_value, static_cast<std::int64_t>(s.value)); });
  }

  timeline const& t_;
  arrow_numbers arrows_;
  std::string data_;
};

}  // namespace

std::string perfetto_of(timeline const& t) { return perfetto_writer(t).write(); }

}  // namespace skua::cli

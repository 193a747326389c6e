// SPDX-License-Identifier: MIT
// The messages of Perfetto's traces that we write, and the numbers of their fields (perfetto_trace.proto).
#pragma once

#include <protozero/types.hpp>

namespace skua::cli::perfetto {

enum class trace_file : protozero::pbf_tag_type { packet = 1 };

enum class trace_packet : protozero::pbf_tag_type {
  timestamp = 8,
  trusted_packet_sequence_id = 10,
  event = 11,
  interned = 12,
  sequence_flags = 13,
  descriptor = 60,
};
inline constexpr unsigned incremental_state_cleared = 1;
inline constexpr unsigned needs_incremental_state = 2;

enum class track_descriptor : protozero::pbf_tag_type {
  uuid = 1,
  name = 2,
  process = 3,
  thread = 4,
  parent_uuid = 5,
  counter = 8,
};
enum class process_descriptor : protozero::pbf_tag_type { pid = 1, process_name = 6 };
enum class thread_descriptor : protozero::pbf_tag_type { pid = 1, tid = 2, thread_name = 5 };

enum class track_event : protozero::pbf_tag_type {
  category_iids = 3,
  debug_annotations = 4,
  what = 9,
  name_iid = 10,
  track_uuid = 11,
  counter_value = 30,
  flow_ids = 47,
  terminating_flow_ids = 48,
};
enum class type { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };

enum class debug_annotation : protozero::pbf_tag_type { name_iid = 1, uint_value = 3, string_value = 6 };

enum class interned_data : protozero::pbf_tag_type {
  event_categories = 1,
  event_names = 2,
  debug_annotation_names = 3,
};
enum class interned_text : protozero::pbf_tag_type { iid = 1, text = 2 };

}  // namespace skua::cli::perfetto

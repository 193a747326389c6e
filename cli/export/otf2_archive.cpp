// SPDX-License-Identifier: MIT
// OTF2, the format of Score-P, Vampir and Scalasca. Built where its library is; otf2_missing.cpp stands in elsewhere.
//
// A pool is a location group and each row a location: slices are regions that are entered and left, points regions
// without length, counters metrics of the pool's row. Steals have no counterpart in OTF2 between threads.
#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "cli/export/formats.hpp"
#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

constexpr std::uint64_t chunk_bytes = 1 << 20;
constexpr std::uint64_t definitions_chunk_bytes = 4 << 20;

void check(OTF2_ErrorCode code, std::string const& folder) {
  if (code == OTF2_SUCCESS) return;
  throw resource_error(fmt::format("cannot write {}: {}", folder, OTF2_Error_GetDescription(code)));
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_TimeStamp no_time(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

/// One record of a location.
struct record {
  enum class kind { enter, leave, metric };
  std::uint64_t at_ns;
  kind what;
  std::uint32_t reference;  ///< a text's number, or a metric's
  std::uint64_t value = 0;
};

std::vector<std::vector<record>> records_of(timeline const& t) {
  std::vector<std::vector<record>> all(t.rows.size());
  auto const by_row = slices_by_row(t);
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    auto const note = [&](record::kind what, std::uint64_t at, std::size_t i) {
      all[r].push_back({at, what, t.slices[i].name});
    };
    walk(
        t, by_row[r], [&](std::size_t i) { note(record::kind::enter, t.slices[i].begin_ns, i); },
        [&](std::size_t i) { note(record::kind::leave, t.slices[i].end_ns, i); });
  }
  for (point const& p : t.points) {
    all[p.row].push_back({p.at_ns, record::kind::enter, p.name});
    all[p.row].push_back({p.at_ns, record::kind::leave, p.name});
  }
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    if (t.rows[r].what != row::kind::pool) continue;
    for (sample const& s : t.samples) {
      if (s.pool == t.rows[r].pool)
        all[r].push_back({s.at_ns, record::kind::metric, static_cast<std::uint32_t>(s.what), s.value});
    }
  }
  // Stable: an enter and its leave at one time stay neighbours, and so everything stays nested.
  for (auto& of_row : all) std::ranges::stable_sort(of_row, {}, &record::at_ns);
  return all;
}

class otf2_writer {
 public:
  otf2_writer(timeline const& t, std::string const& folder)
      : t_(t), folder_(folder),
        archive_(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk_bytes, definitions_chunk_bytes,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
                 OTF2_Archive_Close) {
    if (archive_ == nullptr) throw resource_error(fmt::format("cannot write {}", folder));
  }

  void write() {
    static constexpr OTF2_FlushCallbacks callbacks{.otf2_pre_flush = flush, .otf2_post_flush = no_time};
    ok(OTF2_Archive_SetFlushCallbacks(archive_.get(), &callbacks, nullptr));
    ok(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    auto const records = records_of(t_);
    ok(OTF2_Archive_OpenEvtFiles(archive_.get()));
    for (std::size_t r = 0; r < records.size(); ++r) write_events(r, records[r]);
    ok(OTF2_Archive_CloseEvtFiles(archive_.get()));
    ok(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (std::size_t r = 0; r < records.size(); ++r)
      ok(OTF2_Archive_CloseDefWriter(archive_.get(), OTF2_Archive_GetDefWriter(archive_.get(), r)));
    ok(OTF2_Archive_CloseDefFiles(archive_.get()));
    write_definitions(records);
    ok(OTF2_Archive_Close(archive_.release()));
  }

 private:
  void ok(OTF2_ErrorCode code) const { check(code, folder_); }

  void write_events(std::size_t location, std::vector<record> const& of_row) {
    OTF2_EvtWriter* const w = OTF2_Archive_GetEvtWriter(archive_.get(), location);
    for (record const& e : of_row) {
      if (e.what == record::kind::enter) {
        ok(OTF2_EvtWriter_Enter(w, nullptr, e.at_ns, e.reference));
      } else if (e.what == record::kind::leave) {
        ok(OTF2_EvtWriter_Leave(w, nullptr, e.at_ns, e.reference));
      } else {
        OTF2_Type const type = OTF2_TYPE_UINT64;
        OTF2_MetricValue value{};
        value.unsigned_int = e.value;
        ok(OTF2_EvtWriter_Metric(w, nullptr, e.at_ns, e.reference, 1, &type, &value));
      }
    }
    ok(OTF2_Archive_CloseEvtWriter(archive_.get(), w));
  }

  /// The number of a text of our own, behind those of the timeline.
  std::uint32_t string(std::string_view text) {
    auto const number = static_cast<std::uint32_t>(t_.texts.size()) + more_strings_++;
    ok(OTF2_GlobalDefWriter_WriteString(definitions_, number, std::string(text).c_str()));
    return number;
  }

  void write_definitions(std::vector<std::vector<record>> const& records) {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_.get());
    ok(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, 0, t_.ended_ns + 1,
                                                 OTF2_UNDEFINED_TIMESTAMP));
    for (std::uint32_t i = 0; i < t_.texts.size(); ++i)
      ok(OTF2_GlobalDefWriter_WriteString(definitions_, i, t_.texts[i].c_str()));
    for (std::uint32_t i = 0; i < t_.texts.size(); ++i)
      ok(OTF2_GlobalDefWriter_WriteRegion(definitions_, i, i, i, 0, OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER,
                                          OTF2_REGION_FLAG_NONE, 0, 0, 0));
    ok(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, string("machine"), string("machine"),
                                                OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::uint32_t p = 0; p < t_.pools.size(); ++p)
      ok(OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, p, string(t_.pools[p].name),
                                                 OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
    for (std::size_t r = 0; r < t_.rows.size(); ++r)
      ok(OTF2_GlobalDefWriter_WriteLocation(definitions_, r, string(name_of(t_.rows[r])), OTF2_LOCATION_TYPE_CPU_THREAD,
                                            records[r].size(), t_.rows[r].pool));
    for (auto const what : {sample::kind::working_workers, sample::kind::waiting_tasks}) {
      auto const number = static_cast<std::uint32_t>(what);
      ok(OTF2_GlobalDefWriter_WriteMetricMember(definitions_, number, string(name_of(what)), 0, OTF2_METRIC_TYPE_OTHER,
                                                OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
                                                string("#")));
      ok(OTF2_GlobalDefWriter_WriteMetricClass(definitions_, number, 1, &number, OTF2_METRIC_ASYNCHRONOUS,
                                               OTF2_RECORDER_KIND_ABSTRACT));
    }
  }

  timeline const& t_;
  std::string const& folder_;
  std::unique_ptr<OTF2_Archive, OTF2_ErrorCode (*)(OTF2_Archive*)> archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::uint32_t more_strings_ = 0;
};

/// Errors are ours to report; the library would print them.
OTF2_ErrorCode stay_quiet(void*, char const*, std::uint64_t, char const*, OTF2_ErrorCode code, char const*, va_list) {
  return code;
}

}  // namespace

bool has_otf2() noexcept { return true; }

void write_otf2(timeline const& t, std::string const& folder) {
  if (folder == "-" || std::filesystem::exists(folder)) refuse("-o", folder, "a folder that does not exist yet");
  OTF2_Error_RegisterCallback(stay_quiet, nullptr);
  otf2_writer(t, folder).write();
}

}  // namespace skua::cli

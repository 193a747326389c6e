// SPDX-License-Identifier: MIT
// OTF2, the format of Score-P, Vampir and Scalasca. Built where its library is; otf2_missing.cpp stands in elsewhere.
//
// A pool is a location group and each row a location: slices are regions that are entered and left, points regions
// without length, counters metrics of the pool's row. Messages of ranks are those of MPI. OTF2 knows no steals; like copies
// to and from accelerators they are one-sided accesses, in a window that the workers of the pool share.
#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

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
  enum class kind {
    enter,      ///< reference: a text's number
    leave,      ///< the same
    metric,     ///< reference: a metric's number
    get,        ///< reference: a window, partner: the victim, value: the arrow
    put,        ///< reference: a window, partner: the receiver, value: the arrow
    completed,  ///< a get or put. reference: the window, value: the arrow
    send,       ///< reference: the arrow, partner: a rank of the communicator of ranks, value: bytes
    receive,    ///< the same
  };
  std::uint64_t at_ns;
  kind what;
  std::uint32_t reference;
  std::uint64_t value = 0;
  std::uint32_t partner = 0;
};

/// The rows that stand for the ranks of an MPI job: those that send and receive messages. A rank's number in the archive is its
/// place among the ranks that have a trace.
class rank_rows {
 public:
  explicit rank_rows(timeline const& t) : t_(t) {
    for (arrow const& a : t.arrows) {
      if (a.what != arrow::kind::message) continue;
      for (arrow_end const& e : {a.from, a.to}) rows_.try_emplace(rank_of(place_of(t, e).row), place_of(t, e).row);
    }
    if (rows_.empty()) return;
    for (std::uint32_t r = 0; r < t.rows.size(); ++r) {
      if (t.rows[r].what == row::kind::tasks) rows_.try_emplace(rank_of(r), r);
    }
    for (traced_pool const& p : t.pools)
      numbers_.push_back(static_cast<std::uint32_t>(std::distance(rows_.begin(), rows_.find(p.rank))));
  }

  [[nodiscard]] std::vector<std::uint64_t> locations() const {
    std::vector<std::uint64_t> all;
    for (auto const& [rank, r] : rows_) all.push_back(r);
    return all;
  }
  [[nodiscard]] std::uint32_t number_of(std::uint32_t r) const { return numbers_[t_.rows[r].pool]; }

 private:
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t r) const { return t_.pools[t_.rows[r].pool].rank; }

  timeline const& t_;
  std::map<std::uint32_t, std::uint32_t> rows_;  ///< by rank
  std::vector<std::uint32_t> numbers_;           ///< by pool
};

/// From a timeline to the records of each of its rows.
class row_records {
 public:
  row_records(timeline const& t, rank_rows const& ranks)
      : t_(t), ranks_(ranks), ends_(arrows_by_end(t)), all_(t.rows.size()) {}

  std::vector<std::vector<record>> take() && {
    auto const by_row = slices_by_row(t_);
    for (std::size_t r = 0; r < t_.rows.size(); ++r) {
      auto const note = [&](record::kind what, std::uint64_t at, std::size_t i) {
        all_[r].push_back({at, what, t_.slices[i].name});
      };
      walk(
          t_, by_row[r], [&](std::size_t i) { note(record::kind::enter, t_.slices[i].begin_ns, i); },
          [&](std::size_t i) { note(record::kind::leave, t_.slices[i].end_ns, i); });
    }
    for (std::size_t i = 0; i < t_.points.size(); ++i) add_point(i);
    for (std::size_t i = 0; i < t_.arrows.size(); ++i) add_transfer(i);
    for (std::size_t r = 0; r < t_.rows.size(); ++r) {
      if (t_.rows[r].what != row::kind::pool) continue;
      for (sample const& s : t_.samples) {
        if (s.pool == t_.rows[r].pool)
          all_[r].push_back({s.at_ns, record::kind::metric, static_cast<std::uint32_t>(s.what), s.value});
      }
    }
    // Stable: an enter and its leave at one time stay neighbours, and so everything stays nested.
    for (auto& of_row : all_) std::ranges::stable_sort(of_row, {}, &record::at_ns);
    return std::move(all_);
  }

 private:
  void add_point(std::size_t i) {
    point const& p = t_.points[i];
    all_[p.row].push_back({p.at_ns, record::kind::enter, p.name});
    for (std::size_t const a : ends_.from_point[i]) add_message(a, p, record::kind::send, t_.arrows[a].to);
    for (std::size_t const a : ends_.to_point[i]) add_message(a, p, record::kind::receive, t_.arrows[a].from);
    all_[p.row].push_back({p.at_ns, record::kind::leave, p.name});
  }
  /// Each has its own tag, so that readers find its two ends in whatever order messages were received.
  void add_message(std::size_t a, point const& at, record::kind what, arrow_end const& other) {
    if (t_.arrows[a].what != arrow::kind::message) return;
    all_[at.row].push_back(
        {at.at_ns, what, static_cast<std::uint32_t>(a), at.value, ranks_.number_of(place_of(t_, other).row)});
  }
  /// The victim does nothing, so a steal is a one-sided get of the thief; and what is sent a put of the sender. Between ranks there
  /// are messages, which have their own records.
  void add_transfer(std::size_t i) {
    arrow const& a = t_.arrows[i];
    arrow_place const from = place_of(t_, a.from);
    arrow_place const to = place_of(t_, a.to);
    row const& giver = t_.rows[from.row];
    row const& receiver = t_.rows[to.row];
    if (giver.pool != receiver.pool || from.row == to.row) return;
    if (a.what == arrow::kind::stolen) {
      all_[to.row].push_back({from.at_ns, record::kind::get, giver.pool, i, giver.worker});
      all_[to.row].push_back({std::max(from.at_ns, to.at_ns), record::kind::completed, giver.pool, i});
    } else if (a.what == arrow::kind::sent) {
      all_[from.row].push_back({from.at_ns, record::kind::put, giver.pool, i, receiver.worker});
      all_[from.row].push_back({from.at_ns, record::kind::completed, giver.pool, i});
    }
  }

  timeline const& t_;
  rank_rows const& ranks_;
  arrow_numbers ends_;
  std::vector<std::vector<record>> all_;
};

class otf2_writer {
 public:
  otf2_writer(timeline const& t, std::string const& folder)
      : t_(t), folder_(folder), ranks_(t),
        archive_(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk_bytes, definitions_chunk_bytes,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
                 OTF2_Archive_Close) {
    if (archive_ == nullptr) throw resource_error(fmt::format("cannot write {}", folder));
  }

  void write() {
    static constexpr OTF2_FlushCallbacks callbacks{.otf2_pre_flush = flush, .otf2_post_flush = no_time};
    ok(OTF2_Archive_SetFlushCallbacks(archive_.get(), &callbacks, nullptr));
    ok(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    auto const records = row_records(t_, ranks_).take();
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
    for (record const& e : of_row) ok(write(w, e));
    ok(OTF2_Archive_CloseEvtWriter(archive_.get(), w));
  }

  [[nodiscard]] OTF2_ErrorCode write(OTF2_EvtWriter* w, record const& e) const {
    constexpr std::uint64_t no_bytes = 0;  // what moves between lanes is the address of a task
    switch (e.what) {
      case record::kind::enter: return OTF2_EvtWriter_Enter(w, nullptr, e.at_ns, e.reference);
      case record::kind::leave: return OTF2_EvtWriter_Leave(w, nullptr, e.at_ns, e.reference);
      case record::kind::get:
        return OTF2_EvtWriter_RmaGet(w, nullptr, e.at_ns, e.reference, e.partner, no_bytes, e.value);
      case record::kind::put:
        return OTF2_EvtWriter_RmaPut(w, nullptr, e.at_ns, e.reference, e.partner, no_bytes, e.value);
      case record::kind::completed:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(w, nullptr, e.at_ns, e.reference, e.value);
      case record::kind::send:
        return OTF2_EvtWriter_MpiSend(w, nullptr, e.at_ns, e.partner, communicator_of_ranks(), e.reference, e.value);
      case record::kind::receive:
        return OTF2_EvtWriter_MpiRecv(w, nullptr, e.at_ns, e.partner, communicator_of_ranks(), e.reference, e.value);
      case record::kind::metric: break;
    }
    OTF2_Type const type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value{};
    value.unsigned_int = e.value;
    return OTF2_EvtWriter_Metric(w, nullptr, e.at_ns, e.reference, 1, &type, &value);
  }

  /// Communicators: one per pool, which has the pool's number, as its window has, and then that of the ranks.
  [[nodiscard]] std::uint32_t communicator_of_ranks() const noexcept {
    return static_cast<std::uint32_t>(t_.pools.size());
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
    write_communicators();
    for (auto const what : {sample::kind::working_workers, sample::kind::waiting_tasks}) {
      auto const number = static_cast<std::uint32_t>(what);
      ok(OTF2_GlobalDefWriter_WriteMetricMember(definitions_, number, string(name_of(what)), 0, OTF2_METRIC_TYPE_OTHER,
                                                OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
                                                string("#")));
      ok(OTF2_GlobalDefWriter_WriteMetricClass(definitions_, number, 1, &number, OTF2_METRIC_ASYNCHRONOUS,
                                               OTF2_RECORDER_KIND_ABSTRACT));
    }
  }

  std::uint32_t group(std::string_view name, OTF2_GroupType type, OTF2_Paradigm of,
                      std::vector<std::uint64_t> const& members) {
    ok(OTF2_GlobalDefWriter_WriteGroup(definitions_, groups_, string(name), type, of, OTF2_GROUP_FLAG_NONE,
                                       static_cast<std::uint32_t>(members.size()), members.data()));
    return groups_++;
  }
  void communicator(std::uint32_t number, std::string_view name, OTF2_Paradigm of,
                    std::vector<std::uint64_t> const& members) {
    std::uint32_t const of_members = group(name, OTF2_GROUP_TYPE_COMM_GROUP, of, members);
    ok(OTF2_GlobalDefWriter_WriteComm(definitions_, number, string(name), of_members, OTF2_UNDEFINED_COMM,
                                      OTF2_COMM_FLAG_NONE));
  }
  void write_communicators() {
    ok(OTF2_GlobalDefWriter_WriteParadigm(definitions_, OTF2_PARADIGM_PTHREAD, string("POSIX threads"),
                                          OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT));
    std::vector<std::uint64_t> workers;
    std::vector<std::vector<std::uint64_t>> of_pool(t_.pools.size());
    for (std::uint32_t r = 0; r < t_.rows.size(); ++r) {
      if (t_.rows[r].what != row::kind::tasks) continue;
      of_pool[t_.rows[r].pool].push_back(workers.size());
      workers.push_back(r);
    }
    group("workers", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_PTHREAD, workers);
    for (std::uint32_t p = 0; p < t_.pools.size(); ++p) {
      communicator(p, t_.pools[p].name, OTF2_PARADIGM_PTHREAD, of_pool[p]);
      ok(OTF2_GlobalDefWriter_WriteRmaWin(definitions_, p, string("tasks of " + t_.pools[p].name), p,
                                          OTF2_RMA_WIN_FLAG_NONE));
    }
    std::vector<std::uint64_t> const ranks = ranks_.locations();
    if (ranks.empty()) return;
    ok(OTF2_GlobalDefWriter_WriteParadigm(definitions_, OTF2_PARADIGM_MPI, string("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    group("ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, ranks);
    std::vector<std::uint64_t> all(ranks.size());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    communicator(communicator_of_ranks(), "ranks", OTF2_PARADIGM_MPI, all);
  }

  timeline const& t_;
  std::string const& folder_;
  rank_rows const ranks_;
  std::unique_ptr<OTF2_Archive, OTF2_ErrorCode (*)(OTF2_Archive*)> archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::uint32_t more_strings_ = 0;
  std::uint32_t groups_ = 0;
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

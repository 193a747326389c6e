// SPDX-License-Identifier: MIT
// The archive is read again with the library's own reader.
#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/export/formats.hpp"
#include "cli/export/sample_trace.hpp"
#include "cli/export/stays.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

struct seen_group {
  OTF2_GroupType type{};
  OTF2_Paradigm paradigm{};
  std::vector<std::uint64_t> members;
};

struct seen {
  std::uint64_t enters = 0, leaves = 0, metrics = 0, last_ns = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::vector<OTF2_LocationRef> locations;
  bool is_ordered = true;
  std::map<OTF2_GroupRef, seen_group> groups;
  std::map<OTF2_CommRef, OTF2_GroupRef> communicators;
  std::map<OTF2_RmaWinRef, OTF2_CommRef> windows;
  std::vector<std::string> transfers;  ///< "get 10: 3 of 1, number 0": what, when, at and with which location

  /// The location behind a rank of a communicator, by way of the list of its paradigm's locations.
  [[nodiscard]] std::uint64_t location_of(OTF2_CommRef c, std::uint32_t rank) const {
    seen_group const& ranks = groups.at(communicators.at(c));
    EXPECT_EQ(ranks.type, OTF2_GROUP_TYPE_COMM_GROUP);
    for (auto const& [number, g] : groups) {
      if (g.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && g.paradigm == ranks.paradigm)
        return g.members.at(ranks.members.at(rank));
    }
    ADD_FAILURE() << "no locations of paradigm " << int{ranks.paradigm};
    return 0;
  }
  OTF2_CallbackCode transfer(std::string_view what, std::uint64_t ns, OTF2_LocationRef here, std::uint64_t there,
                             std::uint64_t number) {
    transfers.push_back(std::string(what) + " " + std::to_string(ns) + ": " + std::to_string(here) + " of " +
                        std::to_string(there) + ", number " + std::to_string(number));
    return at(ns);
  }
  OTF2_CallbackCode at(std::uint64_t ns) {
    is_ordered = is_ordered && ns >= last_ns;
    last_ns = ns;
    return OTF2_CALLBACK_SUCCESS;
  }
};

OTF2_CallbackCode on_location(void* to, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType, std::uint64_t,
                              OTF2_LocationGroupRef) {
  static_cast<seen*>(to)->locations.push_back(self);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_enter(OTF2_LocationRef, OTF2_TimeStamp at, void* to, OTF2_AttributeList*, OTF2_RegionRef) {
  ++static_cast<seen*>(to)->enters;
  return static_cast<seen*>(to)->at(at);
}
OTF2_CallbackCode on_leave(OTF2_LocationRef, OTF2_TimeStamp at, void* to, OTF2_AttributeList*, OTF2_RegionRef) {
  ++static_cast<seen*>(to)->leaves;
  return static_cast<seen*>(to)->at(at);
}
OTF2_CallbackCode on_metric(OTF2_LocationRef, OTF2_TimeStamp at, void* to, OTF2_AttributeList*, OTF2_MetricRef,
                            std::uint8_t, OTF2_Type const*, OTF2_MetricValue const*) {
  ++static_cast<seen*>(to)->metrics;
  return static_cast<seen*>(to)->at(at);
}

OTF2_CallbackCode on_group(void* to, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                           OTF2_GroupFlag, std::uint32_t size, std::uint64_t const* members) {
  static_cast<seen*>(to)->groups[self] = {type, paradigm, {members, members + size}};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_communicator(void* to, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef of, OTF2_CommRef,
                                  OTF2_CommFlag) {
  static_cast<seen*>(to)->communicators[self] = of;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_window(void* to, OTF2_RmaWinRef self, OTF2_StringRef, OTF2_CommRef of, OTF2_RmaWinFlag) {
  static_cast<seen*>(to)->windows[self] = of;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_get(OTF2_LocationRef here, OTF2_TimeStamp at, void* to, OTF2_AttributeList*, OTF2_RmaWinRef win,
                         std::uint32_t remote, std::uint64_t, std::uint64_t number) {
  auto& all = *static_cast<seen*>(to);
  return all.transfer("get", at, here, all.location_of(all.windows.at(win), remote), number);
}
OTF2_CallbackCode on_put(OTF2_LocationRef here, OTF2_TimeStamp at, void* to, OTF2_AttributeList*, OTF2_RmaWinRef win,
                         std::uint32_t remote, std::uint64_t, std::uint64_t number) {
  auto& all = *static_cast<seen*>(to);
  return all.transfer("put", at, here, all.location_of(all.windows.at(win), remote), number);
}
OTF2_CallbackCode on_completed(OTF2_LocationRef here, OTF2_TimeStamp at, void* to, OTF2_AttributeList*, OTF2_RmaWinRef,
                               std::uint64_t number) {
  return static_cast<seen*>(to)->transfer("completed", at, here, here, number);
}
OTF2_CallbackCode on_send(OTF2_LocationRef here, OTF2_TimeStamp at, void* to, OTF2_AttributeList*,
                          std::uint32_t receiver, OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes) {
  auto& all = *static_cast<seen*>(to);
  all.bytes_sent += bytes;
  return all.transfer("send", at, here, all.location_of(in, receiver), tag);
}
OTF2_CallbackCode on_receive(OTF2_LocationRef here, OTF2_TimeStamp at, void* to, OTF2_AttributeList*,
                             std::uint32_t sender, OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes) {
  auto& all = *static_cast<seen*>(to);
  all.bytes_received += bytes;
  return all.transfer("receive", at, here, all.location_of(in, sender), tag);
}

seen read_archive(std::string const& anchor) {
  seen all;
  OTF2_Reader* const reader = OTF2_Reader_Open(anchor.c_str());
  EXPECT_NE(reader, nullptr);
  if (reader == nullptr) return all;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const of_definitions = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(of_definitions, on_location);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(of_definitions, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(of_definitions, on_communicator);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(of_definitions, on_window);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, of_definitions, &all);
  OTF2_GlobalDefReaderCallbacks_Delete(of_definitions);
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  for (OTF2_LocationRef const l : all.locations) OTF2_Reader_SelectLocation(reader, l);
  OTF2_Reader_OpenEvtFiles(reader);
  for (OTF2_LocationRef const l : all.locations) OTF2_Reader_GetEvtReader(reader, l);
  OTF2_GlobalEvtReader* const events = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_GlobalEvtReaderCallbacks* const of_events = OTF2_GlobalEvtReaderCallbacks_New();
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(of_events, on_enter);
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(of_events, on_leave);
  OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(of_events, on_metric);
  OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(of_events, on_get);
  OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(of_events, on_put);
  OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(of_events, on_completed);
  OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(of_events, on_send);
  OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(of_events, on_receive);
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, of_events, &all);
  OTF2_GlobalEvtReaderCallbacks_Delete(of_events);
  OTF2_Reader_ReadAllGlobalEvents(reader, events, &read);
  OTF2_Reader_CloseGlobalEvtReader(reader, events);
  OTF2_Reader_CloseEvtFiles(reader);
  OTF2_Reader_Close(reader);
  return all;
}

class otf2_archive : public ::testing::Test {
 protected:
  otf2_archive() {
    std::string where = (std::filesystem::temp_directory_path() / "skua_otf2_XXXXXX").string();
    folder_ = ::mkdtemp(where.data());
  }
  ~otf2_archive() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] seen written(timeline const& t) const {
    write_otf2(t, (folder_ / "run.otf2").string());
    return read_archive((folder_ / "run.otf2" / "traces.otf2").string());
  }

  std::filesystem::path folder_;
};

TEST_F(otf2_archive, every_slice_and_point_is_entered_and_left_and_every_sample_is_there) {
  trace::trace_data const t = busy_trace();
  timeline const drawn = timeline_of({&t, 1});
  seen const read = written(drawn);
  EXPECT_EQ(read.locations.size(), drawn.rows.size());
  EXPECT_EQ(read.enters, drawn.slices.size() + drawn.points.size());
  EXPECT_EQ(read.leaves, read.enters);
  EXPECT_EQ(read.metrics, drawn.samples.size());
  EXPECT_TRUE(read.is_ordered);
  EXPECT_EQ(read.last_ns, drawn.ended_ns);
  EXPECT_THROW(write_otf2(drawn, folder_.string()), usage_error) << "it exists";
  EXPECT_THROW(write_otf2(drawn, "/proc/none/run.otf2"), resource_error);
}

using lines = std::vector<std::string>;

TEST_F(otf2_archive, a_steal_is_a_get_of_the_thief_and_what_is_sent_a_put) {
  trace::trace_data const t = busy_trace();
  seen const read = written(timeline_of({&t, 1}));
  // Worker 0 is location 1, worker 1 location 3. It steals at 10 what it begins at 11, and sends at 31.
  EXPECT_EQ(read.transfers, (lines{"get 10: 3 of 1, number 0", "completed 11: 3 of 3, number 0",
                                   "put 31: 3 of 1, number 2", "completed 31: 3 of 3, number 2"}));
  EXPECT_EQ(read.windows.size(), 1u);
}

TEST_F(otf2_archive, messages_of_ranks_have_two_ends_and_steals_between_ranks_are_messages) {
  seen const read = written(timeline_of(ranks_that_steal(110)));
  // Worker 0 of rank 0 is location 1, that of rank 1 location 8, whose worker 2 is location 12.
  EXPECT_EQ(read.transfers, (lines{"send 105: 8 of 1, number 1", "receive 108: 1 of 8, number 1",
                                   "send 110: 1 of 8, number 2", "receive 120: 8 of 1, number 2",
                                   "get 130: 12 of 8, number 0", "completed 130: 12 of 12, number 0"}));
  EXPECT_TRUE(read.is_ordered);
  EXPECT_EQ(read.bytes_sent, 80u) << "those of the reply";
  EXPECT_EQ(read.bytes_received, read.bytes_sent);
  EXPECT_EQ(read.communicators.size(), 3u) << "of the workers of each rank, and of the ranks";
}

}  // namespace
}  // namespace skua::cli

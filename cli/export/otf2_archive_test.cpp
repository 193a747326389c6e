// SPDX-License-Identifier: MIT
// The archive is read again with the library's own reader.
#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/export/formats.hpp"
#include "cli/export/sample_trace.hpp"
#include "cli/export/stays.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

struct seen {
  std::uint64_t enters = 0, leaves = 0, metrics = 0, last_ns = 0;
  std::vector<OTF2_LocationRef> locations;
  bool is_ordered = true;

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

seen read_archive(std::string const& anchor) {
  seen all;
  OTF2_Reader* const reader = OTF2_Reader_Open(anchor.c_str());
  EXPECT_NE(reader, nullptr);
  if (reader == nullptr) return all;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const of_definitions = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(of_definitions, on_location);
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
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, of_events, &all);
  OTF2_GlobalEvtReaderCallbacks_Delete(of_events);
  OTF2_Reader_ReadAllGlobalEvents(reader, events, &read);
  OTF2_Reader_CloseGlobalEvtReader(reader, events);
  OTF2_Reader_CloseEvtFiles(reader);
  OTF2_Reader_Close(reader);
  return all;
}

TEST(otf2, every_slice_and_point_is_entered_and_left_and_every_sample_is_there) {
  std::string where = (std::filesystem::temp_directory_path() / "skua_otf2_XXXXXX").string();
  std::filesystem::path const folder = ::mkdtemp(where.data());
  trace::trace_data const t = busy_trace();
  timeline const drawn = timeline_of({&t, 1});
  write_otf2(drawn, (folder / "run.otf2").string());
  seen const read = read_archive((folder / "run.otf2" / "traces.otf2").string());
  EXPECT_EQ(read.locations.size(), drawn.rows.size());
  EXPECT_EQ(read.enters, drawn.slices.size() + drawn.points.size());
  EXPECT_EQ(read.leaves, read.enters);
  EXPECT_EQ(read.metrics, drawn.samples.size());
  EXPECT_TRUE(read.is_ordered);
  EXPECT_EQ(read.last_ns, drawn.ended_ns);
  EXPECT_THROW(write_otf2(drawn, folder.string()), usage_error) << "it exists";
  EXPECT_THROW(write_otf2(drawn, "/proc/none/run.otf2"), resource_error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace skua::cli

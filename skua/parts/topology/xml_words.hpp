// SPDX-License-Identifier: MIT
// What the readers of hwloc's XML share: values of attributes, and the error for wrong ones.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/reading.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A file that is XML, but not a machine.
struct xml_content_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws xml_content_error "WHAT is "TEXT", not a number".
[[nodiscard]] std::uint64_t xml_number(std::string_view text, std::string const& what);
/// "NUMANode object 3"
[[nodiscard]] std::string xml_name(xml_element const& object);
/// The set in an attribute. Throws xml_content_error if there is none, or one that hwloc would not write.
[[nodiscard]] cpu_mask xml_set(xml_element const& object, std::string_view key);
/// no_index if the object has none.
[[nodiscard]] std::uint32_t xml_os_index(xml_element const& object);
/// The value with XML's five entities and numbers of characters up to 255 resolved; others stay as they are.
[[nodiscard]] std::string xml_text(std::string_view value);

/// The memories of a machine whose PUs have been read, without those that may not be used. Adds their elements to the reading, too.
void collect_memories(xml_element const& root, xml_element const& machine, range_finder& finder,
                      machine_details& details);
/// All matrices between NUMA nodes; the first of latencies is the reading's.
void collect_distances(xml_element const& root, topology_reading& read, machine_details& details);
/// The kinds of cores, ranked as hwloc ranks them.
void collect_core_kinds(xml_element const& root, topology_reading& read, machine_details& details);

}}}  // namespace skua::v0::runtime

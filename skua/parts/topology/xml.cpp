// SPDX-License-Identifier: MIT
// Another machine, from the XML that hwloc 2 and 3 write: its tree here, the rest in xml_memories.cpp, xml_distances.cpp, xml_core_kinds.cpp.
//
// hwloc gives the same (xml_test.cpp and xml_random_test.cpp compare them). Why it does not read the files for us: xml.md.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/reading.hpp"
#include "skua/parts/topology/topology.hpp"
#include "skua/parts/topology/xml_scanner.hpp"
#include "skua/parts/topology/xml_words.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::size_t longest_file_bytes = std::size_t{256} << 20;
constexpr std::uint32_t largest_pu = 1U << 20;  // a mask has a bit for every number up to its largest

std::optional<level> kind_of(std::string_view type) {
  if (type == "Package") return level::package;
  if (type == "L3Cache") return level::l3;
  if (type == "L2Cache") return level::l2;
  if (type == "Core") return level::core;
  return std::nullopt;
}

/// Collects all PUs below, in the order of the file, which is the machine's.
void collect_pus(xml_element const& object, std::optional<cpu_mask> const& allowed, topology_reading& read) {
  for (xml_element const& child : object.children) {
    if (child.name != "object") continue;
    if (!child.has("type")) throw xml_content_error("an object has no type");
    if (child.attribute("type") != "PU") {
      collect_pus(child, allowed, read);
      continue;
    }
    std::uint32_t const os_index = xml_os_index(child);
    if (os_index == no_index) throw xml_content_error("a PU has no os_index");
    if (os_index > largest_pu)
      throw xml_content_error("PU " + std::to_string(os_index) + " is beyond the largest number, " +
                              std::to_string(largest_pu));
    if (xml_set(child, "cpuset") != [os_index] {
          cpu_mask one;
          one.insert(os_index);
          return one;
        }()) {
      throw xml_content_error(xml_name(child) + " has a cpuset that is not its os_index");
    }
    ++read.machine_pus;
    if (!allowed || allowed->contains(os_index)) read.pus.push_back({.os_index = os_index});
  }
}

void collect_elements(xml_element const& object, range_finder& finder) {
  for (xml_element const& child : object.children) {
    if (child.name != "object") continue;
    if (auto const kind = kind_of(child.attribute("type"))) {
      std::string_view const size = child.attribute("cache_size");
      finder.add(*kind, xml_os_index(child), xml_set(child, "cpuset"),
                 size.empty() ? 0 : xml_number(size, "size of " + xml_name(child)));
    }
    collect_elements(child, finder);
  }
}

/// Formats 2 and 3 name the same things alike. A format beyond them may not, so it is refused by its number.
void check_format(xml_element const& root) {
  if (root.name != "topology")
    throw xml_content_error("the root element is <" + std::string{root.name} + ">, not <topology>");
  std::string_view const version = root.attribute("version");
  if (version.empty() || version.starts_with("1.")) {
    throw xml_content_error("it has the format of hwloc 1; `lstopo -i OLD.xml NEW.xml` of hwloc 2 converts it");
  }
  std::uint64_t const major = xml_number(version.substr(0, version.find('.')), "the version of the format");
  if (major < 2 || major > 3)
    throw xml_content_error("it has format " + std::string{version} +
                            " of hwloc; allowed: formats 2 and 3, which hwloc 2 and hwloc 3 write");
}

/// What a file begins with if it is something else than text in UTF-8.
void check_encoding(std::string_view text) {
  if (text.starts_with("\x1f\x8b"))
    throw xml_content_error("it is compressed by gzip; `gzip -dc FILE > machine.xml` decompresses it");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw xml_content_error("it is UTF-16; allowed: UTF-8, which hwloc writes");
}

void collect(xml_element const& root, topology_reading& read, machine_details& details) {
  check_format(root);
  auto const machine = std::ranges::find_if(
      root.children, [](xml_element const& c) { return c.name == "object" && c.attribute("type") == "Machine"; });
  if (machine == root.children.end()) throw xml_content_error("it has no Machine object");
  std::optional<cpu_mask> allowed;
  if (machine->has("allowed_cpuset")) allowed = xml_set(*machine, "allowed_cpuset");
  collect_pus(*machine, allowed, read);
  if (read.pus.empty()) throw xml_content_error("it has no PU that may be used");
  if (read.pus.size() > max_workers)
    throw xml_content_error("it has more than " + std::to_string(max_workers) + " PUs");
  std::unordered_set<std::uint32_t> seen;
  for (topology_pu const& pu : read.pus) {
    if (!seen.insert(pu.os_index).second)
      throw xml_content_error("PU " + std::to_string(pu.os_index) + " is there twice");
  }
  range_finder finder{read};
  collect_elements(*machine, finder);
  collect_memories(root, *machine, finder, details);
  collect_distances(root, read, details);
  collect_core_kinds(root, read, details);
}

}  // namespace

described_machine parse_xml_machine(std::string_view text, std::string const& source) {
  topology_reading read;
  read.source = source;
  machine_details details;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  try {
    check_encoding(text);
    collect(scan_xml(text), read, details);
  } catch (xml_error const& e) {
    throw usage_error(printable("topology file " + source + " is not the XML that hwloc writes: " + e.what()));
  } catch (xml_content_error const& e) {
    throw usage_error(printable("topology file " + source + ": " + e.what()));
  }
  return {topology{read}, std::move(details)};
}

described_machine read_xml_machine(std::string const& path) {
  file_text const file = read_file(path == "-" ? "/dev/stdin" : path, longest_file_bytes);
  if (file.wrong == std::errc::file_too_large)
    throw usage_error(printable("cannot read topology file " + path) + ": it is larger than 256 MiB");
  if (file.wrong) throw usage_error(printable("cannot read topology file " + path) + ": " + file.wrong.message());
  return parse_xml_machine(file.text, path == "-" ? "standard input" : path);
}

topology topology::from_xml(std::string const& path) { return read_xml_machine(path).tree; }

}}}  // namespace skua::v0::runtime

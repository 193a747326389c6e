// SPDX-License-Identifier: MIT
// What Skua and hwloc write, and what Skua ships.
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "apps/picture/picture.hpp"
#include "skua/machine/threads/engine/history/history_text.hpp"
#include "skua/parts/topology/xml_seeds_test.hpp"
#include "skua/parts/trace/trace_file.hpp"
#include "tests/readers/originals.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

namespace fs = std::filesystem;
using runtime::dice;

using runtime::testing::content_of;

/// One of the .toml files of a folder of the source tree.
std::string shipped(dice& d, char const* folder, bool below) {
  std::vector<fs::path> files;
  for (auto const& f : fs::recursive_directory_iterator(fs::path(SKUA_SOURCE_DIR) / folder)) {
    bool const direct = f.path().parent_path().filename() == fs::path(folder).filename();
    if (f.path().extension() == ".toml" && (below || direct)) files.push_back(f.path());
  }
  std::sort(files.begin(), files.end());
  return content_of(files.at(d.below(static_cast<std::uint32_t>(files.size()))).string());
}

apps::picture random_picture(dice& d) {
  apps::picture p{.width = 1 + d.below(40), .height = 1 + d.below(40), .grey = {}};
  p.grey.resize(p.width * p.height);
  for (float& g : p.grey) g = static_cast<float>(d.unit());
  return p;
}

std::string written_picture(dice& d, char const* name) {
  scratch_file const f(name);
  apps::write_picture(f.path(), random_picture(d));
  return f.content();
}

/// Tasks and flows as a worker notes them, and steals, messages and marks between.
void note_events(dice& d, trace::track& to, std::uint32_t names) {
  using trace::kind;
  std::uint64_t now = d.below(1'000);
  for (std::uint32_t i = 10 + d.below(400); i > 0; --i) {
    now += d.below(2'000);
    trace::event e{.ticks = now, .what = static_cast<kind>(1 + d.below(trace::kinds - 1))};
    e.detail = static_cast<std::uint8_t>(d.below(4));
    e.count = static_cast<std::uint16_t>(d.below(4));
    e.other = d.below(3) == 0 ? d.below(2) : d.below(names + 1);
    e.id = d.below(3) == 0 ? trace::id_of_node(d.below(3), d.below(16)) : d.below(64);
    e.value = d.below(1'000);
    to.note_at(e);
  }
}

}  // namespace

scratch_file::scratch_file(std::string const& name) {
  std::string where = (fs::temp_directory_path() / "skua_original_XXXXXX").string();
  if (::mkdtemp(where.data()) == nullptr) throw std::system_error(errno, std::generic_category(), where);
  folder_ = where;
  path_ = folder_ + "/" + name;
}
scratch_file::~scratch_file() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}
std::string scratch_file::content() const { return content_of(path_); }

std::string original_machine(dice& d) {
  scratch_file const f("x.xml");
  while (runtime::testing::write_random_machine(d, f.path()).empty()) {}  // hwloc refused it
  return f.content();
}

std::string original_trace(dice& d) {
  scratch_file const f("x");
  {
    auto const file = trace::trace_file::make({.path = f.path(),
                                               .tracks = 2,
                                               .bytes = 1,
                                               .description = R"({"program":"p","policy":"adws"})",
                                               .is_virtual = true});
    std::uint32_t names = 0;
    for (char const* const name : {"sweep", "multiply(n)", "iteration"}) names = std::max(names, file->add_name(name));
    for (std::uint32_t w = 0; w < 2; ++w) {
      trace::track t = file->track_of(w);
      note_events(d, t, names);
    }
  }
  return f.content();
}

std::string original_pgm(dice& d) { return written_picture(d, "x.pgm"); }
std::string original_png(dice& d) { return written_picture(d, "x.png"); }
std::string original_model(dice& d) { return shipped(d, "machines", false); }
std::string original_cluster(dice& d) { return shipped(d, "machines/clusters", true); }
std::string original_experiment(dice& d) { return shipped(d, "experiments", true); }

std::string original_history(dice& d) {
  runtime::history h{.of = {.program = "p", .machine = "a machine of 4 PUs", .workers = 1 + d.below(64)}};
  for (std::uint32_t i = d.below(6); i > 0; --i) {
    h.times.push_back({.type = d.below(9),
                       .address = runtime::address{d.below(1'000)},
                       .leader = {},
                       .width = static_cast<std::uint16_t>(1 + d.below(h.of.workers)),
                       .ns = d.below(1'000'000)});
  }
  for (std::uint32_t i = d.below(4); i > 0; --i) {
    runtime::known_call c{.place = {.module = "p", .build = "0123456789abcdef", .offset = d.below(1U << 20)},
                          .choice = {}};
    c.choice.call = "sweep";
    c.choice.scheduler = "adws";
    c.choice.calls = 10 + d.below(100);
    c.choice.groups = c.choice.calls;
    c.choice.calls_ns = 1'000.0 * d.below(1'000);
    c.choice.groups_ns = c.choice.calls_ns;
    h.calls.push_back(c);
  }
  return runtime::text_of(h);
}

}}}  // namespace skua::v0::testing

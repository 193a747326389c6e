// SPDX-License-Identifier: MIT
// Every reader refuses an escape sequence, planted by hand where a message quotes the file, and shows it as text. Fuzzing finds such
// places by chance; these are the known ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "tests/readers/originals.hpp"
#include "tests/readers/readers.hpp"

namespace skua { inline namespace v0 { namespace testing { namespace {

using namespace std::string_view_literals;

/// A file, and a part of what its reader says. ESC stands for the sequence "\x1b[31m", and in the words for what shows it.
struct planted {
  std::string_view reader;
  std::string_view file;
  std::string_view said;
};

constexpr std::string_view escape = "\x1b[31m";
constexpr std::string_view shown = "\\x1b[31m";

constexpr planted all[] = {
    {"machine", "<ESC/>", "the root element is <ESC>"},
    {"machine", "<topology version=\"ESC\"/>", "the version of the format is \"ESC\""},
    {"machine", "<topology version=\"&#x1b;[31m\"/>", "the version of the format is \"&#x1b;[31m\""},
    {"machine",
     R"(<topology version="2.0"><object type="Machine"><object type="PU" os_index="ESC"/></object></topology>)",
     "is \"ESC\", not a number"},
    {"machine", "<topology version=\"2.0\"><object type=\"Machine\">ESC</object></topology>", "x.xml"},
    {"trace", "ESC", "x' is no trace of Skua"},
    {"dimacs", "p ESC 1 1\n", "the problem is 'ESC'"},
    {"dimacs", "p sp ESC 1\n", "the number of nodes is 'ESC'"},
    {"dimacs", "p sp 1 1 ESC\n", "'ESC' is too much in its line"},
    {"dimacs", "p sp 1 1\nESC 1 1\n", "a line begins with 'ESC'"},
    {"dimacs", "p sp 1 1\na ESC 1 1\n", "a node is 'ESC'"},
    {"dimacs", "p sp 1 1\na 1 1 ESC\n", "an arc's length is 'ESC'"},
    {"metis", "ESC 1\n", "a line begins with 'ESC'"},
    {"metis", "1 ESC\n", "the number of edges is 'ESC'"},
    {"metis", "1 1 ESC\n", "the format is 'ESC'"},
    {"metis", "2 1\n2\nESC\n", "a node is 'ESC'"},
    {"metis", "2 1 001\n2 ESC\n1 1\n", "an edge's weight is 'ESC'"},
    {"metis", "1 0 010 ESC\n", "the number of weights of a node is 'ESC'"},
    {"edges", "# edges\n1 ESC\n", "a node is 'ESC'"},
    {"edges", "# edges\n1 2 ESC\n", "an edge's length is 'ESC'"},
    {"edges", "# edges\n1 2 3 ESC\n", "'ESC' is too much in its line"},
    {"ply", "ESC\n", "the file begins with 'ESC'; allowed: ply"},
    {"ply", "ply\nformat ESC 1.0\n", "the format is 'ESC'"},
    {"ply", "ply\nESC\n", "a line begins with 'ESC'"},
    {"ply", "ply\nelement vertex ESC\n", "the number of elements is 'ESC'"},
    {"ply", "ply\nelement vertex 1\nproperty ESC x\n", "the type is 'ESC'"},
    {"ply", "ply\nelement vertex 1\nproperty list ESC int x\n", "the type is 'ESC'"},
    {"ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\nESC "
     "0 0\n",
     "'ESC' is no number"},
    {"obj", "v 0 0 ESC\nf ESC\n", "x.obj: "},
    {"obj", "ESC\n", "x.obj: there are no triangles in it"},
    {"obj", "v 0 0 0\nusemtl ESC\no ESC\nf 1 ESC 1\n", "x.obj: "},
    {"stl", "solid ESC\n", "x.stl: there are no triangles in it"},
    {"stl", "solid ESC\nfacet ESC\n", "x.stl: "},
    {"stl", "ESC", "x.stl: it is no mesh of a known format"},
    {"xyz", "ESC\n\n", "the number of atoms is 'ESC'"},
    {"xyz", "1 ESC\n\n", "'ESC' is too much in its line"},
    {"xyz", "1\n\nESC 0 0 0\n", "an atom begins with 'ESC'"},
    {"xyz", "1\n\nH 0 0 ESC\n", "z is 'ESC'"},
    {"json-basis", "{\"elements\": ESC", "the text is not JSON"},
    {"json-basis", R"({"elements": {"\u001b[31m": {}}})", "an element is 'ESC'"},
    {"json-basis",
     R"({"elements": {"1": {"electron_shells": [{"angular_momentum": ["\u001b[31m"], "exponents": ["1"],
      "coefficients": [["1"]], "function_type": "gto"}]}}})",
     "angular_momentum has '\"\\u001b[31m\"'"},
    {"json-basis",
     R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [0], "exponents": ["\u001b[31m"],
      "coefficients": [["1"]], "function_type": "gto"}]}}})",
     "an exponent is 'ESC'"},
    {"json-basis",
     R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [0], "exponents": ["1"],
      "coefficients": [["\u001b[31m"]], "function_type": "gto"}]}}})",
     "a coefficient is 'ESC'"},
    {"json-basis",
     R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [0], "exponents": ["1"],
      "coefficients": [["1"]], "function_type": "\u001b[31m"}]}}})",
     "function_type is '\"\\u001b[31m\"'"},
    {"nwchem-basis", "BASIS\nESC S\n", "a line begins with 'ESC'"},
    {"nwchem-basis", "BASIS\nH ESC\n", "a shell is '\\x1b[31M'"},
    {"nwchem-basis", "BASIS\nH S\n 1.0 ESC\n", "is 'ESC'"},
    {"loads", "0,ESC\n", "a load is 'ESC'"},
    {"loads", "ESC,0\n", "a rank is 'ESC'"},
    {"loads", "0,1,ESC\n", "a phase is 'ESC'"},
    {"loads", "ESC\n", "a line is 'ESC'"},
    {"vt-loads", "{\"phases\": ESC", "not JSON: "},
    {"vt-loads", R"({"type": "\u001b[31m", "phases": []})", "its type is \"\\u001b[31m\""},
    {"vt-loads", R"({"type": "LBDatafile", "phases": [{"id": 0, "tasks": [{"time": "\u001b[31m", "entity": {}}]}]})",
     "x.0.json"},
    {"vt-loads", R"({"type": "LBDatafile", "metadata": {"rank": "\u001b[31m"}, "phases": []})",
     "the rank in its metadata is \"\\u001b[31m\""},
    {"system", "ESC\n", "it begins with 'ESC'"},
    {"system", "%%MatrixMarket matrix ESC real symmetric\n", "is 'ESC'"},
    {"system", "%%MatrixMarket matrix coordinate real symmetric\nESC 1 1\n", "is 'ESC'"},
    {"system", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\nESC 1 1\n", "is 'ESC'"},
    {"system", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 ESC\n", "is 'ESC'"},
    {"pgm", "P\x1b[31m", "is neither PGM (P2, P5) nor PNG"},
    {"pgm", "P2\n1 ESC\n", "the height is not a number"},
    {"png", "\x89PNG\r\n\x1a\nESCESCESC", "x.png: is not a PNG picture that can be read"},
    {"png", "\x89PNG\r\n\x1a\n\0\0\0\0\x1b[mX...."sv, "x.png: is "},
    {"model", "[ESC]\n", "x.toml:1: "},
    {"model", "[\"\\u001b[31m\"]\n", "there is no key ESC at the top level"},
    {"model", "name = \"x\"\n[memory]\n\"\\u001b[31m\" = 1\n", "ESC"},
    {"cluster", "ESC = 1\n", "this is not TOML"},
    {"cluster", "\"\\u001b[31m\" = 1\n", "there is no key ESC in "},
    {"experiment", "ESC = 1\n", "this is not TOML"},
    {"experiment", "\"\\u001b[31m\" = 1\n", "key is 'ESC'"},
    {"experiment", "title = \"t\"\nmachine = \"\\u001b[31m\"\n", "x.toml:"},
    {"history", R"({"version": "\u001b[31m", "workers": 2, "times": []})", "\"version\" is "},
    {"history", R"({"\u001b[31m": 2, "workers": 2, "times": []})", "\"ESC\" is no part of it"},
};

std::string with(std::string_view text, std::string_view instead) {
  std::string made(text);
  for (std::size_t at = 0; (at = made.find("ESC", at)) != std::string::npos; at += instead.size())
    made.replace(at, 3, instead);
  return made;
}

bool is_plain(std::string_view said) {
  return std::ranges::none_of(said, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// What the reader says of a file with these bytes in a folder of its own.
std::string said_of(reader const& r, std::string const& bytes) {
  scratch_file const f{std::string(r.file)};
  std::ofstream(f.path(), std::ios::binary) << bytes;
  try {
    r.read(f.path());
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "it was read";
}

reader const& named(std::string_view name) { return *std::ranges::find(all_readers(), name, &reader::name); }

TEST(quoting, an_escape_sequence_in_a_file_is_shown_as_text) {
  for (planted const& p : all) {
    std::string const said = said_of(named(p.reader), with(p.file, escape));
    EXPECT_TRUE(is_plain(said)) << p.reader << ": " << p.file;
    EXPECT_NE(said.find(with(p.said, shown)), std::string::npos) << p.reader << ": " << p.file << "\nsays: " << said;
  }
}

TEST(quoting, every_reader_is_tried) {
  for (reader const& r : all_readers())
    EXPECT_NE(std::ranges::find(all, r.name, &planted::reader), std::end(all)) << r.name;
}

TEST(quoting, an_escape_sequence_in_the_name_of_a_file_is_shown_as_text) {
  for (reader const& r : all_readers()) {
    reader renamed = r;
    std::string const name = std::string(escape) + std::string(r.file);
    renamed.file = name;
    std::string const said = said_of(renamed, "\x7f");
    EXPECT_TRUE(is_plain(said)) << r.name << " says: " << said;
    EXPECT_NE(said, "it was read") << r.name;
  }
}

}}}}  // namespace skua::v0::testing

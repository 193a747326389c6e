// SPDX-License-Identifier: MIT
#include "cli/balance/vt_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/balance/brotli.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

namespace fs = std::filesystem;

std::string task(int id, std::string const& time, int node, bool migratable = true) {
  return fmt::format(
      R"({{"entity":{{"home":0,"id":{},"migratable":{},"type":"object"}},"node":{},"resource":"cpu","time":{}}})", id,
      migratable, node, time);
}

std::string file(std::string const& phases) { return R"({"type":"LBDatafile","phases":[)" + phases + "]}"; }

std::string phase(int id, std::string const& tasks) { return fmt::format(R"({{"id":{},"tasks":[{}]}})", id, tasks); }

class vt_files : public testing::Test {
 protected:
  vt_files() { fs::create_directories(folder_); }
  ~vt_files() override { fs::remove_all(folder_); }

  void write(std::string const& name, std::string const& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] load_set read(std::string const& name = "", load_request const& wanted = {}) const {
    return read_vt_files((folder_ / name).string(), wanted);
  }
  /// The refusal, without the folder.
  [[nodiscard]] std::string refusal(std::string const& name = "", load_request const& wanted = {}) const {
    try {
      static_cast<void>(read(name, wanted));
    } catch (usage_error const& e) {
      std::string text = e.what();
      for (std::string const& here : {folder_.string() + "/", folder_.string()}) {
        for (auto at = text.find(here); at != std::string::npos; at = text.find(here)) text.erase(at, here.size());
      }
      return text;
    }
    return "";
  }
  /// Of a single file with this text.
  [[nodiscard]] std::string refusal_of(std::string const& text) const {
    write("data.0.json", text);
    return refusal();
  }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     (std::string("vt_files_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(vt_files, a_directory_a_pattern_and_one_of_the_files_stand_for_all_ranks) {
  write("data.0.json",
        file(phase(0, task(3, "1e-5", 0)) + "," + phase(1, task(3, "2e-5", 0) + "," + task(7, "0.5", 0))));
  write("data.1.json", "\xef\xbb\xbf \r\n" + file(phase(0, "") + ",\r\n" + phase(1, task(11, "3", 1))));
  write("readme.txt", "not one of them");
  for (char const* name : {"", "data.*.json", "data.1.json"}) {
    load_set const found = read(name);
    EXPECT_EQ(found.loads, (machine_loads{{20'000, 500'000'000}, {3'000'000'000}})) << name;
    EXPECT_EQ(found.phase_text, "phase 1, the last of 2");
    EXPECT_TRUE(found.notes.empty());
  }
  EXPECT_EQ(read("", {.phase = 0}).loads, (machine_loads{{10'000}, {}}));
  EXPECT_EQ(read("", {.ranks = 3}).loads.size(), 3U);
  EXPECT_EQ(refusal("", {.ranks = 1}), "--ranks is '1'; allowed: at least 2, the number of files");
  EXPECT_EQ(refusal("", {.phase = 7}), ": there is no phase 7; allowed: 0, 1");
}

TEST_F(vt_files, what_does_not_count_is_said_once) {
  std::string const communications =
      R"({"communications":[{"bytes":1,"from":{"id":1},"to":{"id":2}}],"tasks":[)" + task(1, "1", 5) + R"(],"id":2})";
  write("data.0.json", file(communications));
  write("data.1.json", file(communications));
  EXPECT_EQ(read().notes,
            (std::vector<std::string>{"communications are ignored: balancers know loads only",
                                      "2 of the tasks name another node than that of their file, which counts"}));
}

TEST_F(vt_files, a_rank_without_phases_is_idle) {
  write("data.0.json", file(""));
  write("data.1.json", file(phase(0, task(1, "1e-9", 1, false))));
  load_set const found = read("", {.keeps_entities = true});
  EXPECT_EQ(found.loads, (machine_loads{{}, {1}}));
  ASSERT_EQ(found.entities.size(), 2U);
  EXPECT_FALSE(found.entities[1][0].migratable);
  EXPECT_NE(found.entities[1][0].text.find(R"("time":1e-09)"), std::string::npos);
}

TEST_F(vt_files, files_may_be_compressed_with_brotli) {
  if (!has_brotli()) GTEST_SKIP() << "this build found no brotli library";
  std::string const packed = brotli_compressed(file(phase(0, task(1, "1", 0))));
  write("data.0.json.br", packed);
  write("data.1.json", brotli_compressed(file(phase(0, ""))));
  EXPECT_EQ(read().loads, (machine_loads{{1'000'000'000}, {}}));
  write("data.0.json.br", packed.substr(0, packed.size() / 2));
  EXPECT_EQ(refusal(), fmt::format("data.0.json.br: the brotli data are cut after {} bytes", packed.size() / 2));
  write("data.0.json.br", packed + "more");
  EXPECT_NE(refusal().find("data.0.json.br: the brotli data are damaged after "), std::string::npos);
  write("data.0.json.br", brotli_compressed(std::string(largest_vt_file + 1, ' ')));  // a few hundred bytes
  EXPECT_EQ(refusal(),
            fmt::format("data.0.json.br: the file is larger than {} bytes once it is decompressed", largest_vt_file));
}

TEST_F(vt_files, ranks_between_must_have_a_file_and_a_directory_one_program) {
  EXPECT_NE(refusal().find(": there is no file of a rank; allowed: a directory"), std::string::npos);
  EXPECT_NE(refusal("data.0.json").find("data.0.json: the file is not readable; allowed: "), std::string::npos);
  EXPECT_NE(refusal("data.json").find("data.json: the name has no rank; allowed: "), std::string::npos);
  write("a.0.json", file(phase(0, "")));
  write("a.2.json", file(phase(0, "")));
  EXPECT_EQ(refusal(), ": rank 1 has no file, but rank 2 has");
  write("b.0.json", file(""));
  EXPECT_NE(refusal().find("there are files of two programs, "), std::string::npos);
  EXPECT_EQ(refusal("a.*.*"), "a.*.*: there are two *; allowed: one, for the rank");
}

TEST_F(vt_files, faults_of_json_have_a_line_and_others_the_task) {
  EXPECT_EQ(refusal_of(""), "data.0.json: the file is empty");
  EXPECT_EQ(refusal_of(std::string(1000, '\0')),
            "data.0.json: the file is neither a JSON object nor one compressed with brotli");
  EXPECT_EQ(refusal_of("{\"phases\":\n\n[,"),
            "data.0.json: not JSON: line 3, column 2: syntax error while parsing value - unexpected ','; expected '[', "
            "'{', or a literal");
  std::string const whole = file(phase(0, task(1, "1", 0)));
  for (std::size_t cut = 1; cut < whole.size(); ++cut)
    EXPECT_NE(refusal_of(whole.substr(0, cut)).find("data.0.json: not JSON: line 1, column "), std::string::npos)
        << cut;
  EXPECT_EQ(refusal_of("{}"), "data.0.json: there is no \"phases\"; allowed: JSON of the type LBDatafile");
  EXPECT_EQ(refusal_of(R"({"phases":7})"), "data.0.json: \"phases\" is no list of objects");
  EXPECT_EQ(refusal_of(R"({"phases":[7]})"), "data.0.json: \"phases\" is no list of objects");
  EXPECT_EQ(refusal_of(R"({"type":"LBStatsfile","phases":[]})"),
            "data.0.json: its type is \"LBStatsfile\"; allowed: LBDatafile");
  EXPECT_EQ(refusal_of(R"({"metadata":{"rank":4},"phases":[]})"),
            "data.0.json: the rank in its metadata is 4, that in its name 0");
  EXPECT_EQ(refusal_of(R"({"phases":[{"tasks":[]}]})"),
            "data.0.json: phase number 1 of the file has no id that is a whole number");
  EXPECT_EQ(refusal_of(R"({"phases":[{"id":3,"tasks":{}}]})"), "data.0.json: phase 3 has no list of tasks");
  EXPECT_EQ(refusal_of(file(phase(1, "") + "," + phase(1, ""))), "data.0.json: phase 1 is there twice");
  EXPECT_EQ(refusal_of(file(phase(1, "7"))), "data.0.json: phase 1, task 1 is no object");
  EXPECT_EQ(refusal_of(file(phase(1, task(1, "1", 0) + "," + task(1, "-1", 0)))),
            "data.0.json: phase 1, task 2: time is -1; allowed: seconds from 0 to 18446744073");
  EXPECT_EQ(refusal_of(file(phase(1, task(1, "\"\\u001b[2J\"", 0)))),
            "data.0.json: phase 1, task 1 has no time that is a number");
  EXPECT_EQ(refusal_of(file(phase(1, R"({"time":1})"))), "data.0.json: phase 1, task 1 has no entity");
  EXPECT_EQ(refusal_of(file(phase(1, R"({"time":1,"entity":{"migratable":true}})"))),
            "data.0.json: phase 1, task 1: its entity has neither id nor seq_id");
  EXPECT_EQ(refusal_of(file(phase(1, R"({"time":1,"entity":{"id":1}})"))),
            "data.0.json: phase 1, task 1: its entity does not say whether it is migratable (true or false)");
  EXPECT_EQ(refusal_of("{\"phases\":\x1b[2J"),
            "data.0.json: not JSON: line 1, column 11: syntax error while parsing value - invalid literal; last read: "
            "'\"phases\":<U+001B>'");
  EXPECT_NE(refusal_of(file(phase(1, task(1, "1e999", 0)))).find("data.0.json: not JSON: "), std::string::npos);
  EXPECT_EQ(refusal_of(R"({"phases":)" + std::string(100'000, '[')),
            "data.0.json: values are nested more than 64 deep");
  fs::create_directories(folder_ / "data.1.json");
  EXPECT_EQ(refusal_of(file(phase(1, ""))), "data.1.json: the file is not readable");
}

TEST_F(vt_files, all_ranks_have_the_phase) {
  write("data.0.json", file(phase(0, "")));
  write("data.1.json", file(phase(0, "") + "," + phase(1, "")));
  EXPECT_EQ(refusal(), "data.0.json: there is no phase 1, which data.1.json has");
  EXPECT_TRUE(refusal("", {.phase = 0}).empty());
}

TEST_F(vt_files, a_phase_without_a_list_has_no_task) {  // vt writes none where a rank is idle
  write("data.0.json", file(R"({"id":0})"));
  write("data.1.json", file(phase(0, task(1, "1e-9", 1))));
  EXPECT_EQ(read().loads, (machine_loads{{}, {1}}));
}

TEST_F(vt_files, phases_identical_to_the_previous_one_have_its_tasks) {
  std::string const phases = phase(1, task(1, "1e-9", 0)) + "," + phase(4, task(1, "4e-9", 0));
  std::string const repeats =
      R"("identical_to_previous":{"list":[2],"range":[[5,7]]},"skipped":{"list":[0,3],"range":[]})";
  std::string const metadata = R"("metadata":{"phases":{)" + repeats + R"(},"rank":0,"type":"LBDatafile"})";
  for (bool const is_first : {true, false}) {  // whether the metadata stand before the phases
    write("data.0.json", is_first ? "{" + metadata + R"(,"phases":[)" + phases + "]}"
                                  : R"({"phases":[)" + phases + "]," + metadata + "}");
    for (auto const& [id, load] : {std::pair{1U, 1U}, {2U, 1U}, {4U, 4U}, {5U, 4U}, {7U, 4U}}) {
      load_set const found = read("", {.phase = id, .keeps_entities = true});
      EXPECT_EQ(found.loads, (machine_loads{{load}})) << id;
      EXPECT_EQ(found.phase, id);
      EXPECT_EQ(found.notes.size(), id == 1 || id == 4 ? 0U : 1U) << id;
      EXPECT_EQ(found.metadata, std::vector<std::string>{R"({"rank":0,"type":"LBDatafile"})"});
    }
    EXPECT_EQ(read().phase_text, "phase 7, the last of 6");
    EXPECT_EQ(read().loads, (machine_loads{{4}}));
    EXPECT_EQ(refusal("", {.phase = 3}), ": there is no phase 3; allowed: 1, 2, 4, 5, 6, 7");
  }
  write("data.1.json", file(phase(7, task(2, "2e-9", 1))));
  EXPECT_EQ(read().loads, (machine_loads{{4}, {2}}));
  EXPECT_EQ(refusal("", {.phase = 4}), "data.1.json: there is no phase 4, which data.0.json has");
}

TEST_F(vt_files, what_is_wrong_with_repeated_phases_is_said) {
  auto const refusal_with = [this](std::string const& said) {
    return refusal_of(R"({"metadata":{"phases":)" + said + R"(},"phases":[]})");
  };
  std::string const no_list =
      "data.0.json: identical_to_previous in its metadata is no list of phases and list of ranges";
  for (char const* const said :
       {R"([])", R"({"list":7})", R"({"list":[-1]})", R"({"list":["1"]})", R"({"range":[1]})", R"({"range":[[1]]})",
        R"({"range":[[2,1]]})", R"({"range":[[1,2,3]]})", R"({"range":[["a",2]]})"}) {
    EXPECT_EQ(refusal_with(std::string(R"({"identical_to_previous":)") + said + "}"), no_list) << said;
  }
  EXPECT_EQ(refusal_with("[]"), "data.0.json: the phases of its metadata are no object");
  for (char const* const range : {"[0,1000000]", "[0,18446744073709551615]", "[1,999999],[0,1]"}) {
    EXPECT_EQ(refusal_with(fmt::format(R"({{"identical_to_previous":{{"range":[{}]}}}})", range)),
              "data.0.json: there are more than 1000000 phases")
        << range;
  }
  EXPECT_EQ(refusal_with(R"({"identical_to_previous":{"list":[18446744073709551615],"range":null}})"),
            "data.0.json: phase 18446744073709551615 is identical to the previous one, of which there is none");
}

TEST_F(vt_files, a_file_without_end_is_refused) {
  fs::create_symlink("/dev/zero", folder_ / "data.0.json");
  EXPECT_EQ(refusal(), fmt::format("data.0.json: the file is larger than {} bytes", largest_vt_file));
}

}}  // namespace skua::cli

// SPDX-License-Identifier: MIT
// What names of places say, and what addr2line's answers become. Real programs: tests/openmp/traced_test.py.
#include "cli/text/source_places.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "cli/text/tool_output.hpp"

namespace skua::cli { namespace {

TEST(source_places, names_say_object_offset_and_build) {
  code_place const with{.object = "/opt/a b/heat", .offset = 0x1275, .build_id = "c0ffee"};
  EXPECT_EQ(read_code_place("/opt/a b/heat+0x1275 build-id c0ffee"), with);
  code_place const without{.object = "/opt/heat", .offset = 0x1275, .build_id = ""};
  EXPECT_EQ(read_code_place("/opt/heat+0x1275"), without);
  for (char const* const other :
       {"", "fib", "+0x12", "/opt/heat+0x", "/opt/heat+0x12g", "/opt/heat+0x11112222333344445"})
    EXPECT_FALSE(read_code_place(other)) << other;
}

TEST(source_places, a_line_is_better_than_a_symbol_and_that_than_an_offset) {
  code_place const at{.object = "/opt/heat", .offset = 0x1275, .build_id = ""};
  EXPECT_EQ(in_words(at, "main._omp_fn.0", "/src/heat.c:23"), "main (heat.c:23)");
  EXPECT_EQ(in_words(at, "deep::loops(int) [clone ._omp_fn.1]", "heat.cpp:7 (discriminator 2)"),
            "deep::loops(int) (heat.cpp:7)");
  EXPECT_EQ(in_words(at, "main._omp_fn.0", "??:?"), "main._omp_fn.0 in heat");
  EXPECT_EQ(in_words(at, "main._omp_fn.0", "??:0"), "main._omp_fn.0 in heat");
  EXPECT_EQ(in_words(at, "??", "??:0"), "heat+0x1275");
  EXPECT_EQ(in_words(at, "", ""), "heat+0x1275");
}

TEST(source_places, cython_counts_the_letters_of_modules) {
  EXPECT_EQ(without_cython("__pyx_pf_7sklearn_7cluster_14_k_means_lloyd_6lloyd_iter_chunked_dense._omp_fn.0"),
            "sklearn.cluster._k_means_lloyd.lloyd_iter_chunked_dense._omp_fn.0");
  EXPECT_EQ(
      without_cython("__pyx_pf_7sklearn_8ensemble_23_hist_gradient_boosting_9splitting_8Splitter_4find_node_split"),
      "sklearn.ensemble._hist_gradient_boosting.splitting.Splitter.find_node_split");
  EXPECT_EQ(without_cython("__pyx_f_7sklearn_8ensemble_23_hist_gradient_boosting_8_binning__map_col_to_bins._omp_fn.0"),
            "sklearn.ensemble._hist_gradient_boosting._binning._map_col_to_bins._omp_fn.0");
  for (char const* const plain : {"main", "__pyx_", "pyx_pf_3a_b"}) EXPECT_EQ(without_cython(plain), plain);
  for (char const* const odd :
       {"__pyx_pf_", "__pyx_pf_99999999999999999999999a", "__pyx_f_3abc", "__pyx_pf_3abc_", "__pyx_f_0_"})
    static_cast<void>(without_cython(odd));  // ends
}

TEST(source_places, an_object_that_is_gone_leaves_its_offset) {
  trace::trace_data t;
  std::string const name = "/no such folder/heat+0x10 build-id c0ffee";
  t.names = std::string(1, '\0') + name + '\0';
  t.tracks.push_back({.events = {{.what = trace::kind::construct_began, .other = 1}}});
  EXPECT_EQ(t.name(1), name);
  name_source_places({&t, 1});
  EXPECT_EQ(t.name(1), "heat+0x10");
}

[[gnu::noinline]] void a_function_of_this_test() { asm volatile(""); }

TEST(source_places, code_of_a_process_is_named_by_its_object) {
  auto const address = reinterpret_cast<std::uintptr_t>(&a_function_of_this_test);
  std::string const name = name_of_code(::getpid(), address);
  bool const has_tool = output_of({"addr2line", "--version"}).has_value();
  EXPECT_NE(name.find(has_tool ? "a_function_of_this_test" : "+0x"), std::string::npos) << name;
  EXPECT_EQ(name_of_code(::getpid(), 1), "0x1");
  EXPECT_EQ(name_of_code(0, 1), "0x1") << "no such process";
}

TEST(tool_output, is_what_the_tool_prints) {
  EXPECT_EQ(output_of({"printf", "%s", "two\nlines"}), "two\nlines");
  EXPECT_FALSE(output_of({"false"}));
  EXPECT_FALSE(output_of({"skua-has-no-such-tool"}));
  EXPECT_FALSE(output_of({}));
}

}}  // namespace skua::cli

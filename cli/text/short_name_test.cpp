// SPDX-License-Identifier: MIT
// What compilers call a task's type becomes the name that its author gave the function.
#include "cli/text/short_name.hpp"

#include <gtest/gtest.h>

namespace skua::cli {
namespace {

TEST(short_name, a_lambda_has_the_name_of_the_function_around_it) {
  EXPECT_EQ(short_name("fib(auto:1&, int)::<lambda(auto:2&)>"), "fib");
  EXPECT_EQ(
      short_name("constexpr const char* skua::v0::runtime::type_text() [with T = fib<skua::v0::here>(skua::v0::here&, "
                 "int)::<lambda(auto:2&)>]"),
      "fib");
  EXPECT_EQ(short_name("long int fib(auto:1&, int) [with auto:1 = skua::v0::here]::<lambda(auto:2&)>"), "fib");
  EXPECT_EQ(short_name("heat::{anonymous}::sweep(auto:7&, grid&)::<lambda(auto:8&)>::<lambda()>"), "sweep");
  EXPECT_EQ(short_name("fib(auto:1&, int)::{lambda(auto:1&)#2}"), "fib");
}

TEST(short_name, a_coroutine_has_the_name_that_either_compiler_gives_its_frame) {
  EXPECT_EQ(short_name("void app::fetch(fetch(int, source<int>&)::_ZN3app5fetchEiR6sourceIiE.Frame*)"), "fetch");
  EXPECT_EQ(short_name("job app::fetch(int, source<int> &)"), "fetch");
  EXPECT_EQ(short_name("void app::w::run(source<int>&)::<lambda(source<int>&)>::operator()(app::w::run(source<int>&)::"
                       "<lambda(source<int>&)>::_ZZN3app1w3runER6sourceIiEENKUlS3_E_clES3_.Frame*)"),
            "run");
  EXPECT_EQ(short_name("auto app::w::run(source<int> &)::(anonymous class)::operator()(source<int> &) const"), "run");
}

TEST(short_name, templates_arguments_and_namespaces_are_left_out) {
  EXPECT_EQ(short_name("a::b::sort<std::vector<int>::iterator, std::less<void> >(int*) const::<lambda(auto:1&)>"),
            "sort");
  EXPECT_EQ(short_name("(anonymous namespace)::body"), "body");
  EXPECT_EQ(short_name("const char *skua::runtime::type_text() [T = my::functor<3>]"), "functor");
  EXPECT_EQ(short_name("visitor::operator()(int)::<lambda()>"), "visitor");
}

TEST(short_name, a_lambda_without_a_function_has_its_place) {
  EXPECT_EQ(short_name("const char *skua::runtime::type_text() [T = (lambda at /src/app/main.cpp:12:3)]"),
            "lambda at main.cpp:12");
}

TEST(short_name, other_texts_stay_as_they_are) {
  EXPECT_EQ(short_name("iteration"), "iteration");
  EXPECT_EQ(short_name(""), "(no name)");
  EXPECT_EQ(short_name("<<"), "<<");
}

}  // namespace
}  // namespace skua::cli

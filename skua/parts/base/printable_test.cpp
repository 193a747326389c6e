// SPDX-License-Identifier: MIT
// What others write reaches no terminal as it is, and no file is read without end.
#include "skua/parts/base/printable.hpp"

#include <gtest/gtest.h>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/file.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

TEST(printable, shows_what_would_act_on_a_terminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("two\nlines\t\r"), "two\\x0alines\\x09\\x0d");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "CSI as one character of C1";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right-to-left override";
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(printable, leaves_text_as_it_is) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("/tmp/a b's \"c\" \\ ~"), "/tmp/a b's \"c\" \\ ~");
  EXPECT_EQ(printable("Größe 漢字 🙂"), "Größe 漢字 🙂");
}

TEST(printable, shows_the_bytes_of_what_is_not_utf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
}

TEST(printable, cuts_what_is_too_long) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable(std::string(5'000, 'a')).size(), longest_printable + 3);
}

TEST(printable, random_bytes_leave_no_control_character) {
  dice d{7};
  for (int round = 0; round < 20'000; ++round) {
    std::string text(1 + d.below(8), ' ');
    for (char& c : text) c = static_cast<char>(d.below(3) == 0 ? d.below(256) : 0x80 + d.below(0x80));
    std::string const shown = printable(text);
    EXPECT_EQ(printable(shown), shown) << "seed 7, round " << round;
  }
}

TEST(read_file, refuses_a_file_without_end) {
  file_text const read = read_file("/dev/zero", 100'000);
  EXPECT_EQ(read.wrong, std::errc::file_too_large);
  EXPECT_TRUE(read.text.empty());
}

}}}}  // namespace skua::v0::runtime

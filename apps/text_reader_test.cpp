// SPDX-License-Identifier: MIT
// Lines, words and numbers of plain and compressed files; what is wrong with a file is said in one sentence.
#include "apps/text_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua::apps { namespace {

/// A file that ends with its test.
class scratch_file {
 public:
  explicit scratch_file(std::string const& bytes)
      : path_(std::filesystem::temp_directory_path() / ("text_reader_test_" + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(scratch_file const&) = delete;
  scratch_file& operator=(scratch_file const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

std::string compressed(std::string const& text) {
  scratch_file const file("");
  gzFile const out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(text_reader& in) {
  std::vector<std::string> all;
  while (in.next_line()) all.emplace_back(in.rest());
  return all;
}

std::string refusal(auto&& f) {
  try {
    f();
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(text_reader, lines_of_plain_and_compressed_files_are_the_same) {
  std::string text =
      "\xef\xbb\xbf"
      "one\r\n\ntwo";
  for (int i = 0; i < 100'000; ++i) text += "\nline " + std::to_string(i);
  for (std::string const& bytes : {text, compressed(text)}) {
    scratch_file const file(bytes);
    text_reader in(file.path());
    auto const lines = lines_of(in);
    ASSERT_EQ(lines.size(), 100'003U);
    EXPECT_EQ(lines[0], "one");
    EXPECT_EQ(lines[1], "");
    EXPECT_EQ(lines[2], "two");
    EXPECT_EQ(lines.back(), "line 99999");
    in.rewind();
    EXPECT_EQ(lines_of(in), lines);
  }
}

TEST(text_reader, a_file_without_lines_has_none) {
  text_reader empty("", "x");
  EXPECT_FALSE(empty.next_line());
  text_reader one("\n", "x");
  EXPECT_EQ(lines_of(one), (std::vector<std::string>{""}));
}

TEST(text_reader, words_and_numbers_are_taken_off_the_line) {
  text_reader in("  7\tword 0.5 +2e3,last \nnext", "x");
  in.separate_also_by(",");
  ASSERT_TRUE(in.next_line());
  EXPECT_EQ(in.whole("n", 0, 9), 7U);
  EXPECT_EQ(in.word(), "word");
  EXPECT_EQ(in.real("r"), 0.5);
  EXPECT_EQ(in.real("r"), 2000);
  EXPECT_FALSE(in.is_at_end_of_line());
  EXPECT_EQ(in.word(), "last");
  EXPECT_TRUE(in.is_at_end_of_line());
  in.end_of_line();
  in.begin_line_again();
  EXPECT_EQ(in.word(), "7");
}

TEST(text_reader, wrong_words_are_shown_with_file_and_line) {
  text_reader in("\n-1 nan 1e999 \x1b[31m\xff", "x.txt");
  ASSERT_TRUE(in.next_line() && in.next_line());
  EXPECT_EQ(refusal([&] { in.whole("n", 1, 5); }), "x.txt:2: n is '-1'; allowed: 1 to 5");
  EXPECT_EQ(refusal([&] { in.real("r"); }), "x.txt:2: r is 'nan'; allowed: a finite number");
  EXPECT_EQ(refusal([&] { in.real("r"); }), "x.txt:2: r is '1e999'; allowed: a finite number");
  EXPECT_EQ(refusal([&] { in.end_of_line(); }), "x.txt:2: '\\x1b[31m\\xff' is too much in its line");
  EXPECT_EQ(refusal([&] { in.whole("n", 1, 5); }), "x.txt:2: n is ''; allowed: 1 to 5");
}

TEST(text_reader, long_words_are_cut_where_they_are_shown) {
  EXPECT_EQ(shown(std::string(50, 'a')), "'" + std::string(40, 'a') + "...'");
}

TEST(text_reader, compressed_data_that_end_early_or_are_damaged_are_refused) {
  std::string const whole = compressed(std::string(5000, 'x') + "\n" + std::string(300, 'y'));
  for (std::size_t const cut : {whole.size() - 1, whole.size() - 9, whole.size() / 2, std::size_t{12}}) {
    scratch_file const file(whole.substr(0, cut));
    std::string const said = refusal([&] {
      text_reader in(file.path());
      lines_of(in);
    });
    EXPECT_NE(said.find("the compressed data end too early"), std::string::npos) << cut << ": " << said;
  }
  std::string damaged = whole;
  damaged[damaged.size() - 8] = static_cast<char>(damaged[damaged.size() - 8] + 1);  // of the checksum
  scratch_file const file(damaged);
  std::string const said = refusal([&] {
    text_reader in(file.path());
    lines_of(in);
  });
  EXPECT_NE(said.find("the compressed data are damaged: "), std::string::npos) << said;
}

TEST(text_reader, endless_lines_are_refused_in_bounded_memory) {
  scratch_file const file(compressed(std::string(std::size_t{80} << 20, ' ')));
  EXPECT_EQ(refusal([&] {
              text_reader in(file.path());
              lines_of(in);
            }),
            file.path().string() + ": a line is longer than 64 MiB");
}

TEST(text_reader, gzip_that_expands_too_far_is_refused) {
  std::string const text(4'000, '\n');
  auto const said_of = [](std::string const& bytes, expansion_limit const& most, int passes) {
    scratch_file const file(bytes);
    std::string said = refusal([&] {
      text_reader in(file.path(), most);
      for (; passes > 0; --passes, in.rewind()) EXPECT_EQ(lines_of(in).size(), 4'000U);
    });
    return said.starts_with(file.path().string()) ? said.substr(file.path().string().size()) : said;
  };
  std::string const small = compressed(text);
  ASSERT_LT(small.size() * 20, text.size());
  EXPECT_EQ(
      said_of(small, {.bytes = 3'999, .times = 1}, 1),
      ": it decompresses to more than 3999 bytes; allowed for gzip: 3999 bytes, or 1 times the size of the file if "
      "that is more");
  EXPECT_EQ(said_of(small, {.bytes = 4'000, .times = 1}, 3), "accepted") << "each pass counts anew";
  EXPECT_EQ(said_of(small, {.bytes = 1, .times = 4'000 / small.size() + 1}, 1), "accepted");
  EXPECT_EQ(said_of(small, {.bytes = 1, .times = 10}, 1),
            ": it decompresses to more than " + std::to_string(10 * small.size()) +
                " bytes; allowed for gzip: 1 bytes, or 10 times the size of the file if that is more");
  EXPECT_EQ(said_of(text, {.bytes = 1, .times = 0}, 1), "accepted") << "a plain file does not expand";
}

TEST(text_reader, a_small_file_that_expands_without_bound_is_refused) {
  std::string blank(std::size_t{10} << 20, ' ');  // gzip makes 10 KiB of it
  for (std::size_t i = 0; i < blank.size(); i += std::size_t{1} << 20) blank[i] = '\n';
  std::string const member = compressed(blank);
  std::string all;
  for (int i = 0; i < 30; ++i) all += member;
  scratch_file const file(all);
  std::string const said = refusal([&] {
    text_reader in(file.path());
    while (in.next_line()) {}
  });
  EXPECT_NE(said.find(": it decompresses to more than 268435456 bytes; "), std::string::npos) << said;
}

TEST(text_reader, what_is_no_regular_file_is_refused) {
  EXPECT_EQ(refusal([] { text_reader("/no/such/file"); }),
            "/no/such/file: cannot be opened: No such file or directory");
  for (char const* const name : {"/tmp", "/dev/zero"}) {
    EXPECT_EQ(refusal([&] { text_reader{std::filesystem::path(name)}; }),
              std::string(name) + ": it is no regular file; allowed: a file or a link to one");
  }
  auto const fifo = std::filesystem::temp_directory_path() / ("text_reader_fifo_" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(refusal([&] { text_reader{fifo}; }), "accepted");
  std::filesystem::remove(fifo);
}

}}  // namespace skua::apps

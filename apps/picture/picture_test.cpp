// SPDX-License-Identifier: MIT
// Pictures survive being written and read; whatever a file holds, the worst result is a usage_error in one line.
#include "apps/picture/picture.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "apps/picture/formats.hpp"
#include "apps/picture/svg.hpp"
#include "apps/picture/text.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

picture gradient(std::size_t width, std::size_t height) {
  picture made{.width = width, .height = height, .grey = {}};
  for (std::size_t i = 0; i < width * height; ++i) {
    made.grey.push_back(static_cast<float>(i) / static_cast<float>(width * height));
  }
  return made;
}

void expect_near(picture const& a, picture const& b, float tolerance) {
  ASSERT_EQ(a.width, b.width);
  ASSERT_EQ(a.height, b.height);
  ASSERT_EQ(a.grey.size(), b.grey.size());
  for (std::size_t i = 0; i < a.grey.size(); ++i) ASSERT_NEAR(a.grey[i], b.grey[i], tolerance) << "pixel " << i;
}

/// The text of the refusal; empty if the bytes were accepted. Any other exception fails the test.
std::string refusal(std::string_view bytes) {
  try {
    picture const read = parse_picture(bytes, "x.pgm");
    EXPECT_EQ(read.grey.size(), read.width * read.height);
    for (float const grey : read.grey) EXPECT_TRUE(0.0F <= grey && grey <= 1.0F) << grey;
    return {};
  } catch (usage_error const& refused) {
    std::string const text = refused.what();
    EXPECT_TRUE(text.starts_with("x.pgm: ")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
}

TEST(picture, plain_and_raw_pgm_with_comments) {
  picture const plain =
      parse_picture("P2 # a comment\n#another\n 3\t2 # width and height\n4\n0 1 2\n3 4 #last\n0", "t");
  EXPECT_EQ(plain.width, 3U);
  EXPECT_EQ(plain.height, 2U);
  EXPECT_EQ(plain.grey, (std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1, 0}));
  picture const raw = parse_picture(std::string_view("P5\n2 1\n#c\n255\n\xff\x00", 16), "t");
  EXPECT_EQ(raw.grey, (std::vector<float>{1, 0}));
  picture const wide = parse_picture(std::string_view("P5 1 2 65535\n\xff\xff\x00\x01", 17), "t");
  EXPECT_EQ(wide.grey, (std::vector<float>{1, 1.0F / 65535.0F}));
  // The byte after the header's white space is a pixel even if it looks like a comment.
  EXPECT_EQ(parse_picture("P5 1 1 255\n#", "t").grey, (std::vector<float>{35.0F / 255.0F}));
}

TEST(picture, what_is_written_is_read_again) {
  for (auto const& [width, height] : {std::pair{1, 1}, {1, 70}, {65, 3}, {128, 127}}) {
    picture const shown = gradient(static_cast<std::size_t>(width), static_cast<std::size_t>(height));
    expect_near(parse_picture(to_pgm(shown), "t"), shown, 0.51F / 65535);
    expect_near(parse_picture(to_png(shown), "t"), shown, 0.51F / 255);
  }
}

TEST(picture, files_are_written_and_read_by_extension) {
  auto const folder = std::filesystem::temp_directory_path() / ("picture_test_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  picture shown = gradient(33, 17);
  for (char const* const name : {"a.pgm", "a.png", "A.PGM", "B.PNG"}) {
    write_picture(folder / name, shown);
    expect_near(read_picture(folder / name), shown, 0.51F / 255);
  }
  shown.grey = std::vector<float>(shown.grey.size(), 7.0F);
  shown.grey[0] = -3.0F;
  write_picture(folder / "clamped.png", shown);
  picture const clamped = read_picture(folder / "clamped.png");
  EXPECT_EQ(clamped.grey[0], 0.0F);
  EXPECT_EQ(clamped.grey[1], 1.0F);
  EXPECT_THROW(write_picture(folder / "a.jpg", shown), usage_error);
  EXPECT_THROW(write_picture(folder / "png", shown), usage_error);
  EXPECT_THROW(write_picture(folder / "no such folder" / "a.png", shown), usage_error);
  std::filesystem::create_directory(folder / "folder.png");
  EXPECT_THROW(write_picture(folder / "folder.png", shown), resource_error);
  EXPECT_THROW(read_picture(folder / "no such file.pgm"), usage_error);
  EXPECT_THROW(read_picture(folder), usage_error);
  std::filesystem::remove_all(folder);
}

TEST(picture, malformed_headers_are_refused_with_a_reason) {
  struct {
    std::string_view bytes;
    char const* reason;
  } const cases[] = {
      {"", "empty"},
      {"P", "neither"},
      {"hello world", "neither"},
      {"P6 1 1 255\nabc", "P6"},
      {"P9 1 1 255\nabc", "neither"},
      {"P5", "before the width"},
      {"P5x1 1 255\na", "white space"},
      {"P51 1 255\na", "white space"},
      {"P5 # only a comment", "before the width"},
      {"P5 x 1 255\na", "width is not a number"},
      {"P5 -1 1 255\na", "width is not a number"},
      {"P5 1.5 1 255\na", "height is not a number"},
      {"P5 1", "before the height"},
      {"P5 1 1", "before the greatest value"},
      {"P5 1 1 255", "before the pixels"},
      {"P5 1 1 255x", "white space"},
      {"P5 1 1 0\na", "greatest value is 0"},
      {"P5 1 1 65536\naa", "more than 65535"},
      {"P5 1 1 99999999999999999999999999\naa", "more than 65535"},
      {"P5 0 1 255\n", "no pixels"},
      {"P5 1 0 255\n", "no pixels"},
      {"P5 40000 1 255\n", "too many"},
      {"P5 32768 32768 255\n", "too many"},
      {"P5 4294967296 4294967296 255\n", "more than"},
      {"P5 18446744073709551617 1 255\na", "more than"},
      {"P5 2 2 255\nabc", "fewer pixels"},
      {"P5 2 1 256\nabc", "fewer pixels"},
      {"P5 1 1 100\n\xff", "more than the greatest"},
      {"P2 2 2 255\n1 2 3", "fewer pixels"},
      {"P2 2 2 255\n10 20 30", "before the pixel"},
      {"P2 8000 8000 255\n1 2 3", "fewer pixels"},
      {"P2 1 1 100\n101", "more than 100"},
      {"P2 1 2 255\n1 a", "pixel is not a number"},
      {"\x89PNG", "PNG"},
      {"\x89PNG\r\n\x1a\n", "PNG"},
      {"\x89PNG and then nothing of the kind", "PNG"},
  };
  for (auto const& c : cases) {
    std::string const message = refusal(c.bytes);
    EXPECT_NE(message.find(c.reason), std::string::npos) << "'" << c.bytes << "' gave '" << message << "'";
  }
}

TEST(picture, a_png_larger_than_the_limit_is_refused_before_it_is_decoded) {
  // A header with 65536 x 65536 pixels; libpng checks its checksum, so the test computes it.
  std::string bytes = to_png(gradient(4, 4));
  bytes[18] = bytes[22] = 0;
  bytes[17] = bytes[21] = 1;  // bytes 16..23: width and height, big-endian
  bytes[19] = bytes[23] = 0;
  std::uint32_t crc = 0xffff'ffffU;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= static_cast<std::uint8_t>(bytes[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb8'8320U : 0U);
  }
  crc = ~crc;
  for (std::size_t i = 0; i < 4; ++i) bytes[29 + i] = static_cast<char>(crc >> (24 - 8 * i));
  EXPECT_NE(refusal(bytes).find("too many"), std::string::npos) << refusal(bytes);
}

/// A picture with a text chunk that claims to be `length` bytes long.
std::string with_text_of(std::uint32_t length) {
  std::string bytes = to_png(gradient(4, 4));
  std::string chunk;
  for (int shift = 24; shift >= 0; shift -= 8) chunk += static_cast<char>(length >> shift & 255U);
  return bytes.insert(33, chunk + "tEXtTitle" + std::string(1, '\0') + "none");  // after the signature and the header
}

TEST(picture, a_png_whose_text_claims_a_gigabyte_takes_no_gigabyte) {
  std::string const said = refusal(with_text_of(0x4800'0000));
  EXPECT_NE(said.find("claims 1207959552 bytes, of which the file has"), std::string::npos) << said;
}

TEST(picture, a_file_without_end_is_refused_by_its_first_bytes) {
  try {
    static_cast<void>(read_picture("/dev/zero"));
    ADD_FAILURE();
  } catch (usage_error const& fault) {
    EXPECT_NE(std::string(fault.what()).find("neither PGM"), std::string::npos) << fault.what();
  }
}

TEST(picture, every_truncation_is_read_or_refused) {
  picture const shown = gradient(13, 9);
  std::string const plain = "P2 # c\n3 2\n255\n1 2 3 40 50 60";
  for (std::string const& whole : {to_pgm(shown), to_png(shown), plain}) {
    for (std::size_t size = 0; size < whole.size(); ++size) refusal(std::string_view(whole).substr(0, size));
    EXPECT_EQ(refusal(whole), "");
  }
  EXPECT_NE(refusal(to_pgm(shown).substr(0, to_pgm(shown).size() - 1)), "");
}

TEST(picture, mutated_files_are_read_or_refused) {
  std::uint64_t const seed = 20240611;
  runtime::dice random(seed);
  picture const shown = gradient(13, 9);
  std::string const plain = "P2 # c\n3 2\n255\n1 2 3 40 50 60";
  std::string const originals[] = {to_pgm(shown), to_png(shown), plain};
  for (int round = 0; round < 30000; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    std::string bytes = originals[random.below(3)];
    for (std::uint32_t changes = 1 + random.below(6); changes > 0; --changes) {
      // Half of the changes hit the header.
      auto const size = static_cast<std::uint32_t>(bytes.size());
      std::size_t const at = random.below(random.below(2) == 0 ? std::min(size, 40U) : size);
      switch (random.below(4)) {
        case 0: bytes[at] = static_cast<char>(random.below(256)); break;
        case 1: bytes.insert(at, 1, static_cast<char>('0' + random.below(10))); break;
        case 2: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); break;
        default:
          if (bytes.size() > 1) bytes.erase(at, 1);
          break;
      }
    }
    refusal(bytes);
    if (HasFailure()) return;
  }
}

TEST(svg, escapes_text_and_rounds_numbers_to_two_decimals) {
  svg drawing;
  drawing.text({1, 2.346}, "a < b & \"c\"", svg::anchor::middle);
  drawing.box({0.005, 3}, 1.0 / 3, 1e-9, rgb{0, 114, 178});
  std::string const text = drawing.document(10, 20.5, "<t>");
  EXPECT_NE(text.find("<text text-anchor=\"middle\" x=\"1\" y=\"2.35\">a &lt; b &amp; &quot;c&quot;</text>\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<rect fill=\"#0072b2\" x=\"0.01\" y=\"3\" width=\"0.33\" height=\"0\"/>\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("<title>&lt;t&gt;</title>"), std::string::npos);
  EXPECT_NE(text.find("viewBox=\"0 0 10 20.5\""), std::string::npos);
}

TEST(svg, what_has_a_paint_is_light_in_attributes_and_dark_by_the_style_of_dark_screens) {
  svg drawing;
  drawing.text({1, 2}, "soft", svg::anchor::start, {.colour = look::soft});
  drawing.line({0, 0}, {1, 1}, look::series[1]);
  drawing.box({0, 0}, 1, 1, rgb{0x12, 0x34, 0x56});
  std::string const text = drawing.document(10, 10, "t");
  std::size_t const media = text.find("@media screen and (prefers-color-scheme: dark)");
  std::size_t const end = text.find("</style>");
  ASSERT_LT(media, end);
  std::string const dark = text.substr(media, end - media);
  for (look::paint const& p : {look::ink, look::card, look::soft, look::series[1]}) {
    EXPECT_NE(dark.find("[fill=\"" + hex_of(p.light) + "\"] { fill: " + hex_of(p.dark) + "; }"), std::string::npos)
        << dark;
    EXPECT_NE(dark.find("[stroke=\"" + hex_of(p.light) + "\"] { stroke: " + hex_of(p.dark) + "; }"), std::string::npos);
  }
  EXPECT_NE(text.find(R"(<text fill=")" + hex_of(look::soft.light)), std::string::npos);
  EXPECT_NE(text.find(R"(<line stroke=")" + hex_of(look::series[1].light)), std::string::npos);
  EXPECT_EQ(dark.find("#123456"), std::string::npos);
  EXPECT_EQ(dark.find(hex_of(look::series[0].light)), std::string::npos) << "a paint that nothing has";
}

TEST(svg, a_paragraph_says_where_the_next_line_stands) {
  svg drawing;
  svg::point const next = drawing.paragraph({3, 20}, "one two three", text_width("one two"));
  EXPECT_EQ(next.x, 3);
  EXPECT_EQ(next.y, 20 + 2 * std::ceil(1.4 * look::text_size));
  EXPECT_NE(drawing.document(9, 9, "").find(">one two</text>"), std::string::npos);
}

}  // namespace
}  // namespace skua::apps

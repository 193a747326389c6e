// SPDX-License-Identifier: MIT
// Overlaps of hand-made maps in closed form; pictures that show every leaf in the colour of its worker.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "apps/map/draw.hpp"
#include "apps/map/task_map.hpp"
#include "apps/picture/svg.hpp"
#include "apps/picture/text.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua::apps {
namespace {

/// A row of unit squares.
std::vector<map_box> squares(std::vector<std::uint32_t> const& owners) {
  std::vector<map_box> all;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    auto const x = static_cast<double>(i);
    all.push_back({.left = x, .top = 0, .right = x + 1, .bottom = 1, .worker = owners[i]});
  }
  return all;
}

task_map made(std::uint32_t workers, std::vector<double> weights,
              std::vector<std::vector<std::uint32_t>> const& rounds) {
  auto const width = static_cast<double>(weights.size());
  task_map map(width, 1, workers, std::move(weights));
  for (auto const& owners : rounds) map.add(owners, squares(owners));
  return map;
}

TEST(task_map, one_iteration_overlaps_with_nothing) {
  EXPECT_EQ(made(2, {1, 1}, {}).overlap(), std::nullopt);
  EXPECT_EQ(made(2, {1, 1}, {{0, 1}}).overlap(), std::nullopt);
}

TEST(task_map, what_stays_overlaps_wholly_and_what_all_moves_not_at_all) {
  EXPECT_EQ(made(2, {1, 2, 3}, {{0, 1, 1}, {0, 1, 1}, {0, 1, 1}}).overlap(), 1.0);
  EXPECT_EQ(made(2, {1, 2, 3}, {{0, 1, 1}, {1, 0, 0}, {0, 1, 1}}).overlap(), 0.0);
}

TEST(task_map, items_count_by_weight_and_pairs_alike) {
  // 5/8 stays from the first to the second iteration, 3/8 from the second to the third.
  EXPECT_DOUBLE_EQ(made(3, {1, 4, 2, 1}, {{0, 1, 2, 0}, {0, 1, 0, 1}, {1, 2, 0, 1}}).overlap().value(),
                   (5.0 / 8 + 3.0 / 8) / 2);
}

TEST(task_map, an_item_without_an_owner_is_not_the_same) {
  EXPECT_DOUBLE_EQ(made(2, {1, 1, 2}, {{0, nobody, 1}, {0, nobody, 1}}).overlap().value(), 3.0 / 4);
}

TEST(task_map, a_shift_by_one_of_equal_blocks_loses_one_item_per_border) {
  std::size_t const items = 64;
  std::vector<std::vector<std::uint32_t>> rounds(10, std::vector<std::uint32_t>(items));
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (std::size_t j = 0; j < items; ++j) rounds[i][j] = static_cast<std::uint32_t>((j + i) % items / 16);
  }
  EXPECT_DOUBLE_EQ(made(4, std::vector<double>(items, 1), rounds).overlap().value(), 60.0 / 64);
}

TEST(task_map, owners_drawn_by_lot_overlap_by_one_in_workers) {
  std::uint64_t const seed = 5;
  runtime::dice random(seed);
  std::vector<std::vector<std::uint32_t>> rounds(20, std::vector<std::uint32_t>(5000));
  for (auto& owners : rounds) {
    for (auto& owner : owners) owner = random.below(8);
  }
  EXPECT_NEAR(made(8, std::vector<double>(5000, 1), rounds).overlap().value(), 1.0 / 8, 0.01) << "seed " << seed;
}

TEST(task_map, the_first_the_second_and_the_last_iteration_are_shown) {
  std::vector<std::vector<std::uint32_t>> rounds;
  for (std::size_t const most : {0U, 1U, 2U, 3U, 7U}) {
    while (rounds.size() < most) rounds.push_back({static_cast<std::uint32_t>(rounds.size())});
    std::vector<std::size_t> numbers;
    task_map const map = made(9, {1}, rounds);
    for (map_iteration const* shown : map.panels()) {
      numbers.push_back(shown->number);
      EXPECT_EQ(shown->owners, rounds[shown->number - 1]);
    }
    std::vector<std::size_t> wanted{1, 2, most};
    wanted.resize(std::min<std::size_t>(most, 3));
    EXPECT_EQ(numbers, wanted);
  }
}

TEST(task_map, a_worker_that_ran_everything_is_told_from_one_that_kept_its_share) {
  EXPECT_EQ(made(2, {1, 3}, {{0, 0}, {0, 0}}).overlap(), 1.0);
  EXPECT_EQ(made(2, {1, 3}, {{0, 0}, {0, 0}}).shares(), (std::vector<double>{1, 0}));
  EXPECT_EQ(made(2, {1, 3}, {{0, 1}, {0, 1}}).shares(), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(made(3, {1, 3}, {{0, 1}, {1, nobody}}).shares(), (std::vector<double>{0.125, 0.5, 0}));
  EXPECT_EQ(made(2, {1, 3}, {}).shares(), (std::vector<double>{0, 0}));
}

TEST(task_map, an_iteration_of_another_size_is_refused) { EXPECT_THROW(made(2, {1, 1}, {{0}}), std::invalid_argument); }

TEST(colours, are_those_of_the_report_and_differ) {
  for (std::uint32_t const workers : {1U, 2U, 7U, 64U}) {
    std::set<rgb> all{colour_of(nobody, workers)};
    for (std::uint32_t w = 0; w < workers; ++w) {
      EXPECT_EQ(colour_of(w, workers), look::worker_colour(w, workers));
      EXPECT_TRUE(all.insert(colour_of(w, workers)).second) << w;
    }
  }
}

/// The groups of a class, and how many boxes of each colour they have.
std::vector<std::map<std::string, std::size_t>> boxes_in(runtime::xml_element const& svg, std::string_view group) {
  std::vector<std::map<std::string, std::size_t>> all;
  for (runtime::xml_element const& e : svg.children) {
    if (e.name != "g" || e.attribute("class") != group) continue;
    all.emplace_back();
    for (runtime::xml_element const& box : e.children) {
      EXPECT_EQ(box.name, "rect");
      ++all.back()[std::string(box.attribute("fill"))];
    }
  }
  return all;
}

TEST(map_svg, is_well_formed_and_has_as_many_boxes_as_leaves) {
  for (std::uint32_t const workers : {1U, 2U, 64U, 5000U}) {
    std::vector<std::uint32_t> owners(200);
    std::iota(owners.begin(), owners.end(), 0U);
    for (auto& owner : owners) owner = owner % 3 == 0 ? nobody : owner % workers;
    std::string const text =
        to_svg(made(workers, std::vector<double>(200, 1), {owners, owners, owners, owners}), {"a < b & c > d", "e"});
    runtime::xml_element const svg = runtime::scan_xml(text);
    EXPECT_EQ(svg.name, "svg");
    std::map<std::string, std::size_t> wanted;
    for (std::uint32_t const owner : owners) ++wanted[hex_of(colour_of(owner, workers))];
    EXPECT_EQ(boxes_in(svg, "iteration"), (std::vector{wanted, wanted, wanted}));
    auto const legends = boxes_in(svg, "workers");
    ASSERT_EQ(legends.size(), 1U);
    std::size_t keys = 0;
    for (auto const& [colour, count] : legends[0]) keys += count;
    EXPECT_EQ(keys, workers);
  }
}

TEST(map_svg, of_nothing_is_well_formed) {
  EXPECT_EQ(runtime::scan_xml(to_svg(made(1, {}, {}), {})).name, "svg");
  EXPECT_EQ(runtime::scan_xml(to_svg(made(1, {}, {{}}), {})).name, "svg");
}

/// Where a text stands: left, right, baseline.
struct placed {
  std::string text;
  double left, right, baseline;
};

std::vector<placed> texts_in(runtime::xml_element const& svg) {
  std::vector<placed> all;
  for (runtime::xml_element const& e : svg.children) {
    if (e.name != "text") continue;
    auto const number = [&](char const* name) { return std::stod(std::string(e.attribute(name))); };
    bool const bold = e.attribute("font-weight") == "bold";
    double const width = text_width(e.text, e.has("font-size") ? number("font-size") : look::text_size, bold);
    double const left = number("x") - (e.attribute("text-anchor") == "middle" ? width / 2 : 0);
    all.push_back({std::string(e.text), left, left + width, number("y")});
  }
  return all;
}

TEST(map_svg, no_text_covers_another_or_leaves_the_picture) {
  for (std::uint32_t const workers : {1U, 2U, 9U, 64U, 128U, 1000U}) {
    for (double const high : {0.2, 1.0, 5.0}) {
      task_map map(1, high, workers, {1});
      for (int i = 0; i < 12; ++i)
        map.add({nobody}, {{.left = 0, .top = 0, .right = 1, .bottom = high, .worker = nobody}});
      std::string const text =
          to_svg(map, {"a program whose name is longer than any picture of it is wide: who ran what",
                       "numa-ws:some=option,another=option with 1000 workers; overlap 0.123"});
      runtime::xml_element const svg = runtime::scan_xml(text);
      double const height = std::stod(std::string(svg.attribute("height")));
      EXPECT_EQ(svg.attribute("width"), "560");
      std::vector<placed> const texts = texts_in(svg);
      EXPECT_GE(texts.size(), 9U);
      for (placed const& a : texts) {
        EXPECT_GE(a.left, 0) << a.text;
        EXPECT_LE(a.right, look::picture_width) << a.text;
        EXPECT_LE(a.baseline, height - 4) << a.text;
        for (placed const& b : texts) {
          if (&a == &b) break;
          bool const apart =
              a.right < b.left || b.right < a.left || std::abs(a.baseline - b.baseline) >= look::text_size;
          EXPECT_TRUE(apart) << a.text << " and " << b.text << " with " << workers << " workers";
        }
      }
    }
  }
}

TEST(map_png, shows_every_worker_by_area) {
  colour_picture const shown = to_picture(made(2, std::vector<double>(4, 1), {{0, 1, 1, 1}}));
  std::map<rgb, double> pixels;
  for (rgb const& p : shown.pixels) ++pixels[p];
  // Keys are 40 x 16 each; leaves are 160 x 160; lines between them take about a hundredth.
  EXPECT_NEAR(pixels[colour_of(0, 2)], 160 * 160 + 40 * 16, 1000);
  EXPECT_NEAR(pixels[colour_of(1, 2)], 3 * 160 * 160 + 40 * 16, 2000);
  EXPECT_TRUE(to_png(shown).starts_with("\x89PNG"));
}

TEST(map_names, end_in_svg_or_png_in_a_folder_that_exists) {
  auto const folder = std::filesystem::temp_directory_path();
  for (char const* const right : {"a.svg", "a.png", "A.PNG"})
    EXPECT_NO_THROW(require_map_name("--map", folder / right));
  for (char const* const wrong : {"a.jpg", "svg", "a.svg.gz", "", "no such folder/a.svg"})
    EXPECT_THROW(require_map_name("--map", folder / wrong), usage_error) << wrong;
}

}  // namespace
}  // namespace skua::apps

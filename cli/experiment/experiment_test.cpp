// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/experiment/definition.hpp"
#include "cli/experiment/results.hpp"
#include "cli/experiment/trees.hpp"
#include "cli/text/interrupt.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua::cli { namespace {

std::string const good = R"(title = "a title"
where = "1, Fig. 2"
claim = "it is so"
machine = "xeon-6130-4s"
workers = [1, 4]
app = "heat"
options = "--n 128 --iterations 2 --leaf-rows 32 --leaf-columns 32"

[[series]]
name = "random"
policy = "random"

[[series]]
name = "no steal"
policy = "adws:no-steal"

[[series]]
name = "static"
dealing = "static"

[[expect]]
says = "one is not slower"
of = "no steal@4"
over = "random@4"
at_least = 0.1

[[stated]]
of = "random@4"
value = 3.5
)";

std::string with(std::string const& old, std::string const& fresh) {
  std::string text = good;
  auto const at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

std::string refusal_of(std::string const& text) {
  try {
    static_cast<void>(parse_experiment(text, "test/it", "it.toml"));
  } catch (usage_error const& fault) {
    return fault.what();
  }
  return "nothing was refused";
}

TEST(experiment_file, a_good_file_is_read_as_written) {
  experiment const e = parse_experiment(good, "test/it", "it.toml");
  EXPECT_EQ(e.panels.size(), 1U);
  EXPECT_EQ(e.panels.front().run.app, "heat");
  EXPECT_EQ(e.series.at(2).how, dealing::statically);
  EXPECT_EQ(e.x.values, (std::vector<double>{1, 4}));
  EXPECT_EQ(e.expected.front().over.front().series, "random");
  EXPECT_EQ(e.stated.front().value, 3.5);
}

TEST(experiment_file, what_is_wrong_is_refused_with_its_line) {
  struct mistake {
    std::string old, fresh, refusal;
  };
  std::vector<mistake> const mistakes{
      {"title = \"a title\"", "titel = \"a title\"", "it.toml:1: key is 'titel'; allowed: title, where,"},
      {"claim = \"it is so\"\n", "", "it.toml:1: claim is missing"},
      {"\"xeon-6130-4s\"", "\"xeon-6131\"", "it.toml:4: machine model is 'xeon-6131'; allowed: "},
      {"[1, 4]", "[4, 1]", "it.toml:5: workers is not in order; allowed: ascending"},
      {"[1, 4]", "[1, 65]", "it.toml:5: a number of workers is 65; allowed: a whole number from 1 to 64"},
      {"app = \"heat\"", "app = \"heap\"", "it.toml:7: app is 'heap'; allowed: "},
      {"--iterations 2", "--iteration 2", "it.toml:7: heat"},
      {"policy = \"random\"", "policy = \"randon\"", "it.toml:11: policy is 'randon'; allowed: "},
      {"dealing = \"static\"", "dealing = \"statik\"", "it.toml:19: dealing is 'statik'; allowed: by policy, static"},
      {"over = \"random@4\"", "over = \"rondom@4\"", "it.toml:24: series is 'rondom'; allowed: "},
      {"over = \"random@4\"", "over = \"random@5\"",
       "it.toml:24: over is 'random@5'; allowed: the series, @ and one of"},
      {"at_least = 0.1", "", "it.toml:21: the bound of [[expect]] is missing; allowed: at_least, at_most"},
      {"value = 3.5", "value = \"3.5\"", "it.toml:29: value is not a number; allowed: a number"},
      {"over = \"random@4\"", "over = \"random@every\"",
       "it.toml:24: of and over have different x; allowed: both @every"},
      {"over = \"random@4\"", "falling = \"random\"",
       "it.toml:24: falling is given with of, over or rising; allowed: falling"},
      {"title = \"a title\"", "title = \"a title\"\nquantity = \"fact\"",
       "it.toml:2: the fact is missing; allowed: fact = "},
      {"[[stated]]", "[[stated", "it.toml:27: this is not TOML"},
  };
  for (mistake const& m : mistakes) {
    std::string const refusal = refusal_of(with(m.old, m.fresh));
    EXPECT_TRUE(refusal.starts_with(m.refusal)) << "expected: " << m.refusal << "\n     got: " << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
  }
}

TEST(experiment_file, another_machine_takes_the_place_of_its_own) {
  EXPECT_EQ(parse_experiment(good, "test/it", "it.toml", "graviton3").machine, "graviton3");
  EXPECT_EQ(parse_experiment(good, "test/it", "it.toml").machine, "xeon-6130-4s");
  for (char const* const machine : {"", "graviton", "measured-2core"})  // the last has too few PUs for 4 workers
    EXPECT_THROW(static_cast<void>(parse_experiment(good, "test/it", "it.toml", machine)), usage_error) << machine;
}

TEST(experiment_file, a_panel_has_tasks_of_its_own_or_those_of_all) {
  std::string const two =
      "task_ns = 3\n[[panel]]\nname = \"a\"\n[[panel]]\nname = \"b\"\ntask_ns = 47\n\n[[series]]\nname = \"random\"";
  experiment const e = parse_experiment(with("[[series]]\nname = \"random\"", two), "test/it", "it.toml");
  EXPECT_EQ(e.panels.at(0).task_ns, 3U);
  EXPECT_EQ(e.panels.at(1).task_ns, 47U);
  EXPECT_FALSE(parse_experiment(good, "test/it", "it.toml").panels.front().task_ns.has_value());
}

TEST(shipped_experiments, load_and_name_what_exists) {
  ASSERT_FALSE(shipped_experiments().empty());
  for (std::string_view const name : shipped_experiments()) {
    experiment const e = load_experiment(std::string{name});  // checks apps, options, policies and machines
    EXPECT_EQ(e.name, name);
    EXPECT_FALSE(e.expected.empty()) << name << " has nothing that could fail";
    for (expectation const& x : e.expected) EXPECT_FALSE(x.stated.empty()) << name << ": " << x.says;
  }
}

TEST(shipped_experiments, an_unknown_name_is_refused_with_the_nearest) {
  try {
    static_cast<void>(load_experiment("adws-sc19/fig21"));
    FAIL() << "nothing was refused";
  } catch (usage_error const& fault) {
    EXPECT_NE(std::string(fault.what()).find("did you mean 'adws-sc19/fig1"), std::string::npos) << fault.what();
  }
}

// ---- a run ---------------------------------------------------------------------------------------------------------

experiment_results run(experiment const& e, bool quick) {
  experiment_study study(e, quick, [](std::string_view) {});
  return run_experiment(study);
}

std::vector<std::vector<std::string>> cells_of(std::string const& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    if (line.ends_with(',')) rows.back().emplace_back();
  }
  return rows;
}

/// Every tag that is opened is closed, in order; attributes have their quotes.
bool is_well_formed(std::string const& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    auto const end = svg.find('>', at);
    if (end == std::string::npos) return false;
    std::string const tag = svg.substr(at + 1, end - at - 1);
    if (std::ranges::count(tag, '"') % 2 != 0 || tag.find('<') != std::string::npos) return false;
    if (tag.starts_with('?') || tag.ends_with('/')) continue;
    std::string const name = tag.substr(0, tag.find(' '));
    if (!name.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty() && svg.find("nan") == std::string::npos && svg.find("inf") == std::string::npos;
}

TEST(experiment_run, gives_the_same_bytes_twice) {
  experiment const e = parse_experiment(good, "test/it", "it.toml");
  experiment_results const a = run(e, false);
  experiment_results const b = run(e, false);
  EXPECT_EQ(csv_of(a), csv_of(b));
  EXPECT_EQ(picture_of(a), picture_of(b));
  EXPECT_EQ(text_of(a), text_of(b));
}

TEST(experiment_run, csv_has_a_row_per_point_and_agrees_with_the_results) {
  experiment const e = parse_experiment(good, "test/it", "it.toml");
  experiment_results const r = run(e, false);
  auto const rows = cells_of(csv_of(r));
  ASSERT_EQ(rows.size(), 1 + r.points.size());
  EXPECT_EQ(r.points.size(), 2U * 3U);
  auto const column = [&](std::string const& head) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], head) - rows[0].begin());
  };
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size());
    EXPECT_EQ(rows[i][column("simulated")], "true");
    double const time = std::stod(rows[i][column("median_s")]);
    EXPECT_EQ(time, value_of(r.points[i - 1].what, quantity::time));
    double const speed_up = std::stod(rows[i][column("serial_s")]) / time;
    EXPECT_EQ(std::stod(rows[i][column("speedup_over_serial")]), speed_up);
  }
}

TEST(experiment_run, verdicts_follow_from_what_was_run) {
  experiment_results const r = run(parse_experiment(good, "test/it", "it.toml"), false);
  ASSERT_EQ(r.verdicts.size(), 1U);
  double const ratio =
      value_of(r.find(0, 1, 4)->what, quantity::speed_up) / value_of(r.find(0, 0, 4)->what, quantity::speed_up);
  EXPECT_EQ(r.verdicts[0].value, ratio);
  EXPECT_EQ(r.verdicts[0].stands(), standing::holds);
  experiment const strict = parse_experiment(with("at_least = 0.1", "at_least = 1000"), "test/it", "it.toml");
  EXPECT_EQ(run(strict, false).verdicts[0].stands(), standing::fails);
}

TEST(experiment_run, a_fact_of_the_app_is_a_quantity_and_an_unknown_one_is_refused) {
  std::string const strips = R"(title = "strips"
where = "1"
claim = "it is so"
machine = "xeon-6130-4s"
workers = [1, 2]
app = "strips"
options = "--triangles 500"
quantity = "fact"
fact = "strips"
series = [{ name = "random", policy = "random" }]

[[expect]]
says = "there are strips"
of = "random@every"
at_least = 1
paper = "so"
)";
  experiment_results const r = run(parse_experiment(strips, "test/it", "it.toml"), false);
  EXPECT_GT(value_of(r.points[0].what, quantity::fact), 1);
  EXPECT_EQ(r.verdicts[0].stands(), standing::holds);
  std::string unknown = strips;
  unknown.replace(unknown.find("fact = \"strips\""), 15, "fact = \"stripes\"");
  try {
    run(parse_experiment(unknown, "test/it", "it.toml"), false);
    FAIL() << "nothing was refused";
  } catch (usage_error const& fault) {
    EXPECT_TRUE(std::string(fault.what()).starts_with("fact is 'stripes', which strips does not report; allowed: "))
        << fault.what();
  }
}

/// The texts of a picture, without the ends of lines within one.
std::string words_of(std::string const& svg) {
  std::string all;
  runtime::xml_element const root = runtime::scan_xml(svg);
  for (runtime::xml_element const& e : root.children) {
    if (e.name == "text") (all += ' ') += e.text;
  }
  return all;
}

experiment_results interrupted_after(experiment const& e, std::size_t points) {
  experiment_study study(e, false, [](std::string_view) {});
  return run_experiment(study, [&](std::size_t done, std::size_t) {
    if (done == points) throw interruption{};
  });
}

TEST(interrupted_experiment, keeps_the_points_that_are_complete) {
  experiment const e = parse_experiment(good, "test/it", "it.toml");
  experiment_results const whole = run(e, false);
  EXPECT_EQ(whole.done, whole.planned);
  EXPECT_GT(whole.planned, whole.points.size()) << "verdicts need the ends of what is assumed";
  for (std::size_t points = 1; points < whole.planned; ++points) {
    experiment_results const r = interrupted_after(e, points);
    EXPECT_EQ(r.done, points);
    EXPECT_EQ(r.planned, whole.planned);
    EXPECT_EQ(r.points.size(), std::min(points, whole.points.size()));
    ASSERT_EQ(r.verdicts.size(), whole.verdicts.size());
    EXPECT_EQ(r.verdicts[0].stands(), standing::not_run) << "after " << points;
    for (auto const& p : r.points)
      EXPECT_EQ(p.what.row.median.time_s, whole.find(p.panel, p.series, p.x)->what.row.median.time_s);
  }
  EXPECT_THROW(static_cast<void>(interrupted_after(e, 0)), interruption);
}

TEST(interrupted_experiment, says_so_in_every_output) {
  experiment const e = parse_experiment(good, "test/it", "it.toml");
  experiment_results const r = interrupted_after(e, 2);
  std::string const planned = std::to_string(r.planned);
  EXPECT_NE(text_of(r).find("interrupted after 2 of " + planned + " simulated points"), std::string::npos);
  for (std::string const& shown : {text_of(r), verdicts_csv(r), words_of(picture_of(r))})
    EXPECT_NE(shown.find("not run"), std::string::npos) << shown;
  EXPECT_NE(words_of(picture_of(r)).find("interrupted"), std::string::npos);
  json const document = to_json(r, sim::machine_model::load(e.machine));
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_EQ(document["points"], 2);
  EXPECT_EQ(document["rows"].size(), 2U);
  EXPECT_TRUE(document["verdicts"][0]["holds"].is_null());
  EXPECT_TRUE(document["verdicts"][0]["value_low_ends"].is_null());
}

TEST(interrupted_experiment, has_pictures_that_are_well_formed) {
  experiment e = parse_experiment(good, "test/it", "it.toml");
  for (chart_kind const kind : {chart_kind::lines, chart_kind::bars, chart_kind::breakdown}) {
    e.chart = kind;
    for (std::size_t const points : {1U, 2U, 5U}) {
      std::string const svg = picture_of(interrupted_after(e, points));
      EXPECT_TRUE(is_well_formed(svg)) << svg;
    }
  }
}

TEST(verdict, says_in_every_output_that_it_holds_at_the_stated_values_only) {
  experiment const e = parse_experiment(good, "test/it", "it.toml");
  experiment_results r = run(e, false);
  r.verdicts[0].low = 0.05;
  std::string const words = "at the stated values only";
  for (std::string const& shown :
       {text_of(r), verdicts_csv(r), words_of(picture_of(r)), to_json(r, sim::machine_model::load(e.machine)).dump()})
    EXPECT_NE(shown.find(words), std::string::npos) << shown;
  r.verdicts[0].low = 1;
  for (std::string const& shown : {text_of(r), verdicts_csv(r), words_of(picture_of(r))})
    EXPECT_EQ(shown.find(words), std::string::npos) << shown;
}

TEST(experiment_run, pictures_are_well_formed_and_say_that_they_are_simulated) {
  experiment e = parse_experiment(with("a title", "<a> & \\\"b\\\""), "test/it", "it.toml");
  experiment_results r = run(e, false);
  r.of = &e;
  for (chart_kind const kind : {chart_kind::lines, chart_kind::bars, chart_kind::breakdown}) {
    e.chart = kind;
    std::string const svg = picture_of(r);
    EXPECT_TRUE(is_well_formed(svg)) << svg;
    EXPECT_NE(svg.find("simulated on the machine model xeon-6130-4s"), std::string::npos);
  }
}

TEST(experiment_run, a_verdict_shows_the_ends_of_assumptions_as_values_and_not_as_a_range) {
  std::string const text = text_of(run(parse_experiment(good, "test/it", "it.toml"), false));
  EXPECT_NE(text.find("low ends  high ends  holds"), std::string::npos) << text;
  EXPECT_EQ(text.find(" .. "), std::string::npos) << text;
}

TEST(experiment_run, a_quick_run_is_not_labelled_with_the_sizes_of_the_paper) {
  std::string const quick =
      "quick = \"--n 64 --iterations 1\"\nquick_name = \"N = 64\"\n[[panel]]\nname = \"N = 128\"\n\n[[series]]\nname = "
      "\"random\"";
  experiment const e = parse_experiment(with("[[series]]\nname = \"random\"", quick), "test/it", "it.toml");
  for (chart_kind const kind : {chart_kind::lines, chart_kind::bars}) {
    experiment drawn = e;
    drawn.chart = kind;
    experiment_results r = run(e, true);
    r.of = &drawn;
    for (std::string const& shown : {csv_of(r), picture_of(r)}) {
      EXPECT_NE(shown.find("N = 64"), std::string::npos) << shown;
      EXPECT_EQ(shown.find("N = 128"), std::string::npos) << shown;
    }
  }
}

/// Whole numbers of three digits and more: sizes of inputs, not dimensions or numbers of workers.
std::vector<std::string> sizes_in(std::string const& text) {
  std::vector<std::string> all;
  std::string digits;
  for (char const c : text + " ") {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else {
      if (digits.size() >= 3) all.push_back(digits);
      digits.clear();
    }
  }
  return all;
}

TEST(shipped_experiments, that_name_a_size_name_another_one_in_quick_runs) {
  for (std::string_view const name : shipped_experiments()) {
    experiment const e = load_experiment(std::string{name});
    EXPECT_TRUE(sizes_in(e.title).empty()) << name << ": " << e.title;
    for (experiment_panel const& p : e.panels) {
      if (!sizes_in(p.name).empty()) {
        EXPECT_NE(p.name, p.quick_name) << name;
      }
    }
  }
}

TEST(static_schedule, share_i_of_every_step_is_task_i_and_no_leaf_is_lost) {
  task_tree program;
  for (int step = 0; step < 3; ++step) {
    tree_node_id const group = program.add(0, tree_node_kind::join);
    for (int i = 0; i < 5; ++i) {
      tree_node_id const leaf = program.add(program.add(group, tree_node_kind::task), tree_node_kind::leaf);
      program[leaf].flops = 10 * step + i;
      program.add_touch(leaf, {.address = 64U * static_cast<unsigned>(i), .bytes = 64});
    }
  }
  task_tree const dealt = static_schedule(program, 2);
  std::vector<std::vector<double>> shares;
  for (tree_node_id i = 0; i < dealt.size(); ++i) {
    if (dealt[i].kind == tree_node_kind::task && i != 0) shares.emplace_back();
    if (dealt[i].kind != tree_node_kind::leaf) continue;
    shares.back().push_back(dealt[i].flops);
    EXPECT_EQ(dealt[i].touches, 1U);
  }
  EXPECT_EQ(shares,
            (std::vector<std::vector<double>>{{0, 1}, {2, 3, 4}, {10, 11}, {12, 13, 14}, {20, 21}, {22, 23, 24}}));
}

TEST(arrays, are_laid_out_alike_wherever_they_were) {
  auto const program_at = [](std::uintptr_t a, std::uintptr_t b) {
    task_tree program;
    tree_node_id const group = program.add(0, tree_node_kind::join);
    for (unsigned i = 0; i < 4; ++i) {
      tree_node_id const leaf =
          program.add(program.add(group, tree_node_kind::task, as_hint(work{2})), tree_node_kind::leaf);
      program[leaf].flops = i;
      program.add_touch(leaf, {.address = a + 256 * i, .bytes = 64, .rows = 3, .stride = 96});
      program.add_touch(leaf, {.address = b + 64 * i, .bytes = 64, .written = true});
    }
    return program;
  };
  task_tree const one = with_aligned_arrays(program_at(0x1000'0040, 0x2000'0080));
  task_tree const other = with_aligned_arrays(program_at(0x3000'1230, 0x3000'2000));
  EXPECT_EQ(one.touches(), other.touches());
  ASSERT_EQ(one.size(), other.size());
  EXPECT_EQ(one[3].flops, 0);
  EXPECT_EQ(one[5].flops, 1);
  EXPECT_EQ(one[4].hints.work, 2);
  EXPECT_EQ(one.touches()[2].address - one.touches()[0].address, 256U);
}

TEST(arrays, move_with_those_who_own_them) {
  task_tree tree;
  constexpr std::uintptr_t begin = 0x5000'0040;
  tree_node_id const leaf = tree.add(0, tree_node_kind::leaf);
  tree.add_touch(leaf, {.address = begin + 4096, .bytes = 4096});
  tree.set_owned({{.address = begin, .bytes = 4096 + 512, .owner = place_id{0}},
                  {.address = begin + 4096 + 512, .bytes = 8192, .owner = place_id{1}},
                  {.address = 0x7000'0100, .bytes = 64, .owner = {}}});
  task_tree const moved = with_aligned_arrays(tree);
  ASSERT_EQ(moved.owned().size(), 3U);
  std::uintptr_t const first = moved.owned()[0].address;
  EXPECT_EQ(first % (std::uintptr_t{2} << 20), 0U);
  EXPECT_EQ(moved.touches()[0].address, first + 4096);
  EXPECT_EQ(moved.owned()[1], (owned_range{.address = first + 4096 + 512, .bytes = 8192, .owner = place_id{1}}));
  EXPECT_GT(moved.owned()[2].address, first + 4096 + 512 + 8192);
  EXPECT_FALSE(moved.owned()[2].owner.has_value());
}

}}  // namespace skua::cli

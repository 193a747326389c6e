// SPDX-License-Identifier: MIT
#include "skua/parts/base/options.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using namespace std::chrono_literals;
using variables = std::map<std::string, std::string>;

settings read(variables const& set) {
  return settings_from_environment([&set](char const* name) -> std::optional<std::string> {
    auto const found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional{found->second};
  });
}

/// The message of the usage_error that these variables cause; empty if they cause none.
std::string refusal(variables const& set) {
  try {
    static_cast<void>(read(set));
  } catch (usage_error const& e) {
    return e.what();
  }
  return {};
}

TEST(options, nothing_set_gives_defaults_and_says_so) {
  settings const s = read({});
  EXPECT_FALSE(s.workers.value.has_value());
  EXPECT_TRUE(s.places.value.empty());
  EXPECT_FALSE(s.pin.value.has_value());
  EXPECT_EQ(s.policy.value, "auto");
  EXPECT_EQ(s.spin.value, 50us);
  EXPECT_EQ(s.stack_bytes.value, std::size_t{8} << 20);
  EXPECT_FALSE(s.count_forks.value);
  for (std::string const& from : {s.workers.source, s.places.source, s.pin.source, s.policy.source, s.spin.source}) {
    EXPECT_EQ(from, "default");
  }
}

TEST(options, every_variable_is_read_and_remembered) {
  settings const s = read({{"SKUA_WORKERS", " 12 "},
                           {"SKUA_PLACES", "{0:4}"},
                           {"SKUA_PIN", "Off"},
                           {"SKUA_POLICY", "numa-ws"},
                           {"SKUA_SPIN", "1ms"},
                           {"SKUA_COUNT_FORKS", "on"},
                           {"SKUA_STACK", "256k"}});
  EXPECT_EQ(s.workers.value, 12U);
  EXPECT_EQ(s.workers.source, "SKUA_WORKERS");
  EXPECT_EQ(s.places.value, "{0:4}");
  EXPECT_EQ(s.places.source, "SKUA_PLACES");
  EXPECT_EQ(s.pin.value, false);
  EXPECT_EQ(s.policy.value, "numa-ws");
  EXPECT_EQ(s.spin.value, 1ms);
  EXPECT_EQ(s.stack_bytes.value, std::size_t{256} << 10);
  EXPECT_EQ(s.stack_bytes.source, "SKUA_STACK");
  EXPECT_TRUE(s.count_forks.value);
  EXPECT_EQ(s.count_forks.source, "SKUA_COUNT_FORKS");
}

TEST(options, code_overrides_and_is_remembered) {
  settings s = read({{"SKUA_WORKERS", "3"}});
  s.workers.set(5);
  EXPECT_EQ(s.workers.value, 5U);
  EXPECT_EQ(s.workers.source, "code");
  EXPECT_TRUE(s.workers.chosen());
  EXPECT_FALSE(s.policy.chosen());
}

TEST(options, openmp_variables_count_only_where_ours_are_unset) {
  EXPECT_EQ(read({{"OMP_NUM_THREADS", "6, 2,1"}}).workers.value, 6U);
  EXPECT_EQ(read({{"OMP_NUM_THREADS", "6"}}).workers.source, "OMP_NUM_THREADS");
  EXPECT_EQ(read({{"OMP_NUM_THREADS", "6"}, {"SKUA_WORKERS", "2"}}).workers.value, 2U);
  EXPECT_EQ(read({{"OMP_NUM_THREADS", "6"}, {"SKUA_WORKERS", "  "}}).workers.value, 6U);
  EXPECT_EQ(read({{"OMP_PLACES", "cores"}}).places.source, "OMP_PLACES");
  EXPECT_EQ(read({{"OMP_PLACES", "cores"}, {"SKUA_PLACES", "sockets"}}).places.value, "sockets");
  EXPECT_EQ(read({{"OMP_NUM_THREADS", "nonsense"}, {"SKUA_WORKERS", "2"}}).workers.value, 2U);
}

TEST(options, senseless_worker_counts_are_named_with_what_is_allowed) {
  for (std::string const value :
       {"0", "-1", "65537", "99999999999999999999999", "four", "4x", "4 4", "+4", "0x4", "1.5", "4,2"}) {
    std::string const message = refusal({{"SKUA_WORKERS", value}});
    EXPECT_NE(message.find("SKUA_WORKERS is '" + value + "'; allowed: "), std::string::npos) << message;
    EXPECT_NE(message.find("1 to 65536"), std::string::npos) << message;
  }
  EXPECT_EQ(read({{"SKUA_WORKERS", "1"}}).workers.value, 1U);
  EXPECT_EQ(read({{"SKUA_WORKERS", "65536"}}).workers.value, 65'536U);
}

TEST(options, senseless_openmp_thread_counts_are_named) {
  for (std::string const value : {"0", "-2", "4,", ",4", "4,zero", "4,0", "65537", "4;2"}) {
    std::string const message = refusal({{"OMP_NUM_THREADS", value}});
    EXPECT_NE(message.find("OMP_NUM_THREADS is '" + value + "'; allowed: "), std::string::npos) << message;
  }
}

TEST(options, switches_are_read_or_refused) {
  for (char const* word : {"on", "true", "1", "ON", "True", "yes"}) EXPECT_TRUE(read_switch("x", word)) << word;
  for (char const* word : {"off", "false", "0", "OFF", " no "}) EXPECT_FALSE(read_switch("x", word)) << word;
  for (char const* word : {"2", "maybe", "o n", "-1"}) {
    EXPECT_NE(refusal({{"SKUA_PIN", word}}).find("SKUA_PIN"), std::string::npos) << word;
  }
}

TEST(options, durations_are_read_with_their_unit_or_refused) {
  EXPECT_EQ(read_duration("x", "0"), 0ns);
  EXPECT_EQ(read_duration("x", "0us"), 0ns);
  EXPECT_EQ(read_duration("x", "inf"), spin_forever);
  EXPECT_EQ(read_duration("x", "7ns"), 7ns);
  EXPECT_EQ(read_duration("x", "50us"), 50us);
  EXPECT_EQ(read_duration("x", "1 MS"), 1ms);
  EXPECT_EQ(read_duration("x", "2s"), 2s);
  for (char const* text :
       {"50", "us", "-1us", "1.5ms", "1h", "1us2", "99999999999s", "99999999999999999999s", "infinite"}) {
    EXPECT_NE(refusal({{"SKUA_SPIN", text}}).find("SKUA_SPIN"), std::string::npos) << text;
  }
}

TEST(options, stack_sizes_are_read_within_bounds_or_refused) {
  EXPECT_EQ(read_stack_bytes("x", "65536"), 65'536U);
  EXPECT_EQ(read_stack_bytes("x", "16k"), min_stack_bytes);
  EXPECT_EQ(read_stack_bytes("x", "8M"), std::size_t{8} << 20);
  EXPECT_EQ(read_stack_bytes("x", "1g"), max_stack_bytes);
  for (char const* text :
       {"0", "-1", "15k", "16383", "2g", "1025m", "k", "4q", "1.5m", "18014398509481985k", "99999999999999999999"}) {
    EXPECT_NE(refusal({{"SKUA_STACK", text}}).find("SKUA_STACK"), std::string::npos) << text;
  }
}

TEST(options, a_policys_name_is_left_to_those_who_know_them) {
  EXPECT_EQ(read({{"SKUA_POLICY", " hierarchical"}}).policy.value, "hierarchical");
  EXPECT_EQ(read({{"SKUA_POLICY", "a B"}}).policy.value, "a B");
  EXPECT_EQ(read({{"SKUA_POLICY", "a B"}}).policy.source, "SKUA_POLICY");
}

TEST(options, the_process_environment_is_one_such_getter) {
  EXPECT_FALSE(process_environment()("SKUA_NO_SUCH_VARIABLE").has_value());
  EXPECT_TRUE(process_environment()("PATH").has_value());
}

}}}}  // namespace skua::v0::runtime

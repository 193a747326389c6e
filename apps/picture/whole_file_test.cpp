// SPDX-License-Identifier: MIT
#include "apps/picture/whole_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "apps/picture/picture.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

namespace fs = std::filesystem;

class whole_file : public ::testing::Test {
 protected:
  whole_file() : folder_(fs::temp_directory_path() / ("whole_file_test_" + std::to_string(::getpid()))) {
    fs::create_directory(folder_);
  }
  ~whole_file() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string const& name) const { return (folder_ / name).string(); }
  static std::string content(std::string const& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

 private:
  fs::path folder_;
};

/// Files end after 4 KiB, as on a disk that is full then.
class little_room {
 public:
  little_room() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit some = before_;
    some.rlim_cur = 4096;
    ::setrlimit(RLIMIT_FSIZE, &some);
    ::signal(SIGXFSZ, SIG_IGN);
  }
  ~little_room() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, SIG_DFL);
  }
  little_room(little_room const&) = delete;
  little_room& operator=(little_room const&) = delete;

 private:
  rlimit before_{};
};

TEST_F(whole_file, a_full_disk_leaves_the_old_file_and_no_half_of_a_new_one) {
  std::string const large(100'000, 'x');
  write_whole_file(path("old"), "old");
  {
    little_room const room;
    EXPECT_THROW(write_whole_file(path("old"), large), resource_error);
    EXPECT_THROW(write_whole_file(path("new"), large), resource_error);
    picture const shown{.width = 200, .height = 200, .grey = std::vector<float>(40'000, 0.5F)};
    EXPECT_THROW(write_picture(path("new.pgm"), shown), resource_error);
  }
  EXPECT_EQ(content(path("old")), "old");
  EXPECT_EQ(files(), 1U) << "only the old one";
  EXPECT_THROW(write_whole_file("/dev/full", "x"), resource_error);
}

TEST_F(whole_file, replaces_a_file_and_keeps_its_permissions) {
  write_whole_file(path("a"), "one");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  write_whole_file(path("a"), "two");
  EXPECT_EQ(content(path("a")), "two");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1U);
}

TEST_F(whole_file, writes_through_a_symbolic_link) {
  write_whole_file(path("real"), "one");
  fs::create_symlink("real", path("link"));
  write_whole_file(path("link"), "two");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("real")), "two");
}

TEST_F(whole_file, what_is_no_file_is_refused) {
  EXPECT_THROW(write_whole_file(path("."), "x"), resource_error);
  EXPECT_THROW(write_whole_file(path("none/a"), "x"), resource_error);
  EXPECT_EQ(files(), 0U);
  EXPECT_NO_THROW(write_whole_file("/dev/null", "x"));
}

}  // namespace
}  // namespace skua::apps

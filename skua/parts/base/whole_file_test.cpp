// SPDX-License-Identifier: MIT
#include "skua/parts/base/whole_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

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
  }
  EXPECT_EQ(content(path("old")), "old");
  EXPECT_EQ(files(), 1U) << "only the old one";
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

TEST_F(whole_file, writes_the_target_of_a_link_that_has_none_yet) {
  fs::create_directory(path("scratch"));
  fs::create_symlink("scratch/state", path("near"));
  fs::create_symlink(path("scratch/other"), path("far"));
  fs::create_symlink("far", path("far_away"));
  for (char const* link : {"near", "far_away"}) {
    EXPECT_FALSE(fault_of_writing(path(link))) << link;
    write_whole_file(path(link), link);
    EXPECT_TRUE(fs::is_symlink(path(link)));
  }
  EXPECT_EQ(content(path("scratch/state")), "near");
  EXPECT_EQ(content(path("scratch/other")), "far_away");
  fs::create_symlink("circle", path("circle"));
  EXPECT_EQ(try_write_whole_file(path("circle"), "x").number, ELOOP);
  EXPECT_TRUE(fs::is_symlink(path("circle")));
}

TEST_F(whole_file, what_is_no_file_is_refused) {
  EXPECT_EQ(try_write_whole_file(path("."), "x").in_words(), "Is a directory");
  EXPECT_EQ(try_write_whole_file(path("none/a"), "x").in_words(), "No such file or directory");
  EXPECT_EQ(try_write_whole_file(path("none/"), "x").in_words(), "Is a directory");
  EXPECT_EQ(try_write_whole_file("", "x").in_words(), "No such file or directory");
  write_whole_file(path("a"), "one");
  EXPECT_EQ(try_write_whole_file(path("a/b"), "x").in_words(), "Not a directory");
  EXPECT_EQ(try_write_whole_file(path(std::string(300, 'a')), "x").in_words(), "File name too long");
  for (std::string const& p : {path("."), path("none/a"), path("none/"), std::string(), path("a/b")}) {
    EXPECT_EQ(fault_of_writing(p).number, try_write_whole_file(p, "x").number) << p;
    EXPECT_THROW(write_whole_file(p, "x"), resource_error) << p;
  }
  EXPECT_EQ(files(), 1U);
}

TEST_F(whole_file, a_device_or_a_fifo_stays_what_it_is) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", path("link"));
  std::vector<std::string> special{path("fifo"), path("link")};
  bool const devices = ::mknod(path("null").c_str(), S_IFCHR | 0666, ::makedev(1, 3)) == 0;  // needs root
  if (devices) special.push_back(path("null"));
  for (std::string const& p : special) {
    struct stat before{};
    struct stat after{};
    ASSERT_EQ(::lstat(p.c_str(), &before), 0);
    write_fault const fault = try_write_whole_file(p, "x");
    EXPECT_TRUE(fault.is_special);
    EXPECT_EQ(fault.in_words(), "it is no regular file");
    EXPECT_TRUE(fault_of_writing(p).is_special);
    ASSERT_EQ(::lstat(p.c_str(), &after), 0);
    EXPECT_EQ(after.st_ino, before.st_ino) << p;
    EXPECT_EQ(after.st_mode, before.st_mode) << p;
  }
  // The same in place, into a pipe that someone reads.
  int const reader = ::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  file_rules const in_place{.special_files = file_rules::special::written_in_place};
  EXPECT_FALSE(fault_of_writing(path("link"), in_place));
  write_whole_file(path("link"), "through", in_place);
  char got[16] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 7);
  EXPECT_EQ(std::string(got), "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
  EXPECT_EQ(files(), special.size());
}

/// As /dev/stdout, which is a link to /proc/self/fd/1.
TEST_F(whole_file, an_open_file_may_be_named_by_its_number) {
  file_rules const in_place{.special_files = file_rules::special::written_in_place};
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(ends[1]), path("out"));
  EXPECT_FALSE(fault_of_writing(path("out"), in_place));
  write_whole_file(path("out"), "to a pipe", in_place);
  char got[16] = {};
  EXPECT_EQ(::read(ends[0], got, sizeof got), 9);
  EXPECT_TRUE(try_write_whole_file(path("out"), "x").is_special);
  ::close(ends[0]);
  ::close(ends[1]);
  int const file = ::open(path("file").c_str(), O_RDWR | O_CREAT, 0600);
  std::string const number = "/proc/self/fd/" + std::to_string(file);
  write_whole_file(number, "to a file");
  EXPECT_EQ(content(path("file")), "to a file");
  fs::remove(path("file"));
  int const removed = ::open(path("removed").c_str(), O_RDWR | O_CREAT, 0600);
  fs::remove(path("removed"));
  EXPECT_FALSE(fault_of_writing("/proc/self/fd/" + std::to_string(removed)));
  write_whole_file("/proc/self/fd/" + std::to_string(removed), "to no name");
  EXPECT_EQ(::read(removed, got, sizeof got), 10);
  ::close(removed);
  ::close(file);
  EXPECT_EQ(files(), 1U);
}

TEST_F(whole_file, a_writer_that_is_killed_leaves_the_old_file_and_no_other) {
  int const nameless = ::open(path(".").c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (nameless < 0) GTEST_SKIP() << "files without a name: " << std::strerror(errno);
  ::close(nameless);
  write_whole_file(path("a"), "old");
  pid_t const child = ::fork();
  if (child == 0) {
    // The signal of a file that grows too large ends it in the middle of its write.
    rlimit const little{4096, 4096};
    rlimit const no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_FSIZE, &little);
    ::signal(SIGXFSZ, SIG_DFL);
    static_cast<void>(try_write_whole_file(path("a"), std::string(100'000, 'x')));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(whole_file, a_draft_that_a_killed_writer_left_is_no_obstacle) {
  std::string const first = path("a") + "." + std::to_string(::getpid()) + ".0.part";
  fs::create_symlink("/proc/none/such", first);
  write_whole_file(path("a"), "one", {.flushed = true});
  EXPECT_EQ(content(path("a")), "one");
  EXPECT_TRUE(fs::is_symlink(first)) << "it is not followed, and not taken";
  EXPECT_EQ(files(), 2U);
}

}}}}  // namespace skua::v0::runtime

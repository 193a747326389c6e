// SPDX-License-Identifier: MIT
// `./study` in the folder of `make study`: starts bin/skua study there. Linked statically, because it runs before anything that it needs can be
// found: the programs in bin name lib/ld-linux-*.so as their loader, relative to the working directory, which is this folder.
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(char const* what) {
  std::perror(what);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) fail("study: /proc/self/exe");
  std::string folder = self;
  folder.resize(folder.rfind('/'));
  if (::chdir(folder.empty() ? "/" : folder.c_str()) != 0) fail("study: its folder");
  // hwloc and OpenMP of the folder must not load what a machine with other versions has.
  ::setenv("HWLOC_PLUGINS_PATH", "lib/none", 1);
  ::unsetenv("LD_LIBRARY_PATH");
  ::unsetenv("LD_PRELOAD");
  std::vector<char*> words;
  std::string skua = "bin/skua";
  std::string subcommand = "study";
  words.push_back(skua.data());
  words.push_back(subcommand.data());
  for (int i = 1; i < argc; ++i) words.push_back(argv[i]);
  words.push_back(nullptr);
  ::execv(skua.c_str(), words.data());
  fail("study: bin/skua");
}

// SPDX-License-Identifier: MIT
// How --help looks: "--name VALUE  what it does", and nothing about the parser's own affairs.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace skua::cli {

/// For `words` and what is added below it afterwards. `below` is what the usage line calls its subcommands: VERB, APP.
void explain_plainly(CLI::App& words, std::string const& below);

}  // namespace skua::cli

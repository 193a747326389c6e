#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""api_headers.py shows what is public and nothing else; site_pages.py finds links that lead nowhere."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import api_headers  # noqa: E402  (they stand beside this file)
import case_report  # noqa: E402
import site_pages as site  # noqa: E402

HEADER = """\
// SPDX-License-Identifier: MIT
// Says #what @it is.
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

class pool;
/// Nobody sees it.
class hidden {};
/// Seen <by> all, `as <it> is`.
class shown : hidden { int f(runtime::hidden const& x); };
inline int automatic = 1;  ///< said behind

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::shown;
using runtime::automatic;
/// For policies.
namespace policies { struct all_of_it {}; }

}}  // namespace skua::v0
"""


class headers(unittest.TestCase):
    def setUp(self):
        self.text, self.names = api_headers.shown("skua/x.hpp", HEADER, {"shown", "automatic", "elsewhere"})

    def test_public_names_are_left_with_what_is_said_of_them(self):
        self.assertEqual(self.names, {"shown", "automatic", "all_of_it"})
        self.assertIn("class shown", self.text)
        self.assertIn("///< said behind", self.text)

    def test_nothing_else_is_left(self):
        for word in ("class pool", "class hidden", "Nobody", "using", "runtime"):
            self.assertNotIn(word, self.text)

    def test_comments_hold_no_commands_of_doxygen(self):
        self.assertIn("Seen &lt;by> all, `as <it> is`.", self.text)
        self.assertIn("\\#what \\@it is", self.text)

    def test_a_header_without_public_names_is_not_shown(self):
        self.assertEqual(api_headers.shown("skua/x.hpp", "// a\nnamespace skua { class internal {}; }\n", {"shown"}), ("", set()))


class links(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()

    def wrong(self, **pages):
        for name, text in pages.items():
            (self.folder / f"{name}.html").write_text(text, encoding="utf-8")
        return list(site.wrong_links(self.folder))

    def test_links_that_lead_somewhere_are_right(self):
        self.assertEqual(self.wrong(a='<a href="b.html#x">', b='<h2 id="x"><a href="#x"><a href="https://else.where/">'), [])

    def test_a_missing_page_and_a_missing_anchor_are_named(self):
        self.assertEqual(len(self.wrong(a='<a href="c.html"><a href="b.html#y"><img src="z.png">', b='<h2 id="x">')), 3)

    def test_what_stands_behind_a_figure_is_left_out(self):
        site.stage_page(self.folder, self.folder / "p.md", "takes **2.47**<!-- fork.ns --> ns <!-- stays -->\n", self.folder / "out")
        self.assertEqual((self.folder / "out/p.md").read_text(encoding="utf-8"), "takes **2.47** ns <!-- stays -->\n")

    def test_a_page_links_to_copies_of_sources_and_to_pages_of_folders(self):
        (self.folder / "with").mkdir()
        (self.folder / "without").mkdir()
        (self.folder / "with/README.md").touch()
        (self.folder / "a.hpp").write_text("x", encoding="utf-8")
        site.stage_page(self.folder, self.folder / "p.md", "[a](a.hpp) [b](with) [c](without)\n<!-- before\nint x;\n-->\n`[a](a.hpp)`\n",
                        self.folder / "out")
        self.assertEqual((self.folder / "out/p.md").read_text(encoding="utf-8"), "[a](a.hpp.txt) [b](with/README.md) c\n`[a](a.hpp)`\n")
        self.assertTrue((self.folder / "out/a.hpp.txt").is_file())


if __name__ == "__main__":
    case_report.main()

// SPDX-License-Identifier: MIT
#include "skua/parts/memory/abilities.hpp"

#include <fstream>

#include "skua/parts/memory/bind.hpp"
#include "skua/parts/memory/locate.hpp"
#include "skua/parts/memory/page_block.hpp"
#include "skua/parts/memory/touch.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

page_ability answer(std::error_code refusal, std::string const& call, std::string const& works) {
  if (!refusal) return {.works = true, .why = works};
  return {.works = false, .why = "the kernel refused " + call + ": " + refusal.message()};
}

page_ability try_bind(page_kernel const& kernel) {
  page_block const one(1, page_size::small, kernel);
  // The rule that every page has anyway: this tests the right to call mbind, and needs no particular node.
  return answer(unbind_pages(one.bytes(), kernel), "mbind(2)", "mbind(2)");
}

page_ability try_locate(page_kernel const& kernel) {
  page_block const one(1, page_size::small, kernel);
  if (std::error_code const fault = touch_pages(one.bytes(), kernel)) return answer(fault, "a page", "");
  page_homes const found = locate_pages(one.bytes(), kernel);
  if (!found.refusal && found.pages.front().state != page_state::on_node) {
    return {.works = false, .why = "move_pages(2) does not locate a page that was just touched"};
  }
  return answer(found.refusal, "move_pages(2)", "move_pages(2)");
}

page_ability try_huge(page_kernel const& kernel) {
  std::string choices;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), choices);
  if (huge_page_bytes() == 0) return {.works = false, .why = "this kernel has no transparent huge pages"};
  if (choices.find("[never]") != std::string::npos) {
    return {.works = false, .why = "/sys/kernel/mm/transparent_hugepage/enabled says never"};
  }
  page_block const one(1, page_size::huge, kernel);
  return answer({one.refusal(), std::generic_category()}, "madvise(2)",
                std::to_string(one.page_bytes() >> 10U) + " KiB, for arrays that ask for them");
}

}  // namespace

page_abilities try_pages(page_kernel const& kernel) {
  return {.bind = try_bind(kernel), .locate = try_locate(kernel), .huge = try_huge(kernel)};
}

}}}  // namespace skua::v0::runtime

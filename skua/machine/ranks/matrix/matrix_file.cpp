// SPDX-License-Identifier: MIT
// A matrix as one file: in rows, whatever its distribution, so that any number of ranks can read it.
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/matrix/matrix_core.hpp"
#include "skua/parts/base/checksum.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/regular_file.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::string_view first_line = "skua matrix   1\n";
constexpr char const* subject = "matrix file";

/// The checksum is of what follows it.
struct file_head {
  std::uint64_t bytes = 0;  ///< of the elements
  std::uint64_t checksum = 0;
  std::uint64_t type = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};
constexpr std::size_t head_bytes = first_line.size() + sizeof(file_head);

[[nodiscard]] std::uint64_t checksum_of(file_head const& head, std::span<std::byte const> elements) {
  std::array<std::uint64_t, 3> const shape{head.type, head.rows, head.columns};
  runtime::checksum sum;
  sum.add(std::as_bytes(std::span(shape)));
  sum.add(elements);
  return sum.value();
}

[[noreturn]] void refuse_damaged(std::string const& path, char const* how) {
  throw usage_error("matrix file " + runtime::printable(path) + " is damaged: " + how);
}

/// Throws unless this is a file of such a matrix.
void check(std::string const& path, std::span<std::byte const> all, file_head const& wanted) {
  if (all.size() < head_bytes || std::memcmp(all.data(), first_line.data(), first_line.size()) != 0) {
    throw usage_error("matrix file " + runtime::printable(path) + " is no matrix of this version");
  }
  file_head found;
  std::memcpy(&found, all.data() + first_line.size(), sizeof found);
  auto const elements = all.subspan(head_bytes);
  if (elements.size() < found.bytes) refuse_damaged(path, "it ends too early");
  if (elements.size() > found.bytes) refuse_damaged(path, "it has data after its end");
  if (checksum_of(found, elements) != found.checksum) refuse_damaged(path, "its checksum is not that of its content");
  if (found.type == wanted.type && found.rows == wanted.rows && found.columns == wanted.columns) return;
  auto const in_words = [](file_head const& h) {
    std::string const type = h.type <= static_cast<std::uint64_t>(window_element::c128)
                                 ? name_of(static_cast<window_element>(h.type))
                                 : "another type";
    return std::to_string(h.rows) + " x " + std::to_string(h.columns) + " elements of " + type;
  };
  throw usage_error("matrix file " + runtime::printable(path) + " has " + in_words(found) +
                    "; wanted: " + in_words(wanted));
}

}  // namespace

void matrix_core::write(std::string const& path) {
  meet(call("write", " to " + path));
  core_.on_rank(core_.all().first(), {.what = operation::matrix, .detail = action_}, [&] {
    file_head head{.bytes = layout_.rows() * layout_.columns() * size_of(type_),
                   .type = static_cast<std::uint64_t>(type_),
                   .rows = layout_.rows(),
                   .columns = layout_.columns()};
    std::string all(head_bytes + head.bytes, '\0');
    auto* const elements = reinterpret_cast<std::byte*>(all.data() + head_bytes);
    transfer_now(transfer_kind::get, {0, 0, head.rows, head.columns}, {elements, head.columns});
    head.checksum = checksum_of(head, {elements, head.bytes});
    std::memcpy(all.data(), first_line.data(), first_line.size());
    std::memcpy(all.data() + first_line.size(), &head, sizeof head);
    runtime::write_fault const fault = runtime::try_write_whole_file(path, all, {.flushed = true});
    if (fault.is_special) runtime::refuse_special_file(subject, path);
    if (fault)
      throw resource_error("matrix file " + runtime::printable(path) + ": cannot be written: " + fault.in_words());
  });
}

void matrix_core::read(std::string const& path) {
  meet(call("read", " from " + path));
  std::vector<std::byte> all;
  core_.on_rank(core_.all().first(), {.what = operation::matrix, .detail = action_}, [&] {
    all = runtime::read_regular_file(subject, path);
    check(path, all, {.type = static_cast<std::uint64_t>(type_), .rows = layout_.rows(), .columns = layout_.columns()});
  });
  if (rank_ == core_.all().first()) {
    rectangle const whole{0, 0, layout_.rows(), layout_.columns()};
    transfer_now(transfer_kind::put, whole, {all.data() + head_bytes, layout_.columns()});
  }
  meet_again();
}

}}}  // namespace skua::v0::ranks

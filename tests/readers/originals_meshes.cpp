// SPDX-License-Identifier: MIT
// Meshes as assimp writes them, and PLY files of strips, which it does not write.
#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/readers/originals.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

using runtime::dice;

/// A piece of a surface, as OBJ.
std::string random_surface(dice& d) {
  std::uint32_t const rows = 2 + d.below(8), columns = 2 + d.below(8);
  std::string text;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) text += fmt::format("v {} {} {:.4f}\n", r, c, d.unit());
  }
  for (std::uint32_t r = 0; r + 1 < rows; ++r) {
    for (std::uint32_t c = 0; c + 1 < columns; ++c) {
      std::uint32_t const a = r * columns + c + 1, b = a + 1, e = a + columns, f = e + 1;
      if (d.below(3) == 0)
        text += fmt::format("f {} {} {} {}\n", a, b, f, e);
      else
        text += fmt::format("f {} {} {}\nf {} {} {}\n", a, b, f, a, f, e);
    }
  }
  return text;
}

std::string exported(std::string const& obj, char const* format, unsigned steps) {
  std::unique_ptr<aiScene const, decltype(&aiReleaseImport)> const scene{
      aiImportFileFromMemory(obj.data(), static_cast<unsigned>(obj.size()), steps, "obj"), &aiReleaseImport};
  if (!scene) throw std::runtime_error(std::string("assimp: ") + aiGetErrorString());
  std::unique_ptr<aiExportDataBlob const, decltype(&aiReleaseExportBlob)> const blob{
      aiExportSceneToBlob(scene.get(), format, 0), &aiReleaseExportBlob};
  if (!blob) throw std::runtime_error(std::string("assimp: ") + aiGetErrorString());
  return {static_cast<char const*>(blob->data), blob->size};
}

constexpr unsigned polygons = 0, triangles = 0x8;  // the second: aiProcess_Triangulate

/// One list of all strips, which -1 divides.
std::string strips_as_ply(dice& d) {
  std::uint32_t const vertices = 3 + d.below(40);
  std::string list;
  std::uint32_t entries = 0;
  for (std::uint32_t v = 0; v < vertices; ++v, ++entries) {
    list += fmt::format(" {}", v);
    if (v >= 2 && v + 3 < vertices && d.below(8) == 0) {
      list += " -1";
      ++entries;
    }
  }
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\ncomment strips\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n",
      vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) text += fmt::format("{} {} {:.4f}\n", v / 2, v % 2, d.unit());
  return text + std::to_string(entries) + list + "\n";
}

}  // namespace

std::string original_ply(dice& d) {
  if (d.below(3) == 0) return strips_as_ply(d);
  return exported(random_surface(d), d.below(2) == 0 ? "ply" : "plyb", polygons);
}
std::string original_obj(dice& d) {
  return d.below(2) == 0 ? random_surface(d) : exported(random_surface(d), "objnomtl", polygons);
}
std::string original_stl(dice& d) { return exported(random_surface(d), d.below(2) == 0 ? "stl" : "stlb", triangles); }

}}}  // namespace skua::v0::testing

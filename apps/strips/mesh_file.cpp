// SPDX-License-Identifier: MIT
#include "apps/strips/mesh_file.hpp"

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "apps/strips/ply_file.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::apps::strips {
namespace {

/// The library, loaded when it is needed: with it every command of this program would start later, and need more memory.
class assimp {
 public:
  /// Throws resource_error if it is not installed.
  assimp() : library_(dlopen("libassimp.so.5", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw resource_error("libassimp.so.5, which reads meshes, cannot be loaded");
  }
  template <class Function>
  Function* symbol(char const* name) const {
    auto* const found = reinterpret_cast<Function*>(dlsym(library_.get(), name));
    if (found == nullptr) throw resource_error(std::string("libassimp.so.5 has no function ") + name);
    return found;
  }

 private:
  struct unload {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  std::unique_ptr<void, unload> library_;
};

[[noreturn]] void refuse_mesh(std::filesystem::path const& file, std::string const& why) {
  throw usage_error(runtime::printable(file.string() + ": " + why));
}

/// What assimp says, on one line, and without a full stop.
std::string one_line(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void make_lower(std::string& text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}

bool has_suffix(std::filesystem::path const& file, std::string_view lower) {
  std::string its = file.extension().string();
  make_lower(its);
  return its == lower;
}

/// "SOLID", too: some programs write their keywords in capitals.
bool begins_as_text_stl(std::string_view bytes) {
  std::string word(bytes.substr(0, 5));
  make_lower(word);
  return word == "solid";
}

/// A carriage return alone ends a line, as in files of old Macs. assimp ends lines there, so this reader must, too.
void end_lines_by_line_feeds(std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) text[i] = '\n';
  }
}

enum class mesh_format : std::uint8_t { ply, stl, obj };

/// How many triangles a binary STL file has by its length, if it is one.
std::optional<std::size_t> triangles_of_binary_stl(std::string_view bytes) {
  if (bytes.size() < 84) return {};
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  if (bytes.size() != 84 + std::uint64_t{50} * count) return {};
  return count;
}

/// Other formats of assimp are not tried: some make it abort, or never end.
mesh_format format_of(std::filesystem::path const& file, std::string_view bytes) {
  if (bytes.starts_with("ply") || has_suffix(file, ".ply")) return mesh_format::ply;
  if (triangles_of_binary_stl(bytes) || begins_as_text_stl(bytes)) return mesh_format::stl;
  if (has_suffix(file, ".obj")) return mesh_format::obj;
  refuse_mesh(file, "it is no mesh of a known format; allowed: PLY, STL, or OBJ by its name .obj");
}

std::string read_whole(std::filesystem::path const& file) {
  std::error_code none;
  std::ifstream in;
  if (std::filesystem::is_regular_file(file, none)) in.open(file, std::ios::binary);
  if (!in.is_open()) refuse_mesh(file, "cannot be opened; allowed: a readable PLY, OBJ or STL file");
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) refuse_mesh(file, "cannot be read to its end");
  return bytes;
}

/// Calls f with each line, without blanks before it.
template <class F>
void each_line(std::string& text, F const& f) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    std::size_t const begin = std::min(text.find_first_not_of(" \t", at), end);
    f(begin, std::string_view(text).substr(begin, end - begin));
    at = end + 1;
  }
}

std::size_t words_in(std::string_view line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    auto const is_blank = [&](std::size_t k) { return line[k] == ' ' || line[k] == '\t' || line[k] == '\r'; };
    if (!is_blank(i) && (i == 0 || is_blank(i - 1))) ++count;
  }
  return count;
}

/// How many triangles the text promises. Takes the names of files of materials out, which assimp would open.
std::size_t triangles_promised(std::string& text, mesh_format format) {
  std::size_t count = 0;
  each_line(text, [&](std::size_t at, std::string_view line) {
    if (format == mesh_format::stl) {
      if (line.starts_with("facet")) ++count;
    } else if (line.starts_with("f ") || line.starts_with("f\t")) {
      count += std::max<std::size_t>(words_in(line), 3) - 3;
    } else if (line.starts_with("mtllib")) {
      text[at] = '#';
    }
  });
  return count;
}

/// Through assimp, and held against what the file promises.
surface read_by_assimp(std::filesystem::path const& file, std::string bytes, mesh_format format) {
  auto const binary = format == mesh_format::stl ? triangles_of_binary_stl(bytes) : std::nullopt;
  if (!binary) end_lines_by_line_feeds(bytes);
  if (!binary && format == mesh_format::stl) make_lower(bytes);
  std::size_t const promised = binary ? *binary : triangles_promised(bytes, format);
  if (promised == 0) refuse_mesh(file, "there are no triangles in it");
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max()) refuse_mesh(file, "it is larger than 4 GiB");
  assimp const library;
  auto* const release = library.symbol<decltype(aiReleaseImport)>("aiReleaseImport");
  std::unique_ptr<aiScene const, decltype(release)> const scene(
      library.symbol<decltype(aiImportFileFromMemory)>("aiImportFileFromMemory")(
          bytes.data(), static_cast<unsigned>(bytes.size()), 0, format == mesh_format::stl ? "stl" : "obj"),
      release);
  if (scene == nullptr) {
    refuse_mesh(file, one_line(library.symbol<decltype(aiGetErrorString)>("aiGetErrorString")()) +
                          "; allowed: a readable mesh in PLY, OBJ or STL");
  }
  surface found;
  for (aiMesh const* const part : std::span(scene->mMeshes, scene->mNumMeshes)) {
    auto const before = static_cast<vertex>(found.positions.size());
    for (aiVector3D const& v : std::span(part->mVertices, part->mNumVertices))
      found.positions.push_back({v.x, v.y, v.z});
    for (aiFace const& face : std::span(part->mFaces, part->mNumFaces)) {
      auto const polygon = std::span(face.mIndices, face.mNumIndices);
      for (unsigned const i : polygon) {
        if (i >= part->mNumVertices) refuse_mesh(file, "a polygon has a vertex that does not exist");
      }
      for (std::size_t i = 2; i < polygon.size(); ++i) {
        found.triangles.push_back({before + polygon[0], before + polygon[i - 1], before + polygon[i]});
      }
    }
  }
  if (found.triangles.size() != promised) {
    refuse_mesh(file, std::to_string(found.triangles.size()) + " of its " + std::to_string(promised) +
                          " triangles can be read");
  }
  return found;
}

/// For each vertex the first one at its position. A file may name a vertex once per triangle (STL always does).
std::vector<vertex> joined(std::span<std::array<float, 3> const> positions) {
  std::vector<vertex> sorted(positions.size());
  std::iota(sorted.begin(), sorted.end(), vertex{0});
  // As bits, so that NaN has an order, too; the sum makes -0 equal to 0.
  auto const bits = [](float x) { return std::bit_cast<std::uint32_t>(x + 0.0F); };
  auto const where = [&](vertex v) {
    return std::tuple(bits(positions[v][0]), bits(positions[v][1]), bits(positions[v][2]));
  };
  std::ranges::sort(sorted, {}, [&](vertex v) { return std::pair(where(v), v); });
  std::vector<vertex> first(positions.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    bool const is_new = i == 0 || where(sorted[i - 1]) != where(sorted[i]);
    first[sorted[i]] = is_new ? sorted[i] : first[sorted[i - 1]];
  }
  return first;
}

}  // namespace

mesh read_mesh_file(std::filesystem::path const& file) {
  std::string bytes = read_whole(file);
  mesh_format const format = format_of(file, bytes);
  surface found =
      format == mesh_format::ply ? read_ply(bytes, file.string()) : read_by_assimp(file, std::move(bytes), format);
  if (found.triangles.empty()) refuse_mesh(file, "there are no triangles in it");
  auto const first = joined(found.positions);
  for (corners& c : found.triangles) {
    for (vertex& v : c) v = first[v];
  }
  return mesh(std::move(found.triangles));
}

bool keeps_numbers_of(std::filesystem::path const& file) {
  return format_of(file, read_whole(file)) == mesh_format::ply;
}

}  // namespace skua::apps::strips

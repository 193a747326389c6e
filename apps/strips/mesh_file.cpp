// SPDX-License-Identifier: MIT
#include "apps/strips/mesh_file.hpp"

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

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

/// What assimp says, on one line, and without a full stop.
std::string one_line(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// True unless this is a PLY file whose header does not end: assimp 5.2 would read that for ever.
bool ends_its_header(std::filesystem::path const& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("ply")) return true;
  while (std::getline(in, line)) {
    if (line.starts_with("end_header")) return true;
  }
  return false;
}

/// For each vertex the first one at its position. A file may name a vertex once per triangle (STL always does).
std::vector<vertex> joined(std::span<aiVector3D const> positions) {
  std::vector<vertex> sorted(positions.size());
  std::iota(sorted.begin(), sorted.end(), vertex{0});
  // As bits, so that NaN has an order, too; the sum makes -0 equal to 0.
  auto const bits = [](float x) { return std::bit_cast<std::uint32_t>(x + 0.0F); };
  auto const where = [&](vertex v) {
    return std::tuple(bits(positions[v].x), bits(positions[v].y), bits(positions[v].z));
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
  std::error_code missing;
  if (std::filesystem::exists(file, missing) && !std::filesystem::is_regular_file(file, missing))
    throw usage_error(runtime::printable(file.string()) + ": it is no file; allowed: a mesh in a format of assimp");
  if (!ends_its_header(file)) throw usage_error(file.string() + ": the header of this PLY file has no line end_header");
  assimp const library;
  auto* const release = library.symbol<decltype(aiReleaseImport)>("aiReleaseImport");
  std::unique_ptr<aiScene const, decltype(release)> const scene(
      library.symbol<decltype(aiImportFile)>("aiImportFile")(file.string().c_str(), 0), release);
  if (scene == nullptr) {
    throw usage_error(runtime::printable(file.string() + ": " +
                                         one_line(library.symbol<decltype(aiGetErrorString)>("aiGetErrorString")())) +
                      "; allowed: a readable mesh in a format of assimp, such as PLY, OBJ or STL");
  }
  std::vector<aiVector3D> positions;
  std::vector<corners> triangles;
  for (aiMesh const* const part : std::span(scene->mMeshes, scene->mNumMeshes)) {
    auto const before = static_cast<vertex>(positions.size());
    positions.insert(positions.end(), part->mVertices, part->mVertices + part->mNumVertices);
    for (aiFace const& face : std::span(part->mFaces, part->mNumFaces)) {
      auto const polygon = std::span(face.mIndices, face.mNumIndices);
      for (unsigned const i : polygon) {
        if (i >= part->mNumVertices) throw usage_error(file.string() + ": a polygon has a vertex that does not exist");
      }
      for (std::size_t i = 2; i < polygon.size(); ++i) {
        triangles.push_back({before + polygon[0], before + polygon[i - 1], before + polygon[i]});
      }
    }
  }
  if (triangles.empty()) throw usage_error(file.string() + ": there are no triangles in it");
  auto const first = joined(positions);
  for (corners& c : triangles) {
    for (vertex& v : c) v = first[v];
  }
  return mesh(std::move(triangles));
}

}  // namespace skua::apps::strips

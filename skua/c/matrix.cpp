// SPDX-License-Identifier: MIT
// skua/ranks.h: matrices.
#include <utility>

#include "skua/c/ranks_of.hpp"
#include "skua/distributed_matrix.hpp"

namespace c = skua::c;
using c::given;
using c::guarded;

struct skua_matrix {
  skua::distributed_matrix<double> all;
};

namespace {

int make(char const* call, skua_ranks* ranks, char const* name, std::uint64_t rows, std::uint64_t columns,
         skua::matrix_distribution const& how, skua_matrix** made) noexcept {
  return guarded([&] {
    skua_matrix*& to = given(made, call, "made");
    skua_ranks& r = given(ranks, call, "ranks");
    to = new skua_matrix{{r.world(), rows, columns, how, {.name = &given(name, call, "name")}}};
  });
}

skua::distributed_matrix<double>& all_of(skua_matrix* m, char const* call) { return given(m, call, "the matrix").all; }

skua::rectangle at(skua_rectangle const* r, char const* call) {
  skua_rectangle const& where = given(r, call, "where");
  return {where.row, where.column, where.rows, where.columns};
}

}  // namespace

extern "C" {

int skua_matrix_by_rows(skua_ranks* ranks, char const* name, uint64_t rows, uint64_t columns, skua_matrix** made) {
  return make("skua_matrix_by_rows", ranks, name, rows, columns, skua::matrix_distribution::by_rows(), made);
}
int skua_matrix_on_grid(skua_ranks* ranks, char const* name, uint64_t rows, uint64_t columns, skua_matrix** made) {
  return make("skua_matrix_on_grid", ranks, name, rows, columns, skua::matrix_distribution::grid(), made);
}
int skua_matrix_in_tiles(skua_ranks* ranks, char const* name, uint64_t rows, uint64_t columns, uint64_t tile_rows,
                         uint64_t tile_columns, skua_matrix** made) {
  return make("skua_matrix_in_tiles", ranks, name, rows, columns,
              skua::matrix_distribution::tiles(tile_rows, tile_columns), made);
}
void skua_matrix_end(skua_matrix* m) { delete m; }

int skua_matrix_get(skua_matrix* m, skua_rectangle const* where, double* to, uint64_t leading) {
  return guarded([&] { all_of(m, "skua_matrix_get").get(at(where, "skua_matrix_get"), to, leading); });
}
int skua_matrix_put(skua_matrix* m, skua_rectangle const* where, double const* from, uint64_t leading) {
  return guarded([&] { all_of(m, "skua_matrix_put").put(at(where, "skua_matrix_put"), from, leading); });
}
int skua_matrix_accumulate(skua_matrix* m, skua_rectangle const* where, double const* from, uint64_t leading,
                           double alpha) {
  return guarded([&] {
    all_of(m, "skua_matrix_accumulate").accumulate(at(where, "skua_matrix_accumulate"), from, leading, alpha);
  });
}
int skua_matrix_owner(skua_matrix const* m, uint64_t row, uint64_t column, uint32_t* rank) {
  return guarded([&] {
    given(rank, "skua_matrix_owner", "rank") = given(m, "skua_matrix_owner", "the matrix").all.owner_of(row, column);
  });
}

int skua_matrix_sync(skua_matrix* m) {
  return guarded([&] { all_of(m, "skua_matrix_sync").sync(); });
}
int skua_matrix_fill(skua_matrix* m, double value) {
  return guarded([&] { all_of(m, "skua_matrix_fill").fill(value); });
}
int skua_matrix_scale(skua_matrix* m, double alpha) {
  return guarded([&] { all_of(m, "skua_matrix_scale").scale(alpha); });
}
int skua_matrix_copy(skua_matrix* to, skua_matrix* from) {
  return guarded([&] { all_of(to, "skua_matrix_copy").copy(all_of(from, "skua_matrix_copy")); });
}
int skua_matrix_add(skua_matrix* to, double alpha, skua_matrix* a, double beta, skua_matrix* b) {
  return guarded([&] {
    constexpr char const* call = "skua_matrix_add";
    all_of(to, call).add(alpha, all_of(a, call), beta, all_of(b, call));
  });
}
int skua_matrix_symmetrise(skua_matrix* m) {
  return guarded([&] { all_of(m, "skua_matrix_symmetrise").symmetrise(); });
}
int skua_matrix_transpose(skua_matrix* to, skua_matrix* from) {
  return guarded([&] { all_of(to, "skua_matrix_transpose").transpose(all_of(from, "skua_matrix_transpose")); });
}
int skua_matrix_trace(skua_matrix* m, double* trace) {
  return guarded([&] { given(trace, "skua_matrix_trace", "trace") = all_of(m, "skua_matrix_trace").trace(); });
}
int skua_matrix_dot(skua_matrix* a, skua_matrix* b, double* sum) {
  return guarded(
      [&] { given(sum, "skua_matrix_dot", "sum") = all_of(a, "skua_matrix_dot").dot(all_of(b, "skua_matrix_dot")); });
}
int skua_matrix_write(skua_matrix* m, char const* path) {
  return guarded([&] { all_of(m, "skua_matrix_write").write(&given(path, "skua_matrix_write", "path")); });
}
int skua_matrix_read(skua_matrix* m, char const* path) {
  return guarded([&] { all_of(m, "skua_matrix_read").read(&given(path, "skua_matrix_read", "path")); });
}
}

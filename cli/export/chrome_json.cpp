// SPDX-License-Identifier: MIT
// The Trace Event Format of Chrome's tracing page. Times are microseconds with three decimals: nanoseconds.
//
// A row is a thread. An arrow binds to the slice around its end, so a point with an arrow is a slice without length.
#include <fmt/format.h>

#include <iterator>
#include <string>

#include "cli/export/formats.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

std::string quoted_as_json(std::string const& text) { return json(text).dump_repaired(); }

class chrome_writer {
 public:
  explicit chrome_writer(timeline const& t) : t_(t) {
    for (std::uint32_t i = 0; i < t.texts.size(); ++i) quoted_.push_back(quoted_as_json(t.texts[i]));
  }

  std::string write() && {
    for (std::uint32_t r = 0; r < t_.rows.size(); ++r) describe(r);
    for (slice const& s : t_.slices) add(s);
    add_points();
    for (std::size_t i = 0; i < t_.arrows.size(); ++i) add_arrow(i);
    for (sample const& s : t_.samples) {
      line(R"("ph":"C","pid":{},"ts":{},"name":"{}","args":{{"value":{}}})", s.pool + 1, us(s.at_ns), name_of(s.what),
           s.value);
    }
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + text_ + "\n]}\n";
  }

 private:
  static std::string us(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    text_ += text_.empty() ? "\n{" : ",\n{";
    fmt::format_to(std::back_inserter(text_), form, std::forward<Args>(args)...);
    text_ += '}';
  }
  [[nodiscard]] std::string where(std::uint32_t r) const {
    return fmt::format(R"("pid":{},"tid":{})", t_.rows[r].pool + 1, r);
  }

  void describe(std::uint32_t r) {
    row const& of = t_.rows[r];
    if (of.what == row::kind::pool) {
      line(R"("ph":"M",{},"name":"process_name","args":{{"name":{}}})", where(r),
           quoted_as_json(t_.pools[of.pool].name));
    }
    line(R"("ph":"M",{},"name":"thread_name","args":{{"name":{}}})", where(r), quoted_as_json(name_of(of)));
    line(R"("ph":"M",{},"name":"thread_sort_index","args":{{"sort_index":{}}})", where(r), r);
  }
  void add(slice const& s) {
    std::string args = s.what == slice::kind::task     ? fmt::format(R"("id":"{:#x}")", s.id)
                       : s.what == slice::kind::leaf   ? fmt::format(R"("bytes":{})", s.value)
                       : s.what == slice::kind::member ? fmt::format(R"("width":{})", s.value)
                       : s.what == slice::kind::node   ? fmt::format(R"("flow":{},"node":{},"width":{})", s.id >> 32,
                                                                     static_cast<std::uint32_t>(s.id), s.value)
                                                       : "";
    if (s.how != slice::ending::ended) {
      if (!args.empty()) args += ',';
      args += fmt::format(R"("ended":"{}")", name_of(s.how));
    }
    line(R"("ph":"X",{},"ts":{},"dur":{},"cat":"{}","name":{},"args":{{{}}})", where(s.row), us(s.begin_ns),
         us(s.end_ns - s.begin_ns), name_of(s.what), quoted_[s.name], args);
  }
  void add_points() {
    std::vector<bool> has_arrow(t_.points.size());
    for (arrow const& a : t_.arrows) {
      if (!a.from.is_slice) has_arrow[a.from.index] = true;
      if (!a.to.is_slice) has_arrow[a.to.index] = true;
    }
    for (std::size_t i = 0; i < t_.points.size(); ++i) {
      point const& p = t_.points[i];
      std::string const args = p.has_value ? fmt::format(R"("value":{})", p.value) : "";
      line(R"("ph":{},{},"ts":{},"cat":"event","name":{},"args":{{{}}})",
           has_arrow[i] ? R"("X","dur":0)" : R"("i","s":"t")", where(p.row), us(p.at_ns), quoted_[p.name], args);
    }
  }
  void add_arrow(std::size_t i) {
    arrow const& a = t_.arrows[i];
    auto const half = [&](arrow_end const& e, std::string_view phase) {
      arrow_place const at = place_of(t_, e);
      line(R"("ph":{},{},"ts":{},"id":{},"cat":"arrow","name":"{}")", phase, where(at.row), us(at.at_ns), i + 1,
           name_of(a.what));
    };
    half(a.from, R"("s")");
    half(a.to, R"("f","bp":"e")");
  }

  timeline const& t_;
  std::vector<std::string> quoted_;
  std::string text_;
};

}  // namespace

std::string chrome_json_of(timeline const& t) { return chrome_writer(t).write(); }

}  // namespace skua::cli

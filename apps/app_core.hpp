// SPDX-License-Identifier: MIT
// The part of an app that does not depend on how it runs: its title, its options, whether there is an answer to check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/app.hpp"
#include "apps/checks.hpp"
#include "apps/parameter.hpp"

namespace skua::apps {

/// Derived classes declare their options as members (parameter.hpp) and say what is left below.
class app_core : public app, public option_table {
 public:
  [[nodiscard]] std::string_view name() const final { return name_; }
  [[nodiscard]] std::string_view about() const final { return about_; }
  [[nodiscard]] std::vector<option> options() final { return rows(); }
  void prepare() final;
  void reset() final {
    ran_ = false;
    restore();
  }
  [[nodiscard]] std::string wrong() final;
  /// The options that have values, then what add_facts() adds or replaces.
  [[nodiscard]] json_value facts() const final;

 protected:
  app_core(std::string_view name, std::string_view about) noexcept : name_(name), about_(about) {}

  /// Builds the input. Each option is allowed by itself; throws usage_error if together they are not. If there is no memory,
  /// prepare() throws resource_error with too_large().
  virtual void build() = 0;
  /// "no memory for ..."
  [[nodiscard]] virtual std::string too_large() const { return "the input; a smaller one may fit"; }
  virtual void restore() = 0;
  /// wrong(), after a run.
  [[nodiscard]] virtual std::string check() = 0;
  virtual void add_facts(json_value&) const {}

  void has_run() noexcept { ran_ = true; }
  [[nodiscard]] bool ran() const noexcept { return ran_; }
  /// Throws usage_error, which names the app and this option, if the file cannot be written. An empty name is no file.
  void require_writable(std::string_view option, std::string const& file) const;
  /// Calls f. A usage_error of f names the app and this option, too.
  template <class F>
  decltype(auto) read_for(std::string_view option, F&& f) {
    try {
      return f();
    } catch (usage_error const& refused) {
      throw usage_error(std::string(name_) + ": " + std::string(option) + " " + refused.what());
    }
  }

 private:
  std::string_view name_;
  std::string_view about_;
  bool ran_ = false;
};

}  // namespace skua::apps

// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/module.hpp"

#include "skua/machine/ranks/mpi/session.hpp"

namespace skua { inline namespace v0 { namespace mpi { namespace {

class session_of_module final : public module_session {
 public:
  explicit session_of_module(double deadline_s) : session_(argc_, argv_, {.deadline_s = deadline_s}) {}
  [[nodiscard]] communicator& world() override { return session_.world(); }

 private:
  int argc_ = 0;
  char** argv_ = nullptr;
  session session_;
};

constexpr module_entry entry{
    .build = SKUA_MODULE_BUILD, .library_version = library_version, .open = [](double deadline_s) {
      return std::unique_ptr<module_session>(std::make_unique<session_of_module>(deadline_s));
    }};

}}}}  // namespace skua::v0::mpi

extern "C" [[gnu::visibility("default")]] skua::mpi::module_entry const* skua_mpi_module();
skua::mpi::module_entry const* skua_mpi_module() { return &skua::mpi::entry; }

// SPDX-License-Identifier: MIT
// leaving HOW [DEADLINE_S]: a rank leaves its job in one of these ways while the others are in collective calls.
// leaving_test.py starts it, and says what is right.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/mpi.hpp"
#include "skua/rank_pool.hpp"

namespace {

constexpr std::uint32_t leaver = 1;

void wait_s(int seconds) { std::this_thread::sleep_for(std::chrono::seconds(seconds)); }

/// Every rank processes a task, in which the leaver calls `within`; or it returns instead.
void process_with(skua::communicator& world, std::function<void()> const& within, bool leaver_returns = false) {
  bool const leaves = world.rank() == leaver;
  skua::task_collection<int> all(world, {.name = "all", .steals = false}, [&](int) {
    if (leaves) within();
  });
  all.add(1);
  if (!leaves || !leaver_returns) all.process();
}

struct way {
  char const* name;
  void (*run)(skua::communicator&);
};
constexpr way ways[] = {
    {"orderly",
     [](skua::communicator& world) {
       process_with(world, [] {});
       std::vector<double> ones(20'000, 1);  // long enough for a sum by MPI, of another kind with a deadline
       world.sum(std::span<double>(ones));
       if (ones != std::vector<double>(ones.size(), world.size())) throw std::runtime_error("a wrong sum");
     }},
    {"task_throws",
     [](skua::communicator& world) {
       process_with(world, [] { throw std::runtime_error("integral 3 did not converge"); });
     }},
    {"throws_between",
     [](skua::communicator& world) {
       if (world.rank() == leaver) throw std::runtime_error("file not found");
       process_with(world, [] {});
     }},
    {"handler_never_ends",
     [](skua::communicator& world) {
       if (world.rank() == leaver) throw std::logic_error("the handler waits");
       world.barrier();
     }},
    {"returns_before_process", [](skua::communicator& world) { process_with(world, [] {}, true); }},
    {"returns_before_a_barrier",
     [](skua::communicator& world) {
       if (world.rank() != leaver) world.barrier();
     }},
    {"returns_before_a_broadcast",
     [](skua::communicator& world) {
       if (world.rank() != leaver) static_cast<void>(world.broadcast(7, leaver));
     }},
    {"returns_before_a_gather",
     [](skua::communicator& world) {
       if (world.rank() != leaver) static_cast<void>(world.gather(1, leaver));
     }},
    {"std_exit",
     [](skua::communicator& world) {
       if (world.rank() == leaver) std::exit(0);
       world.barrier();
     }},
    {"underscore_exit",
     [](skua::communicator& world) {
       if (world.rank() == leaver) _exit(0);
       world.barrier();
     }},
    {"killed", [](skua::communicator& world) { process_with(world, [] { kill(getpid(), SIGKILL); }); }},
    {"stopped", [](skua::communicator& world) { process_with(world, [] { kill(getpid(), SIGSTOP); }); }},
    {"rank_0_stopped",
     [](skua::communicator& world) {
       if (world.rank() == 0) kill(getpid(), SIGSTOP);
       world.barrier();
     }},
    {"finalises_too_early", [](skua::communicator&) { MPI_Finalize(); }},
    {"writes_after_the_last_call",
     [](skua::communicator& world) {
       world.barrier();
       if (world.rank() == 0) wait_s(7);
     }},
};

/// A program that uses MPI in a way that Skua refuses.
void misuse(std::string const& how, int argc, char** argv) {
  if (how == "session_after_finalize") {
    {
      skua::mpi::session const first(argc, argv);
    }
    skua::mpi::session const second(argc, argv);
  } else if (how == "session_in_another_thread") {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    std::exception_ptr thrown;
    std::thread([&] {
      try {
        skua::mpi::session const session(argc, argv);
      } catch (...) {
        thrown = std::current_exception();
      }
    }).join();
    MPI_Finalize();
    if (thrown) std::rethrow_exception(thrown);
  } else if (how == "pool_beside_a_single_thread") {
    MPI_Init(&argc, &argv);
    skua::mpi::session session(argc, argv);
    skua::pool threads(2);
    skua::rank_pool const workers(session.world(), threads);
    skua::task_collection<int> const all(session.world(), {.name = "all"}, [](int) {});
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "";
  try {
    misuse(how, argc, argv);
    skua::mpi::session session(argc, argv, {.deadline_s = argc > 2 ? std::atof(argv[2]) : 0.0});
    for (way const& w : ways) {
      if (w.name == how) {
        w.run(session.world());
        return 0;
      }
    }
    throw std::invalid_argument("no such way: " + how);
  } catch (std::logic_error const& e) {
    std::fprintf(stderr, "handler: %s\n", e.what());
    for (;;) wait_s(1);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "handler: %s\n", e.what());
    return 1;
  }
}

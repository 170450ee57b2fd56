#include <bench/race/Idle.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

namespace cottonwood::bench {
namespace {

constexpr std::chrono::microseconds BETWEEN_LOOKS{200};

/// The state letter in /proc/.../stat: behind the name, which is in parentheses and may hold any
/// character (proc(5)).
bool isRunning(std::filesystem::path const &task) {
  std::ifstream file(task / "stat");
  std::string text;
  std::getline(file, text);
  std::size_t const name = text.rfind(')');
  return name != std::string::npos && name + 2 < text.size() && text[name + 2] == 'R';
}

/// Calls f with the /proc folder of every thread of a process.
template <class F> void forEachTask(pid_t process, F &&f) {
  std::error_code error;
  std::filesystem::path const tasks("/proc/" + std::to_string(process) + "/task");
  for (auto task = std::filesystem::directory_iterator(tasks, error);
       !error && task != std::filesystem::directory_iterator(); task.increment(error))
    f(task->path());
}

} // namespace

bool isIdle(pid_t process) {
  std::string const self = std::to_string(gettid());
  bool idle = true;
  forEachTask(process, [&](std::filesystem::path const &task) {
    idle &= task.filename() == self || !isRunning(task);
  });
  return idle;
}

double secondsKeptWaiting(pid_t process) {
  double nanoseconds = 0;
  forEachTask(process, [&](std::filesystem::path const &task) {
    std::ifstream file(task / "schedstat"); // time on a core, time waiting for one, switches
    double onCore = 0, waiting = 0;
    if (file >> onCore >> waiting)
      nanoseconds += waiting;
  });
  return nanoseconds * 1e-9;
}

bool waitUntilIdle(std::span<pid_t const> processes, std::chrono::milliseconds limit) {
  auto const end = std::chrono::steady_clock::now() + limit;
  int looks = 0;
  while (looks < 2) {
    looks = std::all_of(processes.begin(), processes.end(), isIdle) ? looks + 1 : 0;
    if (looks == 2)
      return true;
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(BETWEEN_LOOKS);
  }
  return true;
}

} // namespace cottonwood::bench

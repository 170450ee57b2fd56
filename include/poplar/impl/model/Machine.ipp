// Bodies of <poplar/impl/model/Machine.hpp>.
#pragma once

#include <algorithm>
#include <charconv>
#include <codelets/arch/CpuFeatures.hpp>
#include <cstddef>
#include <fstream>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/ThreadPool.hpp>
#include <poplar/impl/model/Machine.hpp>
#include <poplar/impl/model/TargetData.hpp>
#include <sched.h>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace cottonwood::model::detail {

/// The first word of a file of /sys, or nothing.
POP_INLINE std::string sysText(std::string const &path) {
  std::string text;
  std::ifstream(path) >> text;
  return text;
}

/// "48K", "1024K", "32M"; 0 if it is no size.
POP_INLINE std::uint64_t sysBytes(std::string const &text) {
  std::uint64_t number = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc())
    return 0;
  char const unit = stop == text.data() + text.size() ? '\0' : *stop;
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

/// "0-3,8" lists five CPUs; an empty or malformed list none.
POP_INLINE unsigned sysListLength(std::string const &text) {
  unsigned count = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const comma = std::min(text.find(',', at), text.size());
    unsigned first = 0;
    auto const [dash, error] = std::from_chars(text.data() + at, text.data() + comma, first);
    unsigned last = first;
    if (error != std::errc())
      return count;
    if (dash != text.data() + comma)
      std::from_chars(dash + 1, text.data() + comma, last);
    count += last >= first ? last - first + 1 : 1;
    at = comma + 1;
  }
  return count;
}

/// The CPUs this process may run on.
POP_INLINE std::vector<unsigned> allowedCpus() {
  std::vector<unsigned> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (unsigned cpu = 0; cpu != CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
  if (cpus.empty()) // more CPUs than the set holds, say
    for (unsigned cpu = 0; cpu != std::max(1u, std::thread::hardware_concurrency()); ++cpu)
      cpus.push_back(cpu);
  return cpus;
}

/// Hardware threads of one core list each other as siblings.
POP_INLINE unsigned coresAmong(std::vector<unsigned> const &cpus) {
  std::set<std::string> cores;
  for (unsigned const cpu : cpus) {
    auto const folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    auto siblings = sysText(folder + "thread_siblings_list");
    cores.insert(siblings.empty() ? "cpu" + std::to_string(cpu) : siblings);
  }
  return static_cast<unsigned>(cores.size());
}

POP_INLINE std::uint64_t sysconfBytes(int name, std::uint64_t otherwise) {
  long const bytes = ::sysconf(name);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : otherwise;
}

POP_INLINE void readCaches(CpuFacts &facts, unsigned cpu) {
  for (unsigned index = 0; index != 8; ++index) {
    auto const folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" +
                        std::to_string(index) + "/";
    auto const level = sysText(folder + "level");
    auto const bytes = sysBytes(sysText(folder + "size"));
    unsigned const sharedBy = std::max(1u, sysListLength(sysText(folder + "shared_cpu_list")));
    if (level.empty() || bytes == 0 || sysText(folder + "type") == "Instruction")
      continue;
    if (level == "1")
      facts.l1Bytes = bytes;
    else if (level == "2")
      facts.l2Bytes = bytes, facts.l2SharedBy = sharedBy;
    else if (level == "3")
      facts.l3Bytes = bytes, facts.l3SharedBy = sharedBy;
  }
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  if (facts.l1Bytes == 0) // no /sys, in a sandbox say
    facts.l1Bytes = sysconfBytes(_SC_LEVEL1_DCACHE_SIZE, 0);
  if (facts.l2Bytes == 0)
    facts.l2Bytes = sysconfBytes(_SC_LEVEL2_CACHE_SIZE, 0);
  if (facts.l3Bytes == 0)
    facts.l3Bytes = sysconfBytes(_SC_LEVEL3_CACHE_SIZE, 0);
#endif
  if (facts.l1Bytes == 0)
    facts.l1Bytes = 32 << 10;
  if (facts.l2Bytes == 0)
    facts.l2Bytes = 512 << 10;
}

POP_INLINE CpuFacts findCpuFacts() {
  CpuFacts facts;
  auto const cpus = allowedCpus();
#if defined(POPLAR_HEADER_ONLY)
  facts.isa = isa::native::ID; // kernels are compiled for no other
#else
  try {
    facts.isa = isa::activeIsa();
  } catch (std::invalid_argument const &error) {
    throw poplar::poplar_error(error.what());
  }
#endif
  facts.threads = std::min(static_cast<unsigned>(cpus.size()), base::defaultPoolThreads());
  facts.cores = std::min(coresAmong(cpus), facts.threads);
  readCaches(facts, cpus.front());
  return facts;
}

} // namespace cottonwood::model::detail

namespace cottonwood::model {

POP_INLINE CpuFacts const &cpuFacts() {
  static CpuFacts const facts = detail::findCpuFacts();
  return facts;
}

POP_INLINE Machine machineOf(poplar::Target const &target) {
  auto const &data = dataOf(target, "machineOf");
  auto const &tile = data.tile;
  Machine machine;
  machine.isCpu = data.type == poplar::TargetType::CPU;
  machine.ipus = data.numIPUs;
  machine.tiles = data.numIPUs * data.tilesPerIPU;
  machine.tilesPerIPU = data.tilesPerIPU;
  machine.workers = tile.workerContexts;
  machine.bytesPerTile = tile.bytesPerTile;
  machine.clock = tile.clock;
  machine.exchangeBytesPerCycle = tile.exchangeBytesPerCycle;
  machine.memcpyBytesPerCycle = tile.memcpyBytesPerCycle;
  machine.dataPathBits = tile.dataPathBits;
  machine.floatVectorWidth = target.getFloatVectorWidth();
  machine.halfVectorWidth = target.getHalfVectorWidth();
  machine.tilesPerSharedExchangeBus = tile.tilesPerSharedExchangeBus;
  machine.minSyncDelay = tile.minSyncDelay;
  machine.globalSyncCycles = data.globalSyncCycles;
  machine.links = data.globalExchangeConstraints;
  machine.fp8InFp16OutUnits = tile.fp8InFp16OutUnits;
  machine.fp16InFp16OutUnits = tile.fp16InFp16OutUnits;
  machine.fp16InFp32OutUnits = tile.fp16InFp32OutUnits;
  machine.fp32InFp32OutUnits = tile.fp32InFp32OutUnits;
  machine.fp16LoadElemsPerCycle = tile.fp16LoadElemsPerCycle;
  machine.fp32LoadElemsPerCycle = tile.fp32LoadElemsPerCycle;
  machine.coeffLoadBytesPerCycle = tile.coeffLoadBytesPerCycle;
  machine.cpu = cpuFacts();
  return machine;
}

} // namespace cottonwood::model

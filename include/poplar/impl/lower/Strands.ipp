// Body of findStrands().
//
// Compute sets that run one after another, statistics of rows and then whitening of the same rows,
// go through the same memory again and again. Where the first vertices of all of them depend on
// each other only, and so the next ones, and so on, they may as well run first: each of these
// strands finds in the cache what its first vertices have read.
//
// A set of a few vertices between others, such as a cast of parameters, runs before all strands if
// it needs nothing of the sets in front of it and changes nothing that these see.
//
// Dependences are those of bytes of the arena, so that variables which share memory count, too:
// each pair of sets is joined where one writes what the other reads or writes. The writes of a set
// are disjoint, and lie sorted; an access finds those that it touches by bisection.
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace cottonwood::lower::detail {

/// Of a compute set in a strand plan, and of a plan.
inline constexpr std::uint64_t MAX_STRAND_CALLS = 1 << 14;
inline constexpr std::size_t MAX_STRAND_SETS = 8;
/// Bytes connected to all vertices below which everything stays in a second-level cache anyway, and
/// threads that are called once for each strand plan have little to do.
inline constexpr std::uint64_t WORTH_STRANDS_BYTES = 1 << 19;
/// Bytes connected to a strand's vertices. Most are connected to two of them, so that half of it is
/// what has to stay in a second-level cache: those of present cores have 1 MB and more.
inline constexpr std::uint64_t MOST_STRAND_BYTES = 2 << 20;
/// Fewer strands are not worth a plan; nor are strands one of which has more than so many times
/// its share, for which all threads would wait.
inline constexpr std::size_t FEWEST_STRANDS = 4;
inline constexpr std::uint64_t MOST_SHARES = 4;

/// Which elements are joined with which: a forest.
class Joined {
public:
  void grow(std::size_t size) {
    std::size_t const before = parent_.size();
    parent_.resize(size);
    std::iota(parent_.begin() + static_cast<std::ptrdiff_t>(before), parent_.end(),
              static_cast<std::uint32_t>(before));
  }
  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i)
      i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(b)] = root(a); }
  /// Joins so that the later element of the two is the root.
  void joinUp(std::uint32_t i) { parent_[root(i)] = root(i + 1); }

private:
  std::vector<std::uint32_t> parent_;
};

/// Bytes of the arena that a call touches.
struct ByteAccess {
  std::uint64_t begin, end;
  std::uint32_t call;
};

struct StrandSet {
  std::uint32_t position;           ///< in StrandPlan::sets
  std::uint32_t numCalls, base = 0; ///< its calls are elements base, base + 1, ... of the plan
  std::vector<ByteAccess> writes;   ///< sorted, disjoint
  std::vector<ByteAccess> reads;
  std::vector<std::uint64_t> callBytes;
};

/// A plan that grows by one compute set after the other.
class StrandBuilder {
public:
  explicit StrandBuilder(Context const &context) : context_(context) {}

  /// Adds a compute set. False if no strands remain: the plan is to be thrown away.
  bool add(std::uint32_t set);
  /// Whether the set that was added last is cut into strands, with others and enough bytes.
  bool worthwhile() const {
    return sets_.size() > 1 && sets_.back().position + 1 == plan_.sets.size() &&
           bytes_ >= WORTH_STRANDS_BYTES;
  }
  StrandPlan const &plan() const { return plan_; }

private:
  StrandSet describe(std::uint32_t set) const;
  bool isApart(StrandSet const &added) const;
  void join(StrandSet const &writer, std::vector<ByteAccess> const &accesses,
            std::uint32_t accessBase);
  bool cut();

  Context const &context_;
  std::vector<StrandSet> sets_;
  Joined calls_;
  std::uint64_t bytes_ = 0;
  StrandPlan plan_;
};

POP_INLINE StrandSet StrandBuilder::describe(std::uint32_t set) const {
  graph::GraphData const &graph = context_.graph;
  auto const &vertices = graph.computeSet(context_.computeSets[set]).vertices;
  StrandSet result;
  result.position = static_cast<std::uint32_t>(plan_.sets.size());
  result.numCalls = static_cast<std::uint32_t>(vertices.size());
  result.callBytes.assign(vertices.size(), 0);
  auto const add = [&](std::uint32_t call, graph::Run const &run, std::uint64_t size,
                       bool written) {
    std::uint64_t const begin = context_.offsets[context_.vars.of(run.var)] + run.begin * size;
    result.callBytes[call] += run.size * size;
    (written ? result.writes : result.reads).push_back({begin, begin + run.size * size, call});
  };
  for (std::uint32_t call = 0; call < vertices.size(); ++call) {
    codelet::Codelet const &codelet = graph.codeletOf(vertices[call]);
    graph.forEachRegion(
        vertices[call], [&](unsigned field, std::size_t, graph::Region const &region) {
          std::uint64_t const size = base::sizeOf(codelet.fields[field].type);
          bool const written = codelet.fields[field].isWritten();
          region.forEachRun([&](graph::Run const &run) { add(call, run, size, written); });
        });
    graph.forEachMetadata(vertices[call], [&](unsigned, graph::View const &metadata) {
      metadata.forEachRun([&](graph::Run const &run) { add(call, run, 1, false); });
    });
  }
  std::sort(result.writes.begin(), result.writes.end(),
            [](ByteAccess const &a, ByteAccess const &b) { return a.begin < b.begin; });
  return result;
}

using Writes = std::vector<ByteAccess>;

/// Those of sorted, disjoint writes that touch the bytes of an access.
POP_INLINE std::pair<Writes::const_iterator, Writes::const_iterator>
touched(Writes const &writes, ByteAccess const &access) {
  auto const first = std::upper_bound(
      writes.begin(), writes.end(), access.begin,
      [](std::uint64_t begin, ByteAccess const &write) { return begin < write.end; });
  auto const end = std::lower_bound(
      first, writes.end(), access.end,
      [](ByteAccess const &write, std::uint64_t last) { return write.begin < last; });
  return {first, end};
}

/// Whether a set may as well run before those that are cut into strands so far.
POP_INLINE bool StrandBuilder::isApart(StrandSet const &added) const {
  auto const touches = [](StrandSet const &writer, std::vector<ByteAccess> const &accesses) {
    return std::any_of(accesses.begin(), accesses.end(), [&](ByteAccess const &access) {
      auto const [first, end] = touched(writer.writes, access);
      return first != end;
    });
  };
  return std::none_of(sets_.begin(), sets_.end(), [&](StrandSet const &set) {
    return touches(set, added.reads) || touches(set, added.writes) || touches(added, set.reads);
  });
}

/// Joins the calls of accesses with those of a set that write what they touch.
POP_INLINE void StrandBuilder::join(StrandSet const &writer,
                                    std::vector<ByteAccess> const &accesses,
                                    std::uint32_t accessBase) {
  Writes const &writes = writer.writes;
  // Writes that are joined with the next one already: each is looked at once.
  Joined runs;
  runs.grow(writes.size());
  for (ByteAccess const &access : accesses) {
    auto const [first, end] = touched(writes, access);
    if (first == end)
      continue;
    calls_.join(accessBase + access.call, writer.base + first->call);
    auto const last = static_cast<std::uint32_t>(end - writes.begin()) - 1;
    for (auto at = runs.root(static_cast<std::uint32_t>(first - writes.begin())); at < last;
         at = runs.root(at)) {
      calls_.join(writer.base + writes[at].call, writer.base + writes[at + 1].call);
      runs.joinUp(at);
    }
  }
}

/// The finest cut into ranges of calls of every set that keeps joined calls together.
POP_INLINE bool StrandBuilder::cut() {
  std::size_t const numSets = sets_.size();
  std::uint32_t const total = sets_.back().base + sets_.back().numCalls;
  // By set and root: behind the last call joined with it.
  std::vector<std::uint32_t> behind(numSets * total, 0);
  for (std::size_t s = 0; s < numSets; ++s)
    for (std::uint32_t call = 0; call < sets_[s].numCalls; ++call)
      behind[s * total + calls_.root(sets_[s].base + call)] = call + 1;
  plan_.ends.clear();
  std::vector<std::uint32_t> done(numSets, 0), wanted(numSets, 0);
  std::uint64_t most = 0;
  std::size_t numStrands = 0;
  for (std::size_t first = 0; first < numSets;) {
    if (done[first] == sets_[first].numCalls) {
      ++first;
      continue;
    }
    wanted[first] = done[first] + 1;
    std::uint64_t bytes = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t s = 0; s < numSets; ++s)
        for (; done[s] < wanted[s]; ++done[s], changed = true) {
          std::uint32_t const root = calls_.root(sets_[s].base + done[s]);
          bytes += sets_[s].callBytes[done[s]];
          for (std::size_t t = 0; t < numSets; ++t)
            wanted[t] = std::max(wanted[t], behind[t * total + root]);
        }
    }
    most = std::max(most, bytes);
    std::size_t const row = plan_.ends.size();
    plan_.ends.resize(row + plan_.sets.size(), 0);
    for (std::size_t s = 0; s < numSets; ++s)
      plan_.ends[row + sets_[s].position] = done[s];
    ++numStrands;
  }
  return numStrands >= FEWEST_STRANDS && most <= MOST_STRAND_BYTES &&
         most <= MOST_SHARES * (bytes_ / numStrands + 1);
}

POP_INLINE bool StrandBuilder::add(std::uint32_t set) {
  StrandSet added = describe(set);
  plan_.sets.push_back(set);
  if (added.numCalls < FEWEST_STRANDS && !sets_.empty() && isApart(added)) {
    plan_.before.push_back(added.position);
    return true;
  }
  if (!sets_.empty())
    added.base = sets_.back().base + sets_.back().numCalls;
  calls_.grow(added.base + added.numCalls);
  bytes_ += std::accumulate(added.callBytes.begin(), added.callBytes.end(), std::uint64_t{0});
  for (StrandSet const &earlier : sets_) {
    join(earlier, added.reads, added.base);
    join(earlier, added.writes, added.base);
    join(added, earlier.reads, earlier.base);
  }
  sets_.push_back(std::move(added));
  return cut();
}

/// Looks for strand plans in the instructions.
class StrandFinder {
public:
  explicit StrandFinder(Context &context) : context_(context), out_(context.out) {}
  void run();

private:
  std::vector<bool> entries() const;
  bool fits(std::uint32_t set, std::vector<std::uint32_t> const &others) const;
  std::size_t follow(std::size_t begin, std::size_t end);

  Context &context_;
  ExecutableData &out_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_; ///< plan number + 1 by sets; 0: none
};

/// Where execution may come to from elsewhere than the instruction before.
POP_INLINE std::vector<bool> StrandFinder::entries() const {
  std::vector<bool> entries(out_.instructions.size() + 1, false);
  for (std::uint32_t const at : out_.entryPoints)
    entries[at] = true;
  for (Instruction const &now : out_.instructions)
    if (now.op == Op::LoopEnd || now.op == Op::Jump || now.op == Op::JumpIfTrue ||
        now.op == Op::JumpIfFalse || now.op == Op::Call)
      entries[now.a] = true;
  for (SwitchTable const &table : out_.switches) {
    entries[table.otherwise] = true;
    for (auto const &[value, at] : table.cases)
      entries[at] = true;
  }
  return entries;
}

/// A set that occurs twice would use the same vertex states and staging twice at once. The first
/// one has to be cut.
POP_INLINE bool StrandFinder::fits(std::uint32_t set,
                                   std::vector<std::uint32_t> const &others) const {
  ComputeSetPlan const &plan = out_.computeSets[set];
  return !plan.hasStaging && (plan.numCalls >= FEWEST_STRANDS || !others.empty()) &&
         plan.numCalls <= MAX_STRAND_CALLS &&
         std::find(others.begin(), others.end(), set) == others.end();
}

/// Instructions [begin, end) execute one compute set each: finds the plan that begins at the first.
/// Returns the first instruction that is not part of it.
POP_INLINE std::size_t StrandFinder::follow(std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> sets;
  for (std::size_t at = begin;
       at < end && sets.size() < MAX_STRAND_SETS && fits(out_.instructions[at].a, sets); ++at)
    sets.push_back(out_.instructions[at].a);
  std::uint64_t bytes = 0;
  for (std::uint32_t const set : sets)
    bytes += out_.computeSets[set].edgeBytes;
  if (sets.size() < 2 || bytes < WORTH_STRANDS_BYTES)
    return begin + 1;
  auto const [known, fresh] = known_.emplace(sets, 0);
  if (fresh) {
    StrandPlan best;
    StrandBuilder builder(context_);
    for (std::uint32_t const set : sets) {
      if (!builder.add(set) && set != sets.front())
        break;
      if (builder.worthwhile())
        best = builder.plan();
    }
    if (!best.sets.empty()) {
      out_.strands.push_back(std::move(best));
      known->second = static_cast<std::uint32_t>(out_.strands.size());
    }
  }
  if (known->second == 0)
    return begin + 1;
  out_.instructions[begin].b = known->second;
  return begin + out_.strands[known->second - 1].sets.size();
}

POP_INLINE void StrandFinder::run() {
  std::vector<bool> const isEntry = entries();
  std::size_t const size = out_.instructions.size();
  for (std::size_t begin = 0; begin < size; ++begin) {
    if (out_.instructions[begin].op != Op::Execute)
      continue;
    std::size_t end = begin + 1;
    while (end < size && out_.instructions[end].op == Op::Execute && !isEntry[end])
      ++end;
    while (begin + 1 < end)
      begin = follow(begin, end);
    begin = end - 1;
  }
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void findStrands(Context &context) {
  bool const isCpu = context.out.target.getTargetType() == poplar::TargetType::CPU;
  // Who looks for NaNs looks at one compute set after the other.
  if (isCpu && !context.options.watchOutputs)
    detail::StrandFinder(context).run();
}

} // namespace cottonwood::lower

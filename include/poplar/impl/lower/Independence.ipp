// Body of checkIndependent().
//
// Writes of a compute set are sorted by variable and hull. Hulls that overlap form clusters. Nearly
// always a cluster is one write; where strided writes interleave, their elements are marked in a
// bitmap of the cluster's hull.
#pragma once

#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <unordered_map>

namespace cottonwood::lower::detail {

struct EdgeAccess {
  ElementSet set;
  graph::VertexId vertex;
  std::uint32_t field;
};

/// Marks of the elements [begin, begin + size).
class ElementBits {
public:
  ElementBits(std::uint64_t begin, std::uint64_t size) : begin_(begin), words_((size + 63) / 64) {}
  bool test(std::uint64_t element) const {
    std::uint64_t const at = element - begin_;
    return (words_[at / 64] >> (at % 64) & 1) != 0;
  }
  /// Marks an element; false if it was marked before.
  bool mark(std::uint64_t element) {
    std::uint64_t const at = element - begin_;
    std::uint64_t &word = words_[at / 64];
    std::uint64_t const bit = std::uint64_t{1} << (at % 64);
    bool const fresh = (word & bit) == 0;
    word |= bit;
    return fresh;
  }

private:
  std::uint64_t begin_;
  std::vector<std::uint64_t> words_;
};

class IndependenceCheck {
public:
  IndependenceCheck(Context const &context)
      : graph_(context.graph), lastWriter_(context.vars.size(), NONE), vars_(context.vars) {}
  void computeSet(graph::ComputeSetId id);

private:
  struct Cluster {
    graph::VarId var;
    std::uint64_t lo, hi;
    std::size_t first, count; // in writes_
  };

  void collect(graph::ComputeSetId id);
  void makeClusters();
  void checkCluster(Cluster const &cluster);
  ElementBits markCluster(Cluster const &cluster);
  void checkRead(EdgeAccess const &read);
  void checkReadIn(EdgeAccess const &read, std::size_t cluster);
  bool ownWrite(EdgeAccess const &read, std::uint64_t element) const;
  [[noreturn]] void failTwice(Cluster const &cluster, std::uint64_t element) const;
  [[noreturn]] void fail(EdgeAccess const &a, char const *does, EdgeAccess const &b,
                         std::uint64_t begin, std::uint64_t end) const;
  std::string edgeText(EdgeAccess const &access) const;

  graph::GraphData const &graph_;
  std::vector<std::uint32_t> lastWriter_; // by VarIndex: the compute set that last wrote it
  VarIndex const &vars_;
  graph::ComputeSetId current_ = 0;
  std::vector<EdgeAccess> writes_, reads_;
  std::vector<Cluster> clusters_;
  std::unordered_map<std::size_t, ElementBits> marks_; // by cluster
};

POP_INLINE void IndependenceCheck::collect(graph::ComputeSetId id) {
  writes_.clear();
  reads_.clear();
  current_ = id;
  for (graph::VertexId vertex : graph_.computeSet(id).vertices) {
    codelet::Codelet const &codelet = graph_.codeletOf(vertex);
    graph_.forEachRegion(vertex, [&](unsigned field, std::size_t, graph::Region const &region) {
      bool const written = codelet.fields[field].isWritten();
      forEachSet(region, written, [&](ElementSet &&set) {
        if (written)
          lastWriter_[vars_.of(set.var)] = id;
        (written ? writes_ : reads_).push_back({std::move(set), vertex, field});
      });
    });
    graph_.forEachMetadata(vertex, [&](unsigned field, graph::View const &metadata) {
      forEachSet({{}, &metadata}, false, [&](ElementSet &&set) {
        reads_.push_back({std::move(set), vertex, field});
      });
    });
  }
}

POP_INLINE void IndependenceCheck::makeClusters() {
  auto const before = [](EdgeAccess const &a, EdgeAccess const &b) {
    return a.set.var != b.set.var ? a.set.var < b.set.var : a.set.lo < b.set.lo;
  };
  if (!std::is_sorted(writes_.begin(), writes_.end(), before))
    std::stable_sort(writes_.begin(), writes_.end(), before);
  clusters_.clear();
  marks_.clear();
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    ElementSet const &set = writes_[i].set;
    if (!clusters_.empty() && clusters_.back().var == set.var && set.lo < clusters_.back().hi) {
      clusters_.back().hi = std::max(clusters_.back().hi, set.hi);
      ++clusters_.back().count;
    } else {
      clusters_.push_back({set.var, set.lo, set.hi, i, 1});
    }
  }
}

POP_INLINE ElementBits IndependenceCheck::markCluster(Cluster const &cluster) {
  ElementBits bits(cluster.lo, cluster.hi - cluster.lo);
  for (std::size_t i = cluster.first; i < cluster.first + cluster.count; ++i)
    writes_[i].set.forEachRow([&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t element = begin; element < end; ++element)
        if (!bits.mark(element))
          failTwice(cluster, element);
      return true;
    });
  return bits;
}

POP_INLINE void IndependenceCheck::checkCluster(Cluster const &cluster) {
  EdgeAccess const &first = writes_[cluster.first];
  if (cluster.count == 1 && !first.set.repeats)
    return;
  static_cast<void>(markCluster(cluster));
}

POP_INLINE bool IndependenceCheck::ownWrite(EdgeAccess const &read, std::uint64_t element) const {
  bool own = false;
  codelet::Codelet const &codelet = graph_.codeletOf(read.vertex);
  graph_.forEachRegion(read.vertex, [&](unsigned field, std::size_t, graph::Region const &region) {
    if (codelet.fields[field].isWritten())
      forEachSet(region, false, [&](ElementSet const &set) {
        own = own || (set.var == read.set.var && set.contains(element));
      });
  });
  return own;
}

/// A vertex may read what it writes itself: only writes of others clash.
POP_INLINE void IndependenceCheck::checkReadIn(EdgeAccess const &read, std::size_t index) {
  Cluster const &cluster = clusters_[index];
  EdgeAccess const &write = writes_[cluster.first];
  if (cluster.count == 1 && write.vertex == read.vertex)
    return;
  std::uint64_t const lo = std::max(read.set.lo, cluster.lo),
                      hi = std::min(read.set.hi, cluster.hi);
  if (cluster.count == 1 && write.set.isRun() && read.set.isRun())
    fail(write, "writes", read, lo, hi);
  auto bits = marks_.find(index);
  if (bits == marks_.end())
    bits = marks_.emplace(index, markCluster(cluster)).first;
  read.set.forEachRow([&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t element = std::max(begin, lo); element < std::min(end, hi); ++element)
      if (bits->second.test(element) && !ownWrite(read, element))
        for (std::size_t i = cluster.first; i < cluster.first + cluster.count; ++i)
          if (writes_[i].set.contains(element))
            fail(writes_[i], "writes", read, element, element + 1);
    return true;
  });
}

POP_INLINE void IndependenceCheck::checkRead(EdgeAccess const &read) {
  if (lastWriter_[vars_.of(read.set.var)] != current_)
    return;
  auto const endsBefore = [](Cluster const &cluster, EdgeAccess const &access) {
    return cluster.var != access.set.var ? cluster.var < access.set.var
                                         : cluster.hi <= access.set.lo;
  };
  auto at = std::lower_bound(clusters_.begin(), clusters_.end(), read, endsBefore);
  for (; at != clusters_.end() && at->var == read.set.var && at->lo < read.set.hi; ++at)
    checkReadIn(read, static_cast<std::size_t>(at - clusters_.begin()));
}

POP_INLINE void IndependenceCheck::computeSet(graph::ComputeSetId id) {
  collect(id);
  makeClusters();
  for (Cluster const &cluster : clusters_)
    checkCluster(cluster);
  for (EdgeAccess const &read : reads_)
    checkRead(read);
}

POP_INLINE std::string IndependenceCheck::edgeText(EdgeAccess const &access) const {
  return base::textOf("field '", graph_.codeletOf(access.vertex).fields[access.field].name, "' of ",
                      graph_.describeVertex(access.vertex));
}

POP_INLINE void IndependenceCheck::failTwice(Cluster const &cluster, std::uint64_t element) const {
  EdgeAccess const *first = nullptr;
  for (std::size_t i = cluster.first; i < cluster.first + cluster.count; ++i) {
    EdgeAccess const &access = writes_[i];
    if (!access.set.contains(element))
      continue;
    if (first) {
      bool const runs = first->set.isRun() && access.set.isRun();
      fail(*first, "writes", access, runs ? std::max(first->set.lo, access.set.lo) : element,
           runs ? std::min(first->set.hi, access.set.hi) : element + 1);
    }
    first = &access;
  }
  fail(*first, "writes twice", *first, element, element + 1);
}

POP_INLINE void IndependenceCheck::fail(EdgeAccess const &a, char const *does, EdgeAccess const &b,
                                        std::uint64_t begin, std::uint64_t end) const {
  std::string const elements =
      base::textOf("elements [", begin, ", ", end, ") of ", graph_.describe(a.set.var));
  if (&a == &b)
    base::fail<poplar::graph_cycle_error>("Engine", edgeText(a), " ", does, " ", elements,
                                          "; the elements of an output must be distinct");
  base::fail<poplar::graph_cycle_error>(
      "Engine", edgeText(a), " ", does, " ", elements, ", which ", edgeText(b),
      graph_.codeletOf(b.vertex).fields[b.field].isWritten() ? " writes too" : " reads",
      "; vertices of one compute set run at the same time: use two compute sets or other elements");
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void checkIndependent(Context &context) {
  detail::IndependenceCheck check(context);
  for (graph::ComputeSetId id : context.computeSets)
    check.computeSet(id);
}

} // namespace cottonwood::lower

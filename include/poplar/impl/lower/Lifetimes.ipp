// Body of findLifetimes().
//
// The programs are walked in order, as if all functions were inlined; every leaf gets a position. A
// segment of a variable reaches from the position that writes it in full (a kill) to the last one
// that uses that value. At each moment a variable has a current segment, or none if no kill has
// happened on some path: using it then means that its contents come from outside the program, so it
// is always live.
//
// Control flow: after If and Switch the segments of all paths are merged. A value that a loop's
// body uses before it kills it flows around the loop, so its segment covers the whole loop. A while
// loop is walked as its condition followed by an optional loop of body and condition, which is the
// order it runs in.
#pragma once

#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace cottonwood::lower::detail {

/// What a leaf does to variables. A write that leaves elements of its variable alone is a use, too.
struct Effects {
  std::vector<std::uint32_t> uses, kills; ///< by VarIndex
};

/// Adds up the elements of written views: a variable is killed when all of its elements are
/// written.
class WriteSum {
public:
  explicit WriteSum(Context const &context) : context_(context) {}
  void add(graph::Region const &region) {
    if (region.view)
      add(*region.view);
    else if (region.run.size != 0)
      written_[region.run.var] += region.run.size;
  }
  void add(graph::View const &view) {
    view.forEachBlockUnordered([&](graph::StridedBlock const &block) {
      std::uint64_t elements = 1;
      for (std::uint64_t size : block.sizes)
        elements *= size;
      written_[block.var] += elements;
    });
  }
  void finish(Effects &effects) const {
    for (auto const &[var, elements] : written_) {
      bool const whole = elements == context_.graph.variable(var).numElements;
      (whole ? effects.kills : effects.uses)
          .push_back(static_cast<std::uint32_t>(context_.vars.of(var)));
    }
  }

private:
  Context const &context_;
  std::unordered_map<graph::VarId, std::uint64_t> written_;
};

POP_INLINE void addUses(Context const &context, graph::View const &view, Effects &effects) {
  view.forEachBlockUnordered([&](graph::StridedBlock const &block) {
    effects.uses.push_back(static_cast<std::uint32_t>(context.vars.of(block.var)));
  });
}

POP_INLINE void makeUnique(std::vector<std::uint32_t> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

POP_INLINE Effects effectsOf(Context const &context, graph::ComputeSetId id) {
  Effects effects;
  WriteSum sum(context);
  for (graph::VertexId vertex : context.graph.computeSet(id).vertices) {
    codelet::Codelet const &codelet = context.graph.codeletOf(vertex);
    context.graph.forEachRegion(
        vertex, [&](unsigned field, std::size_t, graph::Region const &region) {
          if (codelet.fields[field].direction == codelet::Direction::Output)
            sum.add(region);
          else if (region.view)
            addUses(context, *region.view, effects);
          else if (region.run.size != 0)
            effects.uses.push_back(static_cast<std::uint32_t>(context.vars.of(region.run.var)));
        });
    context.graph.forEachMetadata(vertex, [&](unsigned, graph::View const &metadata) {
      addUses(context, metadata, effects);
    });
  }
  sum.finish(effects);
  makeUnique(effects.uses);
  return effects;
}

/// A program longer than this (functions inlined) is not analysed: all its variables keep memory of
/// their own.
inline constexpr std::uint32_t MAX_POSITIONS = 20'000'000;

class LifetimeAnalysis {
public:
  explicit LifetimeAnalysis(Context &context)
      : context_(context), current_(context.vars.size(), NO_SEGMENT),
        setEffects_(context.computeSets.size()), setKnown_(context.computeSets.size(), 0) {}

  /// False if the programs are too long.
  bool run();

private:
  struct Segment {
    std::uint32_t var, begin, end;
    std::uint32_t parent; ///< union-find: itself at a root
  };
  struct Loop {
    std::uint32_t begin;
    std::unordered_map<std::uint32_t, std::uint32_t>
        exposed; ///< variable -> segment that came in from outside
  };
  static constexpr std::uint32_t NO_SEGMENT = NONE;

  void program(program::NodePtr const &node);
  void leaf(program::Node const &node);
  void branches(std::vector<program::NodePtr> const &bodies);
  template <class Body> void optional(Body &&body);
  template <class Body> void loop(Body &&body);
  void whileLoop(program::Node const &node);
  Effects const &computeSet(graph::ComputeSetId id);
  void apply(Effects const &effects);
  void use(std::uint32_t var);
  void kill(std::uint32_t var);
  void set(std::uint32_t var, std::uint32_t segment);
  std::uint32_t root(std::uint32_t segment);
  std::uint32_t merge(std::uint32_t a, std::uint32_t b);

  using Exit = std::unordered_map<std::uint32_t, std::uint32_t>;
  Exit rewind(std::size_t mark);
  void join(std::vector<Exit> const &exits);

  Context &context_;
  bool const isTiled_ = context_.out.target.getTargetType() != poplar::TargetType::CPU;
  std::uint32_t position_ = 0;
  std::vector<std::uint32_t> current_; ///< by VarIndex
  std::vector<Segment> segments_;
  std::vector<Loop> loops_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      log_; ///< (variable, segment before a change)
  std::vector<Effects> setEffects_;
  std::vector<std::uint8_t> setKnown_;
};

POP_INLINE std::uint32_t LifetimeAnalysis::root(std::uint32_t segment) {
  while (segments_[segment].parent != segment)
    segment = segments_[segment].parent = segments_[segments_[segment].parent].parent;
  return segment;
}

POP_INLINE std::uint32_t LifetimeAnalysis::merge(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  segments_[b].parent = a;
  segments_[a].begin = std::min(segments_[a].begin, segments_[b].begin);
  segments_[a].end = std::max(segments_[a].end, segments_[b].end);
  return a;
}

POP_INLINE void LifetimeAnalysis::set(std::uint32_t var, std::uint32_t segment) {
  log_.emplace_back(var, current_[var]);
  current_[var] = segment;
}

POP_INLINE void LifetimeAnalysis::use(std::uint32_t var) {
  if (current_[var] == NO_SEGMENT) {
    context_.lifetimes[var].alwaysLive = true;
    return;
  }
  std::uint32_t const segment = root(current_[var]);
  segments_[segment].end = position_;
  for (auto loop = loops_.rbegin(); loop != loops_.rend() && segments_[segment].begin < loop->begin;
       ++loop)
    loop->exposed.emplace(var, segment);
}

POP_INLINE void LifetimeAnalysis::kill(std::uint32_t var) {
  auto const segment = static_cast<std::uint32_t>(segments_.size());
  segments_.push_back({var, position_, position_, segment});
  set(var, segment);
}

POP_INLINE void LifetimeAnalysis::apply(Effects const &effects) {
  for (std::uint32_t var : effects.uses)
    use(var);
  for (std::uint32_t var : effects.kills)
    kill(var);
}

POP_INLINE Effects const &LifetimeAnalysis::computeSet(graph::ComputeSetId id) {
  std::uint32_t const index = context_.computeSetIndex[id];
  if (!setKnown_[index]) {
    setEffects_[index] = effectsOf(context_, id);
    setKnown_[index] = 1;
  }
  return setEffects_[index];
}

POP_INLINE void LifetimeAnalysis::leaf(program::Node const &node) {
  using program::NodeKind;
  if (isTiled_)
    context_.leafPositions.emplace_back(&node, position_);
  Effects effects;
  WriteSum sum(context_);
  switch (node.kind) {
  case NodeKind::Execute:
    apply(computeSet(node.id));
    if (!node.views.empty())
      sum.add(node.views[0]);
    break;
  case NodeKind::Copy:
  case NodeKind::CrossReplicaCopy: // every replica sends all and receives all
    addUses(context_, node.views[0], effects);
    sum.add(node.views[1]);
    break;
  case NodeKind::StreamToDevice:
  case NodeKind::CycleStamp:
  case NodeKind::CycleCount:
    sum.add(node.views[0]);
    break;
  case NodeKind::RemoteToDevice:
    sum.add(node.views[0]);
    for (std::size_t i = 1; i < node.views.size(); ++i)
      addUses(context_, node.views[i], effects);
    break;
  case NodeKind::HostCall:
    for (std::size_t i = 0; i < node.views.size(); ++i) {
      if (i < node.count)
        addUses(context_, node.views[i], effects);
      else
        sum.add(node.views[i]);
    }
    break;
  case NodeKind::WriteUndef:
    sum.add(node.views[0]);
    sum.finish(effects);
    effects.uses.clear(); // a part that becomes undefined leaves the rest of its variable as it was
    return apply(effects);
  case NodeKind::AssumeEqual:
    return;
  default: // predicates, prints, errors, streams and remote buffers to the host
    for (graph::View const &view : node.views)
      addUses(context_, view, effects);
    break;
  }
  sum.finish(effects);
  apply(effects);
}

/// Undoes the changes since `mark`; returns the segments that the undone path ended with.
POP_INLINE LifetimeAnalysis::Exit LifetimeAnalysis::rewind(std::size_t mark) {
  Exit exit;
  while (log_.size() > mark) {
    auto const [var, before] = log_.back();
    log_.pop_back();
    exit.emplace(var, current_[var]); // the last change of a variable is met first
    current_[var] = before;
  }
  return exit;
}

POP_INLINE void LifetimeAnalysis::join(std::vector<Exit> const &exits) {
  std::vector<std::uint32_t> changed;
  for (Exit const &exit : exits)
    for (auto const &entry : exit)
      changed.push_back(entry.first);
  makeUnique(changed);
  for (std::uint32_t var : changed) {
    std::uint32_t joined = NO_SEGMENT;
    bool undefined = false;
    for (Exit const &exit : exits) {
      auto const found = exit.find(var);
      std::uint32_t const segment = found == exit.end() ? current_[var] : found->second;
      undefined = undefined || segment == NO_SEGMENT;
      if (!undefined)
        joined = joined == NO_SEGMENT ? root(segment) : merge(joined, segment);
    }
    set(var, undefined ? NO_SEGMENT : joined);
  }
}

POP_INLINE void LifetimeAnalysis::branches(std::vector<program::NodePtr> const &bodies) {
  std::vector<Exit> exits;
  for (program::NodePtr const &body : bodies) {
    std::size_t const mark = log_.size();
    program(body);
    exits.push_back(rewind(mark));
  }
  join(exits);
}

template <class Body> void LifetimeAnalysis::optional(Body &&body) {
  std::size_t const mark = log_.size();
  body();
  std::vector<Exit> exits;
  exits.push_back(rewind(mark));
  exits.emplace_back();
  join(exits);
}

template <class Body> void LifetimeAnalysis::loop(Body &&body) {
  loops_.push_back({++position_, {}});
  body();
  std::uint32_t const end = ++position_;
  Loop const done = std::move(loops_.back());
  loops_.pop_back();
  for (auto const &[var, incoming] : done.exposed) {
    if (current_[var] == NO_SEGMENT) {
      context_.lifetimes[var].alwaysLive = true;
      continue;
    }
    std::uint32_t const whole = merge(incoming, current_[var]);
    segments_[whole].end = end;
  }
}

POP_INLINE void LifetimeAnalysis::whileLoop(program::Node const &node) {
  auto const condition = [&] {
    program(node.children[0]);
    ++position_;
    Effects effects;
    addUses(context_, node.views[0], effects);
    apply(effects);
  };
  condition();
  optional([&] {
    loop([&] {
      program(node.children[1]);
      condition();
    });
  });
}

POP_INLINE void LifetimeAnalysis::program(program::NodePtr const &pointer) {
  using program::NodeKind;
  if (!pointer || position_ > MAX_POSITIONS)
    return;
  program::Node const &node = *pointer;
  ++position_;
  switch (node.kind) {
  case NodeKind::Sequence:
    for (program::NodePtr const &child : node.children)
      program(child);
    break;
  case NodeKind::Repeat:
    if (node.count > 0)
      loop([&] { program(node.children[0]); });
    break;
  case NodeKind::Loop:
    loop([&] { program(node.children[0]); });
    break;
  case NodeKind::Block:
    program(node.children[0]);
    break;
  case NodeKind::RepeatWhileTrue:
  case NodeKind::RepeatWhileFalse:
    whileLoop(node);
    break;
  case NodeKind::If:
  case NodeKind::Switch:
    leaf(node);
    branches(node.children);
    break;
  case NodeKind::Call:
    program(context_.functionBodies[node.id]);
    break;
  case NodeKind::CycleCount:
    program(node.children[0]);
    ++position_;
    leaf(node);
    break;
  default:
    leaf(node);
    break;
  }
}

POP_INLINE bool LifetimeAnalysis::run() {
  for (program::NodePtr const &root : context_.programs) {
    std::fill(current_.begin(), current_.end(), NO_SEGMENT);
    log_.clear();
    ++position_;
    program(root);
    if (position_ > MAX_POSITIONS)
      return false;
  }
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    Lifetime &lifetime = context_.lifetimes[segments_[i].var];
    Segment const &whole = segments_[root(i)];
    lifetime.begin = std::min(lifetime.begin, whole.begin);
    lifetime.end = std::max(lifetime.end, whole.end);
  }
  if (isTiled_)
    for (Effects &effects : setEffects_) {
      effects.uses.insert(effects.uses.end(), effects.kills.begin(), effects.kills.end());
      makeUnique(effects.uses);
      context_.computeSetVars.push_back(std::move(effects.uses));
    }
  return true;
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void findLifetimes(Context &context) {
  context.lifetimes.assign(context.vars.size(), {});
  bool const analysed = context.options.shareMemory && detail::LifetimeAnalysis(context).run();
  auto const keep = [&](graph::View const &view) {
    view.forEachBlockUnordered([&](graph::StridedBlock const &block) {
      context.lifetimes[context.vars.of(block.var)].alwaysLive = true;
    });
  };
  for (graph::HostAccess const &access : context.graph.hostReads())
    keep(access.view);
  for (graph::HostAccess const &access : context.graph.hostWrites()) {
    keep(access.view);
    if (access.view.metadata() != graph::kNoMetadata)
      keep(context.graph.metadata(access.view.metadata()));
  }
  for (std::size_t index = 0; index < context.vars.size(); ++index)
    if (!analysed || context.vars.isConstant(index) ||
        context.graph.variable(context.vars.id(index)).initial)
      context.lifetimes[index].alwaysLive = true;
}

} // namespace cottonwood::lower

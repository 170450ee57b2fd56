#pragma once
#include <poplar/impl/program/Node.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::program {

POP_INLINE char const *kindName(NodeKind kind) {
  static constexpr char const *kNames[] = {"Sequence",
                                           "Execute",
                                           "Copy",
                                           "StreamToDevice",
                                           "StreamToHost",
                                           "Repeat",
                                           "RepeatWhileTrue",
                                           "RepeatWhileFalse",
                                           "If",
                                           "Switch",
                                           "Call",
                                           "PrintTensor",
                                           "WriteUndef",
                                           "CrossReplicaCopy",
                                           "AssumeEqualAcrossReplicas",
                                           "Sync",
                                           "CycleCount",
                                           "CycleStamp",
                                           "RemoteToDevice",
                                           "RemoteToHost",
                                           "Loop",
                                           "HostCall",
                                           "ErrorProgram",
                                           "Abort",
                                           "Block"};
  return kNames[static_cast<unsigned>(kind)];
}

POP_INLINE void deepen(Node &parent, NodePtr const &child) {
  if (!child)
    return;
  if (child->depth >= MAX_DEPTH)
    base::fail<poplar::poplar_error>(kindName(parent.kind), "a program that is nested ",
                                     child->depth, " deep would be nested deeper; allowed: up to ",
                                     MAX_DEPTH);
  parent.depth = std::max(parent.depth, child->depth + 1);
}

POP_INLINE void addChildren(Node &parent, std::initializer_list<NodePtr> children) {
  for (NodePtr const &child : children)
    deepen(parent, child);
  parent.children.insert(parent.children.end(), children);
}

POP_INLINE void requireSyncType(std::string_view where, poplar::SyncType type) {
  base::requireEnumerator<poplar::poplar_error>(where, "SyncType", type,
                                                {"INTERNAL", "EXTERNAL", "GLOBAL"});
}

namespace detail {

POP_INLINE bool equalFormats(poplar::PrintTensorFmt const &a, poplar::PrintTensorFmt const &b) {
  return a.summariseThreshold() == b.summariseThreshold() && a.edgeItems() == b.edgeItems() &&
         a.maxLineWidth() == b.maxLineWidth() && a.digits() == b.digits() &&
         a.floatFormat() == b.floatFormat() && a.separator() == b.separator() &&
         a.openBracket() == b.openBracket() && a.closeBracket() == b.closeBracket();
}

POP_INLINE bool equalPrints(std::shared_ptr<PrintSpec const> const &a,
                            std::shared_ptr<PrintSpec const> const &b) {
  return a == b || (a && b && a->title == b->title && equalFormats(a->format, b->format));
}

} // namespace detail

POP_INLINE bool equal(NodePtr const &a, NodePtr const &b) {
  if (a == b)
    return true;
  if (!a || !b)
    return false;
  return a->kind == b->kind && a->id == b->id && a->graph == b->graph && a->count == b->count &&
         a->switchDefault == b->switchDefault && a->syncType == b->syncType &&
         a->cases == b->cases && a->views == b->views && detail::equalPrints(a->print, b->print) &&
         std::equal(a->children.begin(), a->children.end(), b->children.begin(), b->children.end(),
                    [](NodePtr const &x, NodePtr const &y) { return equal(x, y); });
}

} // namespace cottonwood::program

#pragma once

#include <poplin/codelets.hpp>
#include <poplin/impl/Config.hpp>
#include <poplin/impl/EpilogueText.hpp>
#include <poplin/impl/NormCodelets.hpp>
#include <poplin/impl/TileVertexNames.hpp>
#include <poplin/impl/VertexCosts.hpp>

#include <codelets/poplin/ConvGroups.hpp>
#include <codelets/poplin/ConvMaps.hpp>
#include <codelets/poplin/ConvPlanes.hpp>
#include <codelets/poplin/ConvUpdate.hpp>
#include <codelets/poplin/ConvVertex.hpp>
#include <codelets/poplin/FusedVertex.hpp>
#include <codelets/poplin/MatMulVertex.hpp>
#include <codelets/poplin/Winograd.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/codelet/Libraries.hpp>
#include <poplar/impl/codelet/Registry.hpp>

// Names, fields and costs of the vertices of codelets/poplin.

namespace cottonwood::vertices {

template <class Tag, class In, class Out>
poputil::VertexText describeVertex(MatMul<Tag, In, Out> *) {
  return {poputil::templateName<In, Out>("poplin::MatMul"), matMulFields<MatMul<Tag, In, Out>>(),
          &costOfMatMulFields<In, Out>};
}
template <class Tag, class In, class Out>
poputil::VertexText describeVertex(MatMulPartial<Tag, In, Out> *) {
  using V = MatMulPartial<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::MatMulPartial"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, c), POP_FIELD(V, m), POP_FIELD(V, n),
           POP_FIELD(V, k)},
          &costOfMatMul<In, Out, 3, 4, 5, 0>};
}

template <class V, class In, class Out> poputil::VertexText describeConv(char const *name) {
  return {poputil::templateName<In, Out>(name), convFields<V>(), &costOfConvFields<In, Out>};
}
template <class Tag, class In, class Out> poputil::VertexText describeVertex(Conv<Tag, In, Out> *) {
  return describeConv<Conv<Tag, In, Out>, In, Out>("poplin::Conv");
}
template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvTiles<Tag, In, Out> *) {
  return describeConv<ConvTiles<Tag, In, Out>, In, Out>("poplin::ConvTiles");
}
template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvChannels<Tag, In, Out> *) {
  return describeConv<ConvChannels<Tag, In, Out>, In, Out>("poplin::ConvChannels");
}
template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvPartial<Tag, In, Out> *) {
  using V = ConvPartial<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::ConvPartial"),
          {POP_FIELD(V, in), POP_FIELD(V, weights), POP_FIELD(V, out), POP_FIELD(V, table),
           POP_FIELD(V, strides), POP_FIELD(V, dims), POP_FIELD(V, columns), POP_FIELD(V, outputs),
           POP_FIELD(V, inChannels), POP_FIELD(V, taps)},
          &costOfConv<In, Out, 0, 6, 7>};
}

template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvGroups<Tag, In, Out> *) {
  using V = ConvGroups<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::ConvGroups"),
          {POP_FIELD(V, in),           POP_FIELD(V, weights),       POP_FIELD(V, out),
           POP_FIELD(V, workspace),    POP_FIELD(V, shape),         POP_FIELD(V, strides),
           POP_FIELD(V, inOffset),     POP_FIELD(V, weightsOffset), POP_FIELD(V, images),
           POP_FIELD(V, groups),       POP_FIELD(V, columns),       POP_FIELD(V, outputs),
           POP_FIELD(V, inChannels),   POP_FIELD(V, taps),          POP_FIELD(V, outMaps),
           POP_FIELD(V, phases),       POP_FIELD(V, phasesY),       POP_FIELD(V, phasesX),
           POP_FIELD(V, lines),        POP_FIELD(V, width),         POP_FIELD(V, strip),
           POP_FIELD(V, pieceOutputs), POP_FIELD(V, pieceLines)},
          &costOfConv<In, Out, 9, 10, 11>};
}

template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvMaps<Tag, In, Out> *) {
  using V = ConvMaps<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::ConvMaps"),
          {POP_FIELD(V, in), POP_FIELD(V, weights), POP_FIELD(V, out), POP_FIELD(V, workspace),
           POP_FIELD(V, shape), POP_FIELD(V, strides), POP_FIELD(V, inOffset),
           POP_FIELD(V, weightsOffset), POP_FIELD(V, lines), POP_FIELD(V, groups),
           POP_FIELD(V, images), POP_FIELD(V, weightsBlock), POP_FIELD(V, columns),
           POP_FIELD(V, outputs), POP_FIELD(V, inChannels), POP_FIELD(V, taps)},
          &costOfConv<In, Out, 9, 12, 13>};
}

template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvPlanes<Tag, In, Out> *) {
  using V = ConvPlanes<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::ConvPlanes"),
          {POP_FIELD(V, in), POP_FIELD(V, weights), POP_FIELD(V, out), POP_FIELD(V, workspace),
           POP_FIELD(V, shape), POP_FIELD(V, strides), POP_FIELD(V, inOffset),
           POP_FIELD(V, weightsOffset), POP_FIELD(V, planes), POP_FIELD(V, outputs),
           POP_FIELD(V, taps), POP_FIELD(V, first), POP_FIELD(V, groups)},
          &costOfConvPlanes<In>};
}

template <class Tag, class In, class Out>
poputil::VertexText describeVertex(ConvUpdate<Tag, In, Out> *) {
  using V = ConvUpdate<Tag, In, Out>;
  return {poputil::templateName<In, Out>("poplin::ConvUpdate"),
          {POP_FIELD(V, in), POP_FIELD(V, weights), POP_FIELD(V, out), POP_FIELD(V, workspace),
           POP_FIELD(V, shape), POP_FIELD(V, strides), POP_FIELD(V, inOffset),
           POP_FIELD(V, weightsOffset), POP_FIELD(V, groups), POP_FIELD(V, columns),
           POP_FIELD(V, channels), POP_FIELD(V, outputs), POP_FIELD(V, inChannels),
           POP_FIELD(V, taps)},
          &costOfConv<In, Out, 8, 9, 11>};
}

template <class Tag, class T> poputil::VertexText describeVertex(WinogradWeights<Tag, T> *) {
  using V = WinogradWeights<Tag, T>;
  return {poputil::templateName<T>("poplin::WinogradWeights"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, strides), POP_FIELD(V, offset),
           POP_FIELD(V, m), POP_FIELD(V, channels), POP_FIELD(V, channelBlock),
           POP_FIELD(V, columns), POP_FIELD(V, columnBlock), POP_FIELD(V, firstColumn)},
          &costOfWinogradWeights};
}
template <class Tag, class Out> poputil::VertexText describeVertex(Winograd<Tag, Out> *) {
  using V = Winograd<Tag, Out>;
  return {poputil::templateName<Out>("poplin::Winograd"),
          {POP_FIELD(V, in), POP_FIELD(V, weights), POP_FIELD(V, out), POP_FIELD(V, workspace),
           POP_FIELD(V, strides), POP_FIELD(V, offset), POP_FIELD(V, firstY), POP_FIELD(V, firstX),
           POP_FIELD(V, m), POP_FIELD(V, inputsY), POP_FIELD(V, inputsX), POP_FIELD(V, batch),
           POP_FIELD(V, outputsY), POP_FIELD(V, outputsX), POP_FIELD(V, groups),
           POP_FIELD(V, channels), POP_FIELD(V, columns), POP_FIELD(V, blocks)},
          &costOfWinograd};
}

} // namespace cottonwood::vertices

namespace cottonwood::poplin {

namespace detail {

/// Gives a vertex the name of a method.
POP_INLINE codelet::Codelet ofMethod(codelet::Codelet codelet, std::string_view name) {
  codelet.name = std::string(name) + codelet.name.substr(codelet.name.find('<'));
  codelet.seal();
  return codelet;
}

/// The same vertex with weights of 128-bit loads.
POP_INLINE codelet::Codelet withWideLoads(codelet::Codelet codelet, std::string_view weights) {
  codelet::Field &field = codelet.fields[static_cast<std::size_t>(codelet.findField(weights))];
  field.interleaved = true;
  field.minAlign = WIDE_LOAD_BYTES;
  codelet.name.back() = ',';
  codelet.name += "true>";
  codelet.seal();
  return codelet;
}

/// Appends the vertices of blocks on tiles under the names of the methods that they stand for, so
/// that profiles tell these apart.
POP_INLINE void appendTileMethods(std::vector<codelet::Codelet> &codelets) {
  struct Kind {
    char const *prefix, *weights;
    std::array<std::string_view, 6> const &names;
  };
  Kind const kinds[] = {{"poplin::MatMulPartial<", "b", TILE_ROWS_NAMES},
                        {"poplin::ConvPartial<", "weights", TILE_WINDOWS_NAMES}};
  for (std::size_t i = 0, count = codelets.size(); i != count; ++i)
    for (auto const &[prefix, weights, names] : kinds)
      if (codelets[i].name.starts_with(prefix))
        for (std::size_t method = 0; method != names.size(); ++method) {
          codelets.push_back(ofMethod(codelets[i], names[method]));
          planner::TilePlan plan;
          plan.method = static_cast<planner::TileMethod>(method);
          if (loadsWide(plan))
            codelets.push_back(withWideLoads(codelets.back(), weights));
        }
}

} // namespace detail

/// The codelets of this library for an instruction set, made once.
POP_INLINE std::vector<codelet::Codelet> const &builtinCodelets(isa::Isa isa) {
  return poputil::codeletsOf(isa, [isa](std::vector<codelet::Codelet> &codelets) {
    constexpr auto PACKED = poputil::Operands::OF_ONE_ISA;
    poputil::appendFamily<vertices::MatMulFamily>(isa, codelets, PACKED);
    poputil::appendFamily<vertices::ConvFamily>(isa, codelets, PACKED);
    poputil::appendFamily<vertices::ConvGroupsFamily>(isa, codelets, PACKED);
    poputil::appendFamily<vertices::ConvMapsFamily>(isa, codelets, PACKED);
    poputil::appendFamily<vertices::ConvPlanesFamily>(isa, codelets, PACKED);
    poputil::appendFamily<vertices::ConvUpdateFamily>(isa, codelets, PACKED);
    poputil::appendFamily<vertices::FusedFamily>(isa, codelets, PACKED);
    poputil::appendFamily<vertices::NormFamily>(isa, codelets);
    poputil::appendFamily<vertices::WinogradFamily>(isa, codelets, PACKED);
    detail::appendTileMethods(codelets);
  });
}

inline bool const registered =
    codelet::registerLibrary("poplin", &poputil::codeletsNamed<&builtinCodelets>);

} // namespace cottonwood::poplin

namespace poplin {

POP_INLINE void addCodelets(poplar::Graph &graph) {
  cottonwood::codelet::addToGraph(
      graph, cottonwood::poplin::builtinCodelets(cottonwood::poputil::builtinIsa()));
}

} // namespace poplin

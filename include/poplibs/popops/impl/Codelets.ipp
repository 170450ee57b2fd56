#pragma once

#include <popops/codelets.hpp>
#include <popops/impl/Config.hpp>

#include <popops/impl/ImageText.hpp>
#include <popops/impl/MapText.hpp>
#include <popops/impl/MapWideText.hpp>
#include <popops/impl/QuarterText.hpp>
#include <popops/impl/SelectText.hpp>
#include <popops/impl/SliceText.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/codelet/Libraries.hpp>
#include <poplar/impl/codelet/Registry.hpp>

namespace cottonwood::popops {

/// The codelets of this library for an instruction set, made once.
POP_INLINE std::vector<codelet::Codelet> const &builtinCodelets(isa::Isa isa) {
  return poputil::codeletsOf(isa, [isa](std::vector<codelet::Codelet> &codelets) {
    poputil::appendFamily<vertices::MapFamily>(isa, codelets);
    poputil::appendFamily<vertices::ReduceFamily>(isa, codelets);
    poputil::appendFamily<vertices::CastFamily>(isa, codelets);
    poputil::appendFamily<vertices::QuarterCastFamily>(isa, codelets);
    poputil::appendFamily<vertices::MapWideFamily>(isa, codelets);
    poputil::appendFamily<vertices::FillFamily>(isa, codelets);
    poputil::appendFamily<vertices::MultiSliceFamily>(isa, codelets);
    poputil::appendFamily<vertices::MultiUpdateOpFamily>(isa, codelets);
    poputil::appendFamily<vertices::EncodingFamily>(isa, codelets);
    poputil::appendFamily<vertices::NaNFamily>(isa, codelets);
    poputil::appendFamily<vertices::ScalarInRowsFamily>(isa, codelets);
    poputil::appendFamily<vertices::GatherStatisticsFamily>(isa, codelets);
    poputil::appendFamily<vertices::NormaliseImageFamily>(isa, codelets);
    poputil::appendFamily<vertices::SplineBasisFamily>(isa, codelets);
    poputil::appendFamily<vertices::SplineWeightingFamily>(isa, codelets);
    poputil::appendFamily<vertices::RowExtremesFamily>(isa, codelets);
    poputil::appendFamily<vertices::TopKFamily>(isa, codelets);
    poputil::appendFamily<vertices::TopKMergeFamily>(isa, codelets);
    poputil::appendFamily<vertices::TransposeFamily>(isa, codelets);
    poputil::appendFamily<vertices::ScaledAddFamily>(isa, codelets);
    poputil::appendFamily<vertices::SequenceSliceFamily>(isa, codelets);
  });
}

inline bool const registered =
    codelet::registerLibrary("popops", &poputil::codeletsNamed<&builtinCodelets>);

} // namespace cottonwood::popops

namespace popops {

POP_INLINE void addCodelets(poplar::Graph &graph) {
  cottonwood::codelet::addToGraph(
      graph, cottonwood::popops::builtinCodelets(cottonwood::poputil::builtinIsa()));
}

} // namespace popops

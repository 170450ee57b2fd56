/// \file Winograd.hpp
/// Vertices of convolutions by Winograd's minimal filtering, for CPUs; see WinogradKernel.hpp. `m`
/// is 2 or 4: outputs of a block in each dimension.
///
/// poplin::WinogradWeights<T>   transforms the weights of some strips of a group, T float or half
///   in         Input<Vector<T, ONE_PTR>>: the run of a variable that holds the weights; the first
///   tap
///              of the group is at `offset`
///   out        Output<Vector<float, ONE_PTR>>: kernels::winogradWeights() floats a strip
///   strides    Vector<long long>: of taps in y and x; of channels, and of their blocks; of
///   columns,
///              and of their blocks
///   channels, channelBlock, columns, columnBlock, firstColumn   see kernels::WinogradWeightsArgs
///
/// poplin::Winograd<Out>        some outputs and columns of some groups, Out float or half
///   in         Input<Vector<float, ONE_PTR>>: the run that holds the input; the first element of
///   the
///              part is at `offset`
///   weights    Input<Vector<float, ONE_PTR>>: transformed, the groups of the part one after
///   another out        Vector<Output<Vector<Out, ONE_PTR>>>: one region in which output p starts
///   at
///              p * groups * columns, or a region an output
///   workspace  Output<Vector<float, ONE_PTR>>: kernels::winogradWorkspace()
///   strides    Vector<long long>: of groups, batch, y and x of the input
///   inputsY, inputsX, firstY, firstX, batch, outputsY, outputsX, groups, channels, columns, blocks
///              see kernels::WinogradArgs
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poplin/WinogradKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class WinogradWeights : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Vector<long long> strides;
  long long offset;
  unsigned m, channels, channelBlock, columns, columnBlock, firstColumn;

  bool compute() {
    const auto stride = [&](unsigned i) { return static_cast<std::ptrdiff_t>(strides[i]); };
    kernels::winogradTransformWeights<Tag>(
        m, kernels::WinogradWeightsArgs<KernelType<T>>{
               kernelPointer(in.data()) + offset, stride(0), stride(1),
               kernels::WinogradStride{stride(2), stride(3), channelBlock},
               kernels::WinogradStride{stride(4), stride(5), columnBlock}, channels, firstColumn,
               columns, out.data()});
    return true;
  }
};

template <class Tag, class Out> class Winograd : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> weights;
  poplar::Vector<poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>>> out;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> workspace;
  poplar::Vector<long long> strides;
  long long offset;
  int firstY, firstX;
  unsigned m, inputsY, inputsX, batch, outputsY, outputsX, groups, channels, columns, blocks;

  bool compute() {
    const auto stride = [&](unsigned i) { return static_cast<std::ptrdiff_t>(strides[i]); };
    const bool oneRegion = out.size() == 1;
    // An edge of this layout is a pointer and nothing else.
    static_assert(sizeof(out[0]) == sizeof(void *));
    kernels::winograd<Tag>(
        m, kernels::WinogradArgs<KernelType<Out>>{
               in.data() + offset,
               stride(0),
               stride(1),
               stride(2),
               stride(3),
               static_cast<int>(inputsY),
               static_cast<int>(inputsX),
               firstY,
               firstX,
               batch,
               outputsY,
               outputsX,
               groups,
               channels,
               columns,
               weights.data(),
               oneRegion ? kernelPointer(out[0].data()) : nullptr,
               std::size_t{groups} * columns,
               oneRegion ? nullptr : reinterpret_cast<KernelType<Out> *const *>(out.data()),
               blocks,
               workspace.data()});
    return true;
  }
};

/// The order of the registry's table.
struct WinogradFamily {
  template <class Tag>
  using Vertices = VertexList<WinogradWeights<Tag, float>, WinogradWeights<Tag, poplar::half>,
                              Winograd<Tag, float>, Winograd<Tag, poplar::half>>;

  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices

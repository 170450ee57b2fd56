/// \file MapKernel.hpp
/// Runs a MapProgram on a range of elements.
///
/// The range is walked in steps short enough that all intermediate values stay in L1; each
/// instruction is one call of an array kernel per step, and a chain of cheap ones is one call.
/// Operands of full length are read in place and the last instruction writes the output in place,
/// so a program of one operation on full operands is one call. Constants and repeating operands are
/// laid out into a buffer, once where they do not change from step to step. Nothing is allocated:
/// scratch is 32 KB of stack.
#pragma once

#include <codelets/popops/MapBinary.hpp>
#include <codelets/popops/MapChain.hpp>
#include <codelets/popops/MapHalf.hpp>
#include <codelets/popops/MapOperands.hpp>
#include <codelets/popops/SplitsVectors.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::kernels {

/// Worker contexts share the elements in multiples of this.
inline constexpr std::size_t MAP_GRAIN = 1024;

/// The array kernels of a tag; instantiated in MapUnary.cpp, MapBinary.cpp and MapHalf.cpp.
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
extern template MapKernel unaryMapKernel<isa::VectorsOf<isa::POP_ISA>>(vertices::MapOp,
                                                                       vertices::MapType);
extern template MapKernel castMapKernel<isa::VectorsOf<isa::POP_ISA>>(vertices::MapType,
                                                                      vertices::MapType);
extern template MapKernel multiMapKernel<isa::VectorsOf<isa::POP_ISA>>(vertices::MapOp,
                                                                       vertices::MapType);
extern template MapKernel halfMapKernel<isa::POP_ISA>(vertices::MapOp);
extern template MapKernel unaryMapKernel<isa::avx2>(vertices::MapOp, vertices::MapType);
extern template MapKernel multiMapKernel<isa::avx2>(vertices::MapOp, vertices::MapType);
#endif

namespace detail {
/// Operations on half that AVX2 computes faster where instructions on 512 bits run as two:
/// conversions bound cheap ones, 16 lanes of which take 1.2 to 1.4 times as long as two times eight
/// (Zen 4), and numbers in the order of halves take an instruction that AVX-512 has not.
constexpr bool isFasterInTwo(vertices::MapOp op) {
  using vertices::MapOp;
  return op == MapOp::MAXIMUM || op == MapOp::MINIMUM || op == MapOp::CLAMP ||
         (isCheap(op) && !isOfHalfBits(op));
}

/// The kernel of a tag without half arithmetic.
template <class Tag>
POP_SIMD_INLINE MapKernel kernelOfVectors(vertices::MapOp op, vertices::MapType type) {
  return op < vertices::FIRST_BINARY_MAP_OP ? unaryMapKernel<Tag>(op, type)
                                            : multiMapKernel<Tag>(op, type);
}
} // namespace detail

/// The kernel of an operation other than CAST for a tag with all that its set has; null if there is
/// none for the type.
template <class Tag> MapKernel mapKernel(vertices::MapOp op, vertices::MapType type) {
  if constexpr (Tag::HALF_ARITHMETIC)
    if (type == vertices::MapType::HALF)
      if (const MapKernel kernel = halfMapKernel<Tag>(op))
        return kernel;
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
  if constexpr (arch::Avx512Tag<isa::VectorsOf<Tag>>)
    if (type == vertices::MapType::HALF && detail::isFasterInTwo(op) && splitsVectors())
      return detail::kernelOfVectors<isa::avx2>(op, type);
#endif
  return detail::kernelOfVectors<isa::VectorsOf<Tag>>(op, type);
}

/// The array kernels of a tag, by operation and types; null for those that do not exist.
struct MapKernels {
  MapKernel (*operation)(vertices::MapOp, vertices::MapType);
  MapKernel (*cast)(vertices::MapType, vertices::MapType);
};
template <class Tag> POP_SIMD_INLINE MapKernels mapKernelsOf() {
  return {&mapKernel<Tag>, &castMapKernel<isa::VectorsOf<Tag>>};
}

namespace detail {
struct MapStep {
  MapKernel kernel;
  std::uint8_t result, args[3];
  Walk walk; ///< but of the last one that writes past the caches
};

template <class Tag> class MapRun {
public:
  /// \param out  base address of the vertex's output, of `elements` elements
  MapRun(const std::uint32_t *words, const void *const *const *inputs, void *out,
         std::size_t elements)
      : program_(words), out_(static_cast<unsigned char *>(out)) {
    decodeSteps();
    decodeOperands(inputs);
    decideWalks(elements);
  }

  void run(std::size_t begin, std::size_t end) {
    const std::size_t limit = stepLimit(end - begin);
    assignBuffers(limit);
    for (std::size_t i = begin; i < end;) {
      std::size_t n = end - i < limit ? end - i : limit;
      unsigned char *result = out_ + i * outBytes_;
      // What goes past the caches are whole lines; parts of lines are steps of their own.
      const std::size_t line = 64 / outBytes_;
      const std::size_t beyond = direct_ ? reinterpret_cast<std::uintptr_t>(result) % 64 : 0;
      if (beyond != 0 && line - beyond / outBytes_ < n)
        n = line - beyond / outBytes_;
      n = prepareOperands(i, n);
      const bool buffered = stream_ && !direct_, past = direct_ && beyond == 0 && n >= line;
      if (past)
        n -= n % line;
      values_[vertices::MAP_OUTPUT] = buffered ? streamBuffer_ : result;
      if (chain_.count != 0)
        mapChain<Tag>(chain_, values_, values_[vertices::MAP_OUTPUT], n,
                      past ? Walk::PAST : steps_[0].walk);
      for (unsigned s = chain_.count; s < program_.numInstructions(); ++s) {
        const MapStep &step = steps_[s];
        step.kernel(values_[step.result], values_[step.args[0]], values_[step.args[1]],
                    values_[step.args[2]], n,
                    past && s + 1 == program_.numInstructions() ? Walk::PAST : step.walk);
      }
      if (buffered)
        streamBytes<Tag>(result, streamBuffer_, n * outBytes_);
      i += n;
    }
  }

private:
  void decodeSteps() {
    for (unsigned s = 0; s < program_.numInstructions(); ++s) {
      const vertices::MapInstruction in = program_.instruction(s);
      steps_[s].kernel = in.op == vertices::MapOp::CAST
                             ? castMapKernel<isa::VectorsOf<Tag>>(in.type, in.toType)
                             : mapKernel<Tag>(shortestOp(program_, in), in.type);
      steps_[s].result = in.result;
      steps_[s].walk = Walk::NEAR;
      for (unsigned k = 0; k < 3; ++k)
        steps_[s].args[k] = in.args[k];
      outBytes_ = bytesOf(in.toType);
    }
    chain_ = chainOf<Tag>(program_);
  }

  void decodeOperands(const void *const *const *inputs) {
    buffers_ = chain_.count != 0 ? 0 : program_.numSlots();
    for (unsigned i = 0; i < program_.numOperands(); ++i) {
      const vertices::MapOperand operand = program_.operand(i);
      operands_[i].decode(operand, inputs, out_);
      buffers_ += operands_[i].isBuffered();
    }
    // Constants of a chain are not as long as a step, unless it begins with one.
    if (chain_.count != 0 && operands_[chain_.first].reading == Reading::CONSTANT)
      return;
    for (unsigned s = 0; s < chain_.count; ++s)
      if (chain_.steps[s].op >= vertices::FIRST_BINARY_MAP_OP)
        chain_.steps[s].constant = operands_[chain_.steps[s].other].reading == Reading::CONSTANT;
    shortConstants_ = chain_.count != 0;
  }

  /// Rounding to half after each operation takes a chain as long as going through the first cache
  /// does, and a little longer (Zen 4: 6%); it gains where operands come from memory.
  void takeStepByStep() {
    chain_.count = 0;
    shortConstants_ = false;
    buffers_ += program_.numSlots();
  }

  /// Decides which instructions fetch what they read ahead, and whether the output is written past
  /// the caches: not if it is an operand, too, and so is in the caches already.
  void decideWalks(std::size_t elements) {
    const MapReads reads = mapReads(operands_, program_.numOperands(), elements, out_);
    const bool large = reads.isLarge(elements, outBytes_);
    const bool far = large || reads.isFarInPlace();
    stream_ = large && isWorthStreaming(outBytes_);
    if (!Tag::HALF_ARITHMETIC && chain_.halves && chain_.rounds && !far)
      takeStepByStep();
    direct_ = stream_ && canStreamDirectly();
    buffers_ += stream_ && !direct_ ? 1 : 0;
    if (!far || reads.again)
      return;
    for (unsigned s = 0; s < program_.numInstructions(); ++s) {
      const vertices::MapInstruction in = program_.instruction(s);
      for (unsigned k = 0; k < vertices::arity(in.op); ++k)
        if (in.args[k] < program_.numOperands() && operands_[in.args[k]].reading == Reading::FULL)
          steps_[s].walk = Walk::FAR;
    }
  }

  /// The last instruction can write the output past the caches.
  bool canStreamDirectly() const {
    const vertices::MapInstruction last = program_.instruction(program_.numInstructions() - 1);
    return storesPast(last.op, last.type) &&
           reinterpret_cast<std::uintptr_t>(out_) % outBytes_ == 0;
  }

  /// Elements a step may have at most, so that all buffers fit the scratch space.
  std::size_t stepLimit(std::size_t n) const {
    return hasLongBuffers() ? mapStepLimit(operands_, program_.numOperands(), buffers_, n) : n;
  }

  /// Whether some buffer is as long as a step.
  bool hasLongBuffers() const {
    if (!shortConstants_ || (stream_ && !direct_))
      return true;
    for (unsigned i = 0; i < program_.numOperands(); ++i)
      if (operands_[i].isBuffered() && operands_[i].reading != Reading::CONSTANT)
        return true;
    return false;
  }

  void assignBuffers(std::size_t limit) {
    unsigned char *next = scratch_;
    const auto take = [&](std::size_t elements) {
      unsigned char *p = next;
      next += (elements * 4 + 63) / 64 * 64;
      return p;
    };
    for (unsigned s = 0; chain_.count == 0 && s < program_.numSlots(); ++s)
      values_[vertices::MAP_SLOT0 + s] = take(limit);
    if (stream_ && !direct_)
      streamBuffer_ = take(limit);
    for (unsigned i = 0; i < program_.numOperands(); ++i) {
      MapOperandState &o = operands_[i];
      if (!o.isBuffered())
        continue;
      const bool constant = o.reading == Reading::CONSTANT;
      const std::size_t elements = constant && shortConstants_ ? MAP_CHAIN_CONSTANT : limit;
      o.buffer = values_[i] = take(elements);
      if (constant)
        splatBytes(o.buffer, &o.bits, o.bytes, elements);
    }
  }

  /// Points every operand at elements [i, i + n) and returns n, cut where an operand read in place
  /// begins its next period.
  std::size_t prepareOperands(std::size_t i, std::size_t n) {
    return prepareMapOperands<Tag>(operands_, program_.numOperands(), values_, i, n);
  }

  vertices::MapProgramView program_;
  unsigned char *out_;
  unsigned outBytes_ = 0;
  unsigned buffers_ = 0;
  bool stream_ = false; // the output is written past the caches,
  bool direct_ = false; // by the last instruction itself
  unsigned char *streamBuffer_ = nullptr;
  union { // left as it is: most programs have few operands
    MapOperandState operands_[vertices::MAP_MAX_OPERANDS];
  };
  MapStep steps_[vertices::MAP_MAX_INSTRUCTIONS];
  MapChain chain_; // the whole program, if it is one
  bool shortConstants_ = false;
  unsigned char *values_[256];
  alignas(64) unsigned char scratch_[MAP_SCRATCH + 64 * (vertices::MAP_MAX_OPERANDS +
                                                         vertices::MAP_MAX_SLOTS + 1)];
};
} // namespace detail

/// Evaluates elements [begin, end) of the program's output.
/// \param words     what MapProgramBuilder::finish() gave
/// \param inputs    inputs[type][index]: the address of a region's first element
/// \param out       address of output element 0
/// \param elements  of the whole output: decides how it is stored, never what
template <class Tag>
void runMapProgram(const std::uint32_t *words, const void *const *const *inputs, void *out,
                   std::size_t begin, std::size_t end, std::size_t elements) {
  if (begin < end)
    detail::MapRun<Tag>(words, inputs, out, elements).run(begin, end);
}

} // namespace cottonwood::kernels

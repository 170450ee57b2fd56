/// \file MapKernel.hpp
/// Runs a MapProgram on a range of elements.
///
/// The range is walked in steps short enough that all intermediate values stay in L1; each
/// instruction is one call of an array kernel per step. Operands of full length are read in place
/// and the last instruction writes the output in place, so a program of one operation on full
/// operands is one call. Constants and repeating operands are laid out into a buffer, once where
/// they do not change from step to step. Nothing is allocated: scratch is 32 KB of stack.
#pragma once

#include <codelets/popops/MapBinary.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::kernels {

/// Worker contexts share the elements in multiples of this.
inline constexpr std::size_t MAP_GRAIN = 256;

/// The array kernels of a tag; instantiated in MapUnary.cpp and MapBinary.cpp.
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
extern template MapKernel unaryMapKernel<isa::POP_ISA>(vertices::MapOp, vertices::MapType);
extern template MapKernel castMapKernel<isa::POP_ISA>(vertices::MapType, vertices::MapType);
extern template MapKernel multiMapKernel<isa::POP_ISA>(vertices::MapOp, vertices::MapType);
#endif

namespace detail {
inline constexpr std::size_t MAP_SCRATCH = 32 * 1024;
/// Operands that repeat with at least this period are read in place, one period at a time.
inline constexpr std::uint64_t DIRECT_PERIOD = 512;

enum class Reading : std::uint8_t { FULL, PERIODS, BUFFERED, CONSTANT };

struct MapOperandState {
  const unsigned char *base;
  unsigned char *buffer;
  vertices::MapPattern pattern;
  std::uint32_t bits;
  std::uint32_t bytes; // of an element
  Reading reading;
  std::uint64_t filledRun, filledPhase; // what the buffer holds
  std::size_t filled;                   // elements
};

struct MapStep {
  MapKernel kernel;
  std::uint8_t result, args[3];
};

/// SIZE bytes at x to each of n elements of p.
POP_SIMD_INLINE void splatBytes(unsigned char *p, const void *x, std::uint32_t bytes,
                                std::size_t n) {
  if (n == 0)
    return;
  __builtin_memcpy(p, x, bytes);
  // Doubling: each copy is as long as what is there.
  for (std::size_t done = 1; done < n;) {
    const std::size_t more = done < n - done ? done : n - done;
    __builtin_memcpy(p + done * bytes, p, more * bytes);
    done += more;
  }
}

/// Elements [begin, begin + n) of a repeating operand into its buffer.
template <class Tag> void fillBuffer(MapOperandState &o, std::uint64_t begin, std::size_t n) {
  const std::uint64_t period = o.pattern.period, run = period * o.pattern.repeat;
  std::uint64_t j = begin + o.pattern.phase;
  const std::uint64_t last = (j + n - 1) / run;
  if (o.filled >= n && o.filledRun == j / run && last == j / run && o.filledPhase == j % period)
    return;
  o.filledRun = j / run;
  o.filledPhase = j % period;
  o.filled = last == o.filledRun ? n : 0;
  const std::uint32_t bytes = o.bytes;
  unsigned char *p = o.buffer;
  while (n > 0) {
    // Within a run the elements repeat with the period: lay out one, then double it.
    const std::uint64_t left = (j / run + 1) * run - j;
    const std::size_t count = left < n ? left : n;
    const unsigned char *source = o.base + j / run * period * bytes;
    const std::uint64_t phase = j % period;
    if (period == 1) {
      splatBytes(p, source, bytes, count);
    } else {
      std::size_t done = period - phase < count ? period - phase : count;
      __builtin_memcpy(p, source + phase * bytes, done * bytes);
      if (done < count) {
        const std::size_t head = phase < count - done ? phase : count - done;
        __builtin_memcpy(p + done * bytes, source, head * bytes);
        done += head;
      }
      while (done < count) {
        const std::size_t more = done < count - done ? done : count - done;
        __builtin_memcpy(p + done * bytes, p, more * bytes);
        done += more;
      }
    }
    p += count * bytes;
    j += count;
    n -= count;
  }
}

template <class Tag> class MapRun {
public:
  /// \param out  base address of the vertex's output, of `elements` elements
  MapRun(const std::uint32_t *words, const void *const *const *inputs, void *out,
         std::size_t elements)
      : program_(words), out_(static_cast<unsigned char *>(out)) {
    decodeSteps();
    decodeOperands(inputs);
    stream_ = worthStreaming(elements);
    buffers_ += stream_ ? 1 : 0;
  }

  void run(std::size_t begin, std::size_t end) {
    const std::size_t limit = stepLimit(end - begin);
    assignBuffers(limit);
    for (std::size_t i = begin; i < end;) {
      std::size_t n = end - i < limit ? end - i : limit;
      n = prepareOperands(i, n);
      unsigned char *result = out_ + i * outBytes_;
      values_[vertices::MAP_OUTPUT] = stream_ ? streamBuffer_ : result;
      for (unsigned s = 0; s < program_.numInstructions(); ++s) {
        const MapStep &step = steps_[s];
        step.kernel(values_[step.result], values_[step.args[0]], values_[step.args[1]],
                    values_[step.args[2]], n);
      }
      if (stream_)
        streamBytes<Tag>(result, streamBuffer_, n * outBytes_);
      i += n;
    }
  }

private:
  void decodeSteps() {
    for (unsigned s = 0; s < program_.numInstructions(); ++s) {
      const vertices::MapInstruction in = program_.instruction(s);
      steps_[s].kernel = in.op == vertices::MapOp::CAST ? castMapKernel<Tag>(in.type, in.toType)
                         : in.op < vertices::FIRST_BINARY_MAP_OP
                             ? unaryMapKernel<Tag>(in.op, in.type)
                             : multiMapKernel<Tag>(in.op, in.type);
      steps_[s].result = in.result;
      for (unsigned k = 0; k < 3; ++k)
        steps_[s].args[k] = in.args[k];
      outBytes_ = bytesOf(in.toType);
    }
  }

  void decodeOperands(const void *const *const *inputs) {
    buffers_ = program_.numSlots();
    for (unsigned i = 0; i < program_.numOperands(); ++i) {
      const vertices::MapOperand operand = program_.operand(i);
      MapOperandState &o = operands_[i];
      o.bytes = bytesOf(operand.type);
      o.bits = operand.bits;
      o.pattern = operand.pattern;
      o.filled = 0;
      o.base = out_;
      if (operand.source == vertices::MapSource::INPUT)
        o.base = static_cast<const unsigned char *>(
            inputs[static_cast<unsigned>(operand.type)][operand.index]);
      o.reading = operand.source == vertices::MapSource::CONSTANT ? Reading::CONSTANT
                  : operand.source == vertices::MapSource::OUTPUT || o.pattern.period == 0
                      ? Reading::FULL
                  : o.pattern.period >= DIRECT_PERIOD ? Reading::PERIODS
                                                      : Reading::BUFFERED;
      buffers_ += o.reading == Reading::CONSTANT || o.reading == Reading::BUFFERED;
    }
  }

  /// Only where no operand is the output's own memory, which is in the cache already.
  bool worthStreaming(std::size_t elements) const {
    std::uint64_t bytes = std::uint64_t{elements} * outBytes_;
    for (unsigned i = 0; i < program_.numOperands(); ++i) {
      if (operands_[i].reading == Reading::FULL) {
        bytes += std::uint64_t{elements} * operands_[i].bytes;
        if (operands_[i].base == out_)
          return false;
      }
    }
    return bytes >= STREAM_BYTES;
  }

  /// Elements a step may have at most, so that all buffers fit the scratch space.
  std::size_t stepLimit(std::size_t n) const {
    if (buffers_ == 0)
      return n;
    const std::size_t limit = MAP_SCRATCH / 4 / buffers_ / 64 * 64;
    if (n <= limit)
      return n;
    // Steps of whole periods leave the buffer of a short repeating row as it is.
    for (unsigned i = 0; i < program_.numOperands(); ++i)
      if (operands_[i].reading == Reading::BUFFERED && operands_[i].pattern.period > 1 &&
          operands_[i].pattern.period <= limit)
        return limit - limit % operands_[i].pattern.period;
    return limit;
  }

  void assignBuffers(std::size_t limit) {
    unsigned char *next = scratch_;
    const std::size_t bytes = (limit * 4 + 63) / 64 * 64;
    const auto take = [&] {
      unsigned char *p = next;
      next += bytes;
      return p;
    };
    for (unsigned s = 0; s < program_.numSlots(); ++s)
      values_[vertices::MAP_SLOT0 + s] = take();
    if (stream_)
      streamBuffer_ = take();
    for (unsigned i = 0; i < program_.numOperands(); ++i) {
      MapOperandState &o = operands_[i];
      if (o.reading != Reading::BUFFERED && o.reading != Reading::CONSTANT)
        continue;
      o.buffer = values_[i] = take();
      if (o.reading == Reading::CONSTANT)
        splatBytes(o.buffer, &o.bits, o.bytes, limit);
    }
  }

  /// Points every operand at elements [i, i + n) and returns n, cut where an operand read in place
  /// begins its next period.
  std::size_t prepareOperands(std::size_t i, std::size_t n) {
    for (unsigned k = 0; k < program_.numOperands(); ++k) {
      MapOperandState &o = operands_[k];
      if (o.reading == Reading::FULL) {
        values_[k] = const_cast<unsigned char *>(o.base) + i * o.bytes;
      } else if (o.reading == Reading::PERIODS) {
        const std::uint64_t period = o.pattern.period, j = i + o.pattern.phase;
        const std::uint64_t element = j / (period * o.pattern.repeat) * period + j % period;
        values_[k] = const_cast<unsigned char *>(o.base) + element * o.bytes;
        const std::uint64_t left = period - j % period;
        n = left < n ? left : n;
      }
    }
    for (unsigned k = 0; k < program_.numOperands(); ++k)
      if (operands_[k].reading == Reading::BUFFERED)
        fillBuffer<Tag>(operands_[k], i, n);
    return n;
  }

  vertices::MapProgramView program_;
  unsigned char *out_;
  unsigned outBytes_ = 0;
  unsigned buffers_ = 0;
  bool stream_ = false;
  unsigned char *streamBuffer_ = nullptr;
  MapOperandState operands_[vertices::MAP_MAX_OPERANDS];
  MapStep steps_[vertices::MAP_MAX_INSTRUCTIONS];
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

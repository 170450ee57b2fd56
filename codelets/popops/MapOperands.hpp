/// \file MapOperands.hpp
/// How kernels of elementwise functions read their operands: in place where all elements are there,
/// else laid out into buffers, step by step.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/popops/MapProgram.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::kernels {

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

  /// \param inputs  inputs[type][index]: the address of a region's first element
  POP_SIMD_INLINE void decode(const vertices::MapOperand &operand, const void *const *const *inputs,
                              const unsigned char *out) {
    using vertices::MapSource;
    bytes = bytesOf(operand.type);
    bits = operand.bits;
    pattern = operand.pattern;
    filled = 0;
    base = out;
    if (operand.source == MapSource::INPUT)
      base = static_cast<const unsigned char *>(
          inputs[static_cast<unsigned>(operand.type)][operand.index]);
    reading = operand.source == MapSource::CONSTANT                        ? Reading::CONSTANT
              : operand.source == MapSource::OUTPUT || pattern.period == 0 ? Reading::FULL
              : pattern.period >= DIRECT_PERIOD                            ? Reading::PERIODS
                                                                           : Reading::BUFFERED;
  }
  POP_SIMD_INLINE bool isBuffered() const {
    return reading == Reading::BUFFERED || reading == Reading::CONSTANT;
  }
};

/// SIZE bytes at x to each of n elements of p.
POP_SIMD_INLINE void splatBytes(unsigned char *p, const void *x, std::uint32_t bytes,
                                std::size_t n) {
  if (n == 0)
    return;
  std::size_t done = 1;
  if (bytes == 4) {
    // A line by elements: calls for the first few copies would take longer.
    std::uint32_t word;
    __builtin_memcpy(&word, x, 4);
    for (done = 0; done < n && done < 16; ++done)
      __builtin_memcpy(p + 4 * done, &word, 4);
  } else {
    __builtin_memcpy(p, x, bytes);
  }
  // Doubling: each copy is as long as what is there.
  while (done < n) {
    const std::size_t more = done < n - done ? done : n - done;
    __builtin_memcpy(p + done * bytes, p, more * bytes);
    done += more;
  }
}

/// Every element from `source` on `repeat` times, the first one `left` times, until n elements of p
/// are written.
template <class Tag, class T>
void repeatElements(unsigned char *p, const unsigned char *source, std::uint64_t repeat,
                    std::uint64_t left, std::size_t n) {
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t PER_VECTOR = sizeof(I) / sizeof(T);
  for (; n > 0; source += sizeof(T), left = repeat) {
    const std::size_t count = left < n ? left : n;
    T x;
    __builtin_memcpy(&x, source, sizeof(T));
    // In whole vectors while what they write too much is written again.
    if (sizeof(I) > 4 && count + PER_VECTOR <= n) {
      constexpr std::uint32_t EACH = sizeof(T) == 1   ? 0x01010101U
                                     : sizeof(T) == 2 ? 0x00010001U
                                                      : 1;
      const I splat = I::splat(static_cast<std::int32_t>(x * EACH));
      for (std::size_t k = 0; k < count; k += PER_VECTOR)
        splat.store(reinterpret_cast<std::int32_t *>(p + k * sizeof(T)));
    } else {
      splatBytes(p, &x, sizeof(T), count);
    }
    p += count * sizeof(T);
    n -= count;
  }
}

/// Elements [begin, begin + n) of a repeating operand into its buffer.
template <class Tag> void fillBuffer(MapOperandState &o, std::uint64_t begin, std::size_t n) {
  const std::uint64_t period = o.pattern.period, run = period * o.pattern.repeat;
  const std::uint64_t j = begin + o.pattern.phase, last = (j + n - 1) / run;
  std::uint64_t phase = j % period, index = j / run, left = (index + 1) * run - j;
  if (o.filled >= n && o.filledRun == index && last == index && o.filledPhase == phase)
    return;
  o.filledRun = index;
  o.filledPhase = phase;
  o.filled = last == index ? n : 0;
  const std::uint32_t bytes = o.bytes;
  unsigned char *p = o.buffer;
  if (period == 1) {
    const unsigned char *const source = o.base + index * bytes;
    return bytes == 4   ? repeatElements<Tag, std::uint32_t>(p, source, run, left, n)
           : bytes == 2 ? repeatElements<Tag, std::uint16_t>(p, source, run, left, n)
                        : repeatElements<Tag, std::uint8_t>(p, source, run, left, n);
  }
  for (; n > 0; ++index, left = run, phase = 0) {
    // Within a run the elements repeat with the period: lay out one, then double it.
    const std::size_t count = left < n ? left : n;
    const unsigned char *source = o.base + index * period * bytes;
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
    p += count * bytes;
    n -= count;
  }
}

/// Elements a step may have at most, so that `buffers` buffers together with what is read and
/// written in place are no larger than the scratch space, which is most of L1.
POP_SIMD_INLINE std::size_t mapStepLimit(const MapOperandState *operands, unsigned count,
                                         unsigned buffers, std::size_t n) {
  if (buffers == 0)
    return n;
  unsigned arrays = buffers + 1;
  for (unsigned i = 0; i < count; ++i)
    arrays += !operands[i].isBuffered();
  // Buffers that begin at the same place of a page: a processor that compares the low twelve bits
  // of addresses first takes the loads of one for stores of another otherwise.
  const std::size_t space = MAP_SCRATCH / 4 / arrays, grain = space < 1024 ? 64 : 1024;
  const std::size_t limit = space / grain * grain;
  if (n <= limit)
    return n;
  // Steps of whole periods leave the buffer of a short repeating row as it is.
  for (unsigned i = 0; i < count; ++i) {
    const MapOperandState &o = operands[i];
    if (o.reading == Reading::BUFFERED && o.pattern.period > 1 && o.pattern.period <= limit)
      return limit - limit % o.pattern.period;
  }
  return limit;
}

/// What a vertex reads, as far as its walk over the arrays hangs on it.
struct MapReads {
  std::uint64_t bytes = 0; ///< of operands as long as the output
  bool output = false;     ///< one of these is the output's own memory
  bool again = false;      ///< some operand repeats elements, and cuts steps anywhere

  /// Whether all arrays together are larger than the caches, and the output, of so many elements,
  /// is not in them when it is written, being an operand, too.
  POP_SIMD_INLINE bool isLarge(std::size_t elements, unsigned outBytes) const {
    return !output && bytes + std::uint64_t{elements} * outBytes >= STREAM_BYTES;
  }
  /// Whether the output is an operand of those that are fetched ahead.
  POP_SIMD_INLINE bool isFarInPlace() const { return output && bytes >= FAR_BYTES; }
};

/// Elements of such a size are written past the caches where arrays are large; bytes, which come a
/// part of a line at a time, are not.
POP_SIMD_INLINE bool isWorthStreaming(unsigned outBytes) { return outBytes > 1; }

/// \param elements  of the whole output, at `out`
POP_SIMD_INLINE MapReads mapReads(const MapOperandState *operands, unsigned count,
                                  std::size_t elements, const unsigned char *out) {
  MapReads reads;
  for (unsigned i = 0; i < count; ++i) {
    const MapOperandState &operand = operands[i];
    const bool full = operand.reading == Reading::FULL;
    reads.bytes += full ? std::uint64_t{elements} * operand.bytes : 0;
    reads.output = reads.output || (full && operand.base == out);
    reads.again = reads.again || !(full || operand.reading == Reading::CONSTANT);
  }
  return reads;
}

/// Points every operand at elements [i, i + n) and returns n, cut where an operand read in place
/// begins its next period.
template <class Tag>
std::size_t prepareMapOperands(MapOperandState *operands, unsigned count, unsigned char **values,
                               std::size_t i, std::size_t n) {
  for (unsigned k = 0; k < count; ++k) {
    MapOperandState &o = operands[k];
    if (o.reading == Reading::FULL) {
      values[k] = const_cast<unsigned char *>(o.base) + i * o.bytes;
    } else if (o.reading == Reading::PERIODS) {
      const std::uint64_t period = o.pattern.period, j = i + o.pattern.phase;
      const std::uint64_t element = j / (period * o.pattern.repeat) * period + j % period;
      values[k] = const_cast<unsigned char *>(o.base) + element * o.bytes;
      const std::uint64_t left = period - j % period;
      n = left < n ? left : n;
    }
  }
  for (unsigned k = 0; k < count; ++k)
    if (operands[k].reading == Reading::BUFFERED)
      fillBuffer<Tag>(operands[k], i, n);
  return n;
}
} // namespace detail

} // namespace cottonwood::kernels

#pragma once
#include <algorithm>
#include <cstdlib>
#include <poplar/impl/graph/ViewBox.hpp>
#include <poplar/impl/graph/ViewReach.hpp>

namespace cottonwood::graph {

POP_INLINE bool keepRange(Factors &factors, std::int64_t &offset, std::uint64_t begin,
                          std::uint64_t end) {
  std::uint64_t const size = end - begin;
  std::uint64_t inner = countOf(factors);
  std::int64_t moved = 0;
  for (std::size_t k = 0; k != factors.size(); ++k) {
    Factor const f = factors[k];
    inner /= f.size;
    std::uint64_t const digit = begin / inner;
    if (size != 1 && digit != (end - 1) / inner) {
      if (begin % inner != 0 || end % inner != 0)
        return false;
      Factors kept;
      appendFactor(kept, size / inner, f.stride);
      appendFactors(kept, FactorSpan(factors).subspan(k + 1));
      offset += moved + static_cast<std::int64_t>(digit) * f.stride;
      factors = kept;
      return true;
    }
    // The whole range has one value of this digit: fix it.
    moved += static_cast<std::int64_t>(digit) * f.stride;
    begin -= digit * inner;
    end = begin + size;
  }
  offset += moved;
  factors.clear();
  return true;
}

POP_INLINE bool keepEvery(Factors &factors, std::uint64_t count, std::uint64_t step) {
  Factors kept;
  for (std::size_t k = 0; k != factors.size(); ++k) {
    Factor const &f = factors[k];
    std::uint64_t const inner = count / f.size;
    if (step % inner == 0) {
      std::uint64_t const digitStep = step / inner;
      appendFactor(kept, (f.size - 1) / digitStep + 1,
                   f.stride * static_cast<std::int64_t>(digitStep));
      factors = kept;
      return true;
    }
    if (inner % step != 0)
      return false;
    appendFactor(kept, f.size, f.stride);
    count = inner;
  }
  return true; // a single element
}

namespace viewdetail {

/// Cuts [begin, end) out of the factors from number k on, which hold `count` elements and begin at
/// `offset`.
POP_INLINE bool cutFactors(Box const &box, std::size_t k, std::uint64_t count, std::int64_t offset,
                           std::uint64_t begin, std::uint64_t end, BoxSink &sink) {
  if (end - begin == count || end - begin == 1) {
    Box part{box.node, box.var, offset + addressOf(FactorSpan(box.factors).subspan(k), begin), {}};
    if (end - begin != 1)
      part.factors.append(FactorSpan(box.factors).subspan(k));
    return sink(part);
  }
  Factor const &f = box.factors[k];
  std::uint64_t const inner = count / f.size;
  auto const addressOfDigit = [&](std::uint64_t digit) {
    return offset + static_cast<std::int64_t>(digit) * f.stride;
  };
  std::uint64_t first = begin / inner;
  std::uint64_t const last = end / inner;
  if (first == (end - 1) / inner)
    return cutFactors(box, k + 1, inner, addressOfDigit(first), begin - first * inner,
                      end - first * inner, sink);
  if (begin % inner != 0) {
    if (!cutFactors(box, k + 1, inner, addressOfDigit(first), begin % inner, inner, sink))
      return false;
    ++first;
  }
  if (first < last) {
    Box part{box.node, box.var, addressOfDigit(first), {}};
    appendFactor(part.factors, last - first, f.stride);
    appendFactors(part.factors, FactorSpan(box.factors).subspan(k + 1));
    if (!sink(part))
      return false;
  }
  return end % inner == 0 ||
         cutFactors(box, k + 1, inner, addressOfDigit(last), 0, end % inner, sink);
}

/// Splits each factor that runs over several blocks of `width` addresses and divides them evenly
/// into a factor from block to block and one within a block, so that each moves one digit only.
POP_INLINE void splitAt(std::uint64_t width, LongFactors &factors) {
  for (std::size_t i = 0; i != factors.size(); ++i) {
    Factor const f = factors[i];
    std::uint64_t const step = static_cast<std::uint64_t>(std::abs(f.stride));
    if (step == 0 || step >= width || width % step != 0)
      continue;
    std::uint64_t const inside = width / step;
    if (f.size <= inside || f.size % inside != 0)
      continue;
    factors[i] = {f.size / inside, f.stride * static_cast<std::int64_t>(inside)};
    factors.insert(++i, Factor{inside, f.stride});
  }
}

/// Writes a stride as the difference it makes to each digit of the system `lower`. \param balanced
/// take the remainder of smallest magnitude in each digit, so that a step along an antidiagonal is
/// +1 row, -1 column; otherwise all digits have the stride's sign.
POP_INLINE void digitsOf(std::int64_t stride, FactorSpan lower, bool balanced,
                         std::span<std::int64_t> digits) {
  for (std::size_t j = lower.size() - 1; j > 0; --j) {
    std::int64_t const size = static_cast<std::int64_t>(lower[j].size);
    std::int64_t digit = stride % size;
    if (balanced && 2 * std::abs(digit) > size)
      digit += digit > 0 ? -size : size;
    digits[j] = digit;
    stride = (stride - digit) / size;
  }
  digits[0] = stride;
}

/// The smallest and largest value of each digit over the elements of a sequence.
struct DigitRange {
  std::int64_t low, high;
};
using DigitRanges = base::SmallVector<DigitRange, 8>;
using Digits = base::SmallVector<std::int64_t, 8>;

POP_INLINE DigitRanges digitsOfOffset(std::int64_t offset, FactorSpan lower) {
  DigitRanges ranges(lower.size());
  for (std::size_t j = lower.size(); j-- > 0;) {
    std::int64_t const size = static_cast<std::int64_t>(lower[j].size);
    std::int64_t const digit = j == 0 ? offset : offset % size;
    ranges[j] = {digit, digit};
    offset /= size;
  }
  return ranges;
}

/// Widens the ranges by a factor. \returns false if a digit leaves its system: there would be a
/// carry.
POP_INLINE bool widen(DigitRanges &ranges, Factor const &f, std::span<std::int64_t const> digits,
                      FactorSpan lower) {
  for (std::size_t j = 0; j != digits.size(); ++j) {
    std::int64_t const reach = static_cast<std::int64_t>(f.size - 1) * digits[j];
    (reach < 0 ? ranges[j].low : ranges[j].high) += reach;
    if (ranges[j].low < 0 || ranges[j].high >= static_cast<std::int64_t>(lower[j].size))
      return false;
  }
  return true;
}

POP_INLINE std::int64_t mapDigits(std::span<std::int64_t const> digits, FactorSpan lower) {
  std::int64_t address = 0;
  for (std::size_t j = 0; j != digits.size(); ++j)
    address += digits[j] * lower[j].stride;
  return address;
}

/// Maps one stride; tries both ways of writing it in digits.
POP_INLINE bool mapFactor(Factor const &f, FactorSpan lower, DigitRanges &ranges,
                          std::int64_t &mapped) {
  Digits digits(lower.size());
  for (bool const balanced : {false, true}) {
    digitsOf(f.stride, lower, balanced, {digits.data(), digits.size()});
    DigitRanges widened = ranges;
    if (!widen(widened, f, digits, lower))
      continue;
    ranges = widened;
    mapped = mapDigits(digits, lower);
    return true;
  }
  return false;
}

} // namespace viewdetail

POP_INLINE bool cutRange(Box const &box, std::uint64_t begin, std::uint64_t end, BoxSink &sink) {
  return begin == end || viewdetail::cutFactors(box, 0, box.count(), box.offset, begin, end, sink);
}

POP_INLINE bool readThrough(FactorSpan lower, std::int64_t &offset, Factors &factors) {
  if (lower.size() <= 1) { // no digit to carry to
    std::int64_t const scale = lower.empty() ? 0 : lower[0].stride;
    Factors result;
    for (Factor const &f : factors)
      appendFactor(result, f.size, f.stride * scale);
    factors = result;
    offset *= scale;
    return true;
  }
  LongFactors split{FactorSpan(factors)};
  std::uint64_t width = 1;
  for (std::size_t j = lower.size(); j-- > 1;)
    viewdetail::splitAt(width *= lower[j].size, split);
  viewdetail::DigitRanges ranges = viewdetail::digitsOfOffset(offset, lower);
  Factors result;
  for (Factor const &f : split) {
    std::int64_t mapped = 0;
    if (!viewdetail::mapFactor(f, lower, ranges, mapped))
      return false;
    appendFactor(result, f.size, mapped);
  }
  factors = result;
  offset = addressOf(lower, static_cast<std::uint64_t>(offset));
  return true;
}

POP_INLINE bool readColumns(std::uint64_t width, std::uint64_t begin, std::uint64_t end,
                            std::int64_t &offset, Factors &factors) {
  std::int64_t const kept = static_cast<std::int64_t>(end - begin);
  // Rows are unlimited for this purpose: every address is known to lie in one.
  Factor const system[] = {{std::uint64_t{1} << 62, kept}, {width, 1}};
  LongFactors split{FactorSpan(factors)};
  viewdetail::splitAt(width, split);
  viewdetail::DigitRanges ranges = viewdetail::digitsOfOffset(offset, system);
  Factors result;
  for (Factor const &f : split) {
    std::int64_t mapped = 0;
    if (!viewdetail::mapFactor(f, system, ranges, mapped))
      return false;
    appendFactor(result, f.size, mapped);
  }
  if (ranges[1].low < static_cast<std::int64_t>(begin) ||
      ranges[1].high >= static_cast<std::int64_t>(end))
    return false;
  factors = result;
  offset = addressOf(system, static_cast<std::uint64_t>(offset)) - static_cast<std::int64_t>(begin);
  return true;
}

POP_INLINE std::uint64_t stepsWithoutCarry(FactorSpan lower, std::int64_t offset,
                                           std::int64_t stride, std::uint64_t count,
                                           std::int64_t &mapped) {
  viewdetail::DigitRanges const start = viewdetail::digitsOfOffset(offset, lower);
  viewdetail::Digits digits(lower.size());
  std::uint64_t best = 0;
  for (bool const balanced : {false, true}) {
    viewdetail::digitsOf(stride, lower, balanced, {digits.data(), digits.size()});
    std::uint64_t steps = count;
    for (std::size_t j = 0; j != digits.size(); ++j) {
      std::int64_t const room = digits[j] < 0
                                    ? start[j].low
                                    : static_cast<std::int64_t>(lower[j].size) - 1 - start[j].low;
      if (digits[j] != 0)
        steps = std::min(steps, static_cast<std::uint64_t>(room / std::abs(digits[j])) + 1);
    }
    if (steps > best) {
      best = steps;
      mapped = viewdetail::mapDigits(digits, lower);
    }
  }
  return best;
}

POP_INLINE bool isInjective(FactorSpan factors) {
  LongFactors sorted;
  for (Factor const &f : factors) {
    if (f.stride == 0 && f.size > 1)
      return false;
    sorted.push_back({f.size, std::abs(f.stride)});
  }
  std::sort(sorted.begin(), sorted.end(),
            [](Factor const &a, Factor const &b) { return a.stride < b.stride; });
  std::int64_t reach = 0; // of all smaller strides together
  for (std::size_t k = 0; k != sorted.size(); ++k) {
    if (sorted[k].stride <= reach && collidesBelow({sorted.data(), k + 1}, reach))
      return false;
    reach += sorted[k].reach();
  }
  return true;
}

} // namespace cottonwood::graph

// Tensors: views of the variables and constants of a graph.
//
// A tensor is an element type, a shape, and for each element in row-major order the place where it
// is stored: a variable and an offset in it. No operation on a tensor makes storage or copies data:
// results are other views of the same places, and what is written through one is seen through all.
// Copies of a Tensor object are views of the same places.
//
// Operations cost time by the structure of the view, never by the number of elements: transposing,
// slicing or broadcasting a variable of any size takes well under a microsecond. What no strides
// can say (a reshape across permuted dimensions, pieces in another order) is a view of a view;
// 5000 of them may lie on top of one another, more throw poplar_error.
//
// Errors are exceptions derived from poplar::poplar_error; the operands stay as they were. On an
// invalid tensor (default-constructed or moved from) valid(), hasMetadata(), getMetadata(),
// comparison, copying, moving and destroying work, all else throws. A tensor may be destroyed after
// its graph, but not used.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TENSOR_HPP
#define POPLAR_TENSOR_HPP

#include <cstddef>
#include <iosfwd>
#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Type.hpp>
#include <poplar/VariableRef.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace cottonwood {
namespace graph {

struct TensorAccess;

/// The value of an element of a constant, widened.
struct ConstantValue {
  enum class Kind { SignedInteger, UnsignedInteger, FloatingPoint };
  Kind kind;
  long long signedInteger;
  unsigned long long unsignedInteger;
  double floatingPoint;

  template <class T> typename std::enable_if<std::is_arithmetic<T>::value, T>::type as() const {
    return kind == Kind::SignedInteger     ? static_cast<T>(signedInteger)
           : kind == Kind::UnsignedInteger ? static_cast<T>(unsignedInteger)
                                           : static_cast<T>(floatingPoint);
  }
  /// For the 16-bit floats.
  template <class T> typename std::enable_if<!std::is_arithmetic<T>::value, T>::type as() const {
    return T(as<float>());
  }
};

} // namespace graph
} // namespace cottonwood

namespace poplar {

enum class UpsampleMethod {
  REPEAT ///< every element n times
};

class POP_API Tensor {
public:
  /// An invalid tensor.
  Tensor() noexcept;
  Tensor(Tensor const &other);
  /// `other` becomes invalid.
  Tensor(Tensor &&other) noexcept;
  Tensor &operator=(Tensor const &other) &;
  Tensor &operator=(Tensor &&other) &noexcept;
  ~Tensor();

  Type elementType() const;
  std::size_t numElements() const;
  /// \throws index_error  i is not below rank().
  std::size_t dim(unsigned i) const;
  std::vector<std::size_t> shape() const;
  unsigned rank() const;

  // In the formulas `in` is this tensor, s its shape and r its rank.

  /// out[j...] = in[i, j...], of rank r - 1.
  Tensor operator[](std::size_t i) const;
  /// out[.., i, ..] = in[.., begin + i, ..] at `dimension`, whose size becomes end - begin.
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  /// The same at dimension 0.
  Tensor slice(std::size_t begin, std::size_t end) const;
  Tensor slice(Interval const &region, unsigned dimension = 0) const;
  /// out[i...] = in[begin + i...]: range [begin[k], end[k]) of each dimension k; dimensions not
  /// listed are whole.
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  /// One slice for each interval.
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  /// For each list of intervals, the concatenation of its slices along `dimension`.
  std::vector<Tensor> slices(std::vector<std::vector<Interval>> const &intervals,
                             unsigned dimension = 0) const;
  /// For each index x, the slice [x, x + 1).
  std::vector<Tensor> slices(ArrayRef<unsigned> const &indices, unsigned dimension = 0) const;
  /// out[j...] = in[indices..., j...]
  Tensor index(ArrayRef<std::size_t> indices) const;

  /// All elements in row-major order, of shape [numElements()].
  Tensor flatten() const;
  /// Dimensions [dimBegin, dimEnd) become one; none of them inserts one of size 1.
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  /// The elements in row-major order in another shape of as many elements.
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  /// Dimensions [beginIndex, endIndex) are replaced by `newDims`, of as many elements.
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  /// Dimension k of the result is dimension permutation[k]: {2, 0, 1} makes in[a, b, c] out[c, a,
  /// b].
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  /// Dimension source[k] becomes dimension destination[k]; the others fill the free places in their
  /// old order.
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  /// Dimension dimIdx becomes dimension newIdx; the others keep their order.
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  /// out[i, j] = in[j, i], for rank 2.
  Tensor transpose() const;
  /// Inserts a dimension of size 1 before each dimension indices[k] of this tensor; r appends.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  /// Removes the dimensions listed, which have size 1.
  Tensor squeeze(ArrayRef<std::size_t> indices) const;
  /// out[.., i, ..] = in[.., i * stride, ..]; the size becomes ceil(s[dimension] / stride).
  Tensor subSample(unsigned stride, unsigned dimension) const;
  /// out[.., i, ..] = in[.., floor(i / scale), ..]; the size becomes s[dimension] * scale.
  Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const;
  /// out[.., i, ..] = in[.., i mod s[dimension], ..]; the size becomes s[dimension] * N.
  Tensor broadcast(unsigned N, unsigned dimension) const;
  /// out[.., i, ..] = in[.., s[dimension] - 1 - i, ..]
  Tensor reverse(unsigned dimension) const;
  /// The same bits as elements of another type of the same size.
  /// \throws type_error  the sizes differ.
  Tensor reinterpret(Type const &type) const;

  /// All elements lie in one variable, each right behind the one before it. Also true for 0
  /// elements.
  bool isContiguous() const;
  /// Some place occurs twice.
  bool containsAliases() const;
  /// Some element lies in a constant.
  bool containsConstant() const;
  /// Neither aliases nor constants: vertices may write all elements at once.
  bool isParallelWriteable() const;
  /// The maximal intervals of this tensor's flat indices that lie contiguously in one variable;
  /// together [0, numElements()).
  std::vector<Interval> getContiguousRegions() const;
  /// Where these lie, in the same order: intervals of the variables' elements.
  std::vector<VariableInterval> getVarRegions() const;
  /// Some place is one of `other`'s, too.
  bool intersectsWith(Tensor const &other) const;
  /// Stores the value in *val if this is one element of a constant. \returns whether it did.
  template <typename T> bool getConstantValue(T *val) const {
    cottonwood::graph::ConstantValue value = cottonwood::graph::ConstantValue();
    if (!readConstant(value))
      return false;
    *val = value.as<T>();
    return true;
  }

  /// A tensor of scale and format belongs to this one.
  bool hasMetadata() const;
  /// That tensor, or an invalid one.
  Tensor getMetadata() const;
  bool valid() const noexcept;

  /// `{2,3}`
  std::string shapeToString() const;
  /// Type, shape and regions by variable number. Equal tensors have equal texts.
  std::string getVarStr() const;
  /// The debug paths of the variables.
  std::string getDebugStr() const;
  /// Writes a description of the view.
  std::ostream &output(std::ostream &os) const;
  /// Writes the list of regions.
  std::ostream &outputRegions(std::ostream &os) const;
  /// Both as a line on std::cout.
  void dump() const;
  void dumpRegions() const;

private:
  friend struct cottonwood::graph::TensorAccess;
  bool readConstant(cottonwood::graph::ConstantValue &value) const;

  /// The view: see poplar/impl/graph/View.hpp.
  alignas(8) unsigned char storage_[240];
};

/// Equal element type, shape and places; or both invalid. Data are never compared.
POP_API bool operator==(Tensor const &a, Tensor const &b);
inline bool operator!=(Tensor const &a, Tensor const &b) { return !(a == b); }
/// Same as Tensor::output.
POP_API std::ostream &operator<<(std::ostream &os, Tensor const &tensor);

/// The tensors one after another along `dimension`, the only one whose sizes may differ.
POP_API Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
POP_API Tensor concat(Tensor const &first, Tensor const &second, unsigned dimension = 0);
/// `first` with `second`, which lacks that dimension, added at the end of `dimension`.
POP_API Tensor append(Tensor const &first, Tensor const &second, unsigned dimension);
/// The same at dimension 0.
POP_API Tensor append(Tensor const &first, Tensor const &second);

} // namespace poplar

#endif

// What a performance estimator may ask about a vertex: the sizes of its fields and the values of
// its state.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VERTEXINTROSPECTOR_HPP
#define POPLAR_VERTEXINTROSPECTOR_HPP

#include <cstddef>
#include <poplar/GraphElements.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/VectorLayout.hpp>
#include <string>
#include <vector>

namespace cottonwood {
namespace graph {
class GraphData;
struct IntrospectorAccess;
} // namespace graph
} // namespace cottonwood

namespace poplar {

/// How estimators name the layouts of fields.
namespace layout {

enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128 };
enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements
};
/// The name of the enumerator.
POP_API std::string to_string(Vector layout);
POP_API std::string to_string(VectorList layout);

} // namespace layout

class VertexIntrospector;

/// One field of one vertex.
class POP_API FieldData {
public:
  /// The length of a sub-vector, so that field[i].size() reads as it should.
  struct SizeT {
    explicit SizeT(std::size_t n) : n_(n) {}
    std::size_t size() const { return n_; }

  private:
    std::size_t n_;
  };

  FieldData(FieldData const &) = delete;
  FieldData &operator=(FieldData const &) = delete;
  FieldData(FieldData &&other) noexcept;
  virtual ~FieldData();

  /// 0 for a scalar, 1 for a vector, 2 for a list of vectors.
  unsigned rank() const;
  /// 1, the number of elements, or the number of sub-vectors. Here and below a short vector
  /// (float2) is one element of a vector.
  std::size_t size() const;
  /// The length of sub-vector i. \throws poplar_error  the rank is not 2; index_error  i is not
  /// below size().
  std::size_t getSizeAtIndex(std::size_t i) const;
  /// Of the outer (0) or inner (1) vector; NotAVector where there is none.
  layout::Vector getProfilerVectorLayout(std::size_t nestingLevel) const;
  layout::VectorList getProfilerVectorListLayout() const;
  std::string name() const;
  SizeT operator[](std::size_t i) const { return SizeT(getSizeAtIndex(i)); }

  /// The value of a scalar: state, or an edge connected to a constant.
  /// \throws poplar_error  not a scalar, no value set, or connected to a variable
  template <typename T> T getInitialValue(Target const &) const {
    return scalarValue().template as<T>();
  }
  /// The values of a vector, or (T = std::vector<U>) of a list of vectors; those of short vectors
  /// one by one.
  template <typename T> std::vector<T> getInitialValues(Target const &) const {
    std::vector<T> values;
    fill(values);
    return values;
  }

private:
  friend struct cottonwood::graph::IntrospectorAccess;
  FieldData(cottonwood::graph::GraphData const *graph, unsigned vertex, unsigned field);

  cottonwood::graph::ConstantValue scalarValue() const;
  std::vector<cottonwood::graph::ConstantValue> vectorValues() const;
  std::vector<cottonwood::graph::ConstantValue> subVectorValues(std::size_t i) const;
  void checkRank(char const *query, unsigned rank) const;

  template <typename T> void fill(std::vector<T> &values) const {
    for (cottonwood::graph::ConstantValue const &value : vectorValues())
      values.push_back(value.as<T>());
  }
  template <typename U> void fill(std::vector<std::vector<U>> &values) const {
    checkRank("getInitialValues", 2);
    for (std::size_t i = 0; i != size(); ++i) {
      values.emplace_back();
      for (cottonwood::graph::ConstantValue const &value : subVectorValues(i))
        values.back().push_back(value.as<U>());
    }
  }

  cottonwood::graph::GraphData const *graph_;
  unsigned vertex_;
  unsigned field_;
};

/// One vertex; made by the library for performance estimators.
class POP_API VertexIntrospector {
public:
  /// \throws unknown_field  the vertex has no such field.
  FieldData getFieldInfo(std::string const &name) const;
  ComputeSet getComputeSet() const;

private:
  friend struct cottonwood::graph::IntrospectorAccess;
  VertexIntrospector(cottonwood::graph::GraphData const *graph, unsigned vertex)
      : graph_(graph), vertex_(vertex) {}

  cottonwood::graph::GraphData const *graph_;
  unsigned vertex_;
};

} // namespace poplar

#endif

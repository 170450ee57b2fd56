// Vertices as programs in the wild write them, run on images of their state: what the engine does,
// by hand. Compiled once in each standard from C++11 on; the function returns the lines of the
// checks that failed.
#include <poplar/Vertex.hpp>

#include <poplar/AvailableVTypes.h>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

using namespace poplar;

static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
static constexpr auto SPAN = VectorLayout::SPAN;
static constexpr auto DELTAN = poplar::VectorListLayout::DELTANELEMENTS;
#ifdef VECTOR_AVAIL_SCALED_PTR64
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::SCALED_PTR64;
#else
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::ONE_PTR;
#endif

// One name for each standard: the linker must not merge the functions of the four objects.
#define POP_JOIN2(A, B) A##B
#define POP_JOIN(A, B) POP_JOIN2(A, B)
#define vertices POP_JOIN(POP_CODELETS, Vertices)

namespace vertices {

class Scalars : public Vertex {
  InOut<unsigned> counter; // private edges are connected like any other

public:
  Scalars(); // never defined: images are not constructed
  Input<float> a;
  Input<float> b;
  Output<float> sum;
  Output<half> small;
  Output<bool> flag;
  const unsigned limit;
  unsigned short step;

  bool compute() {
    sum = 3.f;
    sum = a;
    sum = sum + b;
    *sum += 1;
    counter += 1;
    counter++;
    *counter = (*counter + step) % limit;
    small = a;
    small = half(a) + 0.5f;
    flag = a < b;
    if (flag)
      *flag = !*flag;
    for (unsigned i = 0; i < counter; ++i)
      sum = sum + 1;
    return true;
  }
};

template <typename T, bool twice> class Vectors : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, SPAN, 8>> out;
  InOut<Vector<T, VectorLayout::SHORT_SPAN>> both;
  Vector<unsigned, PTR_ALIGN64> table;
  unsigned *unconnected;

  void compute(unsigned workerId) {
    constexpr unsigned stride = numWorkers();
    static_assert(stride == CTXT_WORKERS, "the same number everywhere");
    const T *from = &in[0];
    float *to = out.data();
    for (auto i = workerId; i < out.size(); i += stride)
      to[i] = float(from[i]) * (twice ? 2.0f : 1.0f) + static_cast<float>(table[i % 2]);
    if (workerId != numWorkers() - 1)
      return;
    for (auto &x : both)
      x = x + T(1);
    if (both->size() != both.size())
      both[0] = T(0);
    std::reverse(both.begin(), both.end());
  }
};

class Nested : public SupervisorVertexIf<true> {
public:
  static const bool needsAlignWorkers = false;
  using Row = InOut<Vector<int, ONE_PTR, 4>>;
  Vector<Input<Vector<half, SPAN, 8>>> in;
  Vector<Row, ONE_PTR> rows;
  Vector<Output<int>, ONE_PTR> scalars;
  Vector<Input<half>, ONE_PTR> halves;

  static int total(Vector<Input<Vector<half, SPAN, 8>>> const &lists) {
    half sum = 0;
    for (const auto &list : lists)
      for (auto value : list)
        sum += value;
    return static_cast<int>(sum);
  }

  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      auto &row = rows[i];
      row[0] = static_cast<int>(in[i].size());
      rows[i][1] += 5;
      scalars[i] = total(in);
      half h = halves[i];
      *scalars[i] += static_cast<int>(h);
    }
    return true;
  }
};

struct Lists : Vertex {
  Input<VectorList<unsigned short, DELTAN>> work;
  Output<VectorList<float, VectorListLayout::COMPACT_DELTAN, 8>> out;

  void compute() {
    for (unsigned i = 0; i < work.size(); ++i) {
      const auto &list = work[i];
      for (unsigned j = 0; j < list.size(); ++j)
        out[i][j] = static_cast<float>(list[j] * 2);
      if (list.size() != 0)
        *(&out[i][0]) += 1;
    }
    for (auto row : out)
      for (auto &x : row)
        x += 0.5f;
  }
};

// The images that the engine fills.
template <class T> struct Span {
  T *data;
  std::size_t size;
};

/// Zeroed storage for a vertex that is never constructed.
template <class V> struct Image {
  alignas(V) unsigned char bytes[sizeof(V)];
  Image() : bytes() {}
  V &vertex() { return *reinterpret_cast<V *>(bytes); }
  template <class F, class Value> void set(F &field, Value value) {
    static_assert(sizeof(F) == sizeof(Value), "the image of the field");
    std::memcpy(static_cast<void *>(&field), &value, sizeof value);
  }
};

} // namespace vertices

using namespace vertices;

template class vertices::Vectors<half, true>;
template class vertices::Vectors<float, false>;

static_assert(sizeof(Input<float>) == 8 && sizeof(InOut<half>) == 8, "one pointer");
static_assert(sizeof(Input<Vector<float>>) == 16 && sizeof(Vector<int>) == 16, "pointer and size");
static_assert(sizeof(Output<Vector<float, VectorLayout::SHORT_SPAN>>) == 16, "pointer and size");
static_assert(sizeof(Output<Vector<float, ONE_PTR, 8>>) == 8, "one pointer");
static_assert(sizeof(Vector<float, VectorLayout::COMPACT_PTR, 8, true>) == 8, "one pointer");
static_assert(sizeof(Input<VectorList<int, DELTAN>>) == 16, "pointer and size");
static_assert(sizeof(Vector<Input<Vector<half>>, ONE_PTR>) == 8, "one pointer to inner images");
static_assert(std::is_standard_layout<Input<Vector<float>>>::value &&
                  std::is_standard_layout<Output<float>>::value &&
                  std::is_standard_layout<Vector<Input<Vector<float>>>>::value &&
                  std::is_standard_layout<InOut<VectorList<float, DELTAN>>>::value,
              "a fixed image");
static_assert(
    std::is_same<decltype(&std::declval<Input<Vector<float>> &>()[0]), const float *>::value,
    "const");
static_assert(std::is_same<decltype(&std::declval<Output<Vector<float>> &>()[0]), float *>::value,
              "writable");
static_assert(std::is_same<decltype(std::declval<Input<Vector<int>>>().size()), std::size_t>::value,
              "one size type");
static_assert(std::is_empty<Vertex>::value && std::is_empty<MultiVertex>::value &&
                  std::is_empty<SupervisorVertex>::value &&
                  std::is_empty<ExternalExchangeVertex>::value,
              "a vertex is its fields");
static_assert(std::is_base_of<Vertex, SupervisorVertexIf<false>>::value &&
                  std::is_base_of<MultiVertex, MultiVertexIf<true>>::value,
              "conditional bases");
static_assert(std::is_same<half, poplar::half>::value && std::numeric_limits<half>::has_infinity,
              "one half");

std::string POP_CODELETS();

std::string POP_CODELETS() {
  std::string failed;
#define EXPECT(...)                                                                                \
  do {                                                                                             \
    if (!(__VA_ARGS__))                                                                            \
      failed += std::to_string(__LINE__) + " ";                                                    \
  } while (false)

  { // Private and constant fields have no names here: the image is filled by offset, as the engine
    // does.
    struct Fields {
      void *counter, *a, *b, *sum, *small, *flag;
      unsigned limit;
      unsigned short step;
    };
    static_assert(sizeof(Scalars) == sizeof(Fields), "fields in order, nothing between");
    unsigned counter = 3;
    float a = 1.5f, sum = 0;
    float b = 2;
    half small = 0;
    bool flag = false;
    Image<Scalars> image;
    Fields fields = {&counter, &a, &b, &sum, &small, &flag, 4, 1};
    std::memcpy(image.bytes, &fields, sizeof fields);
    EXPECT(image.vertex().compute());
    EXPECT(counter == 2 && !flag && small == 2.0f && sum > 6.4f && sum < 6.6f);
  }
  {
    half in[4] = {half(1), half(2), half(3), half(4)};
    float out[4] = {};
    half both[3] = {half(5), half(6), half(7)};
    unsigned table[2] = {10, 20};
    Image<Vectors<half, true>> image;
    auto &v = image.vertex();
    image.set(v.in, &in[0]);
    image.set(v.out, Span<float>{out, 4});
    image.set(v.both, Span<half>{both, 3});
    image.set(v.table, &table[0]);
    for (unsigned worker = 0; worker != MultiVertex::numWorkers(); ++worker)
      v.compute(worker);
    EXPECT(out[0] > 11.9f && out[0] < 12.1f && out[3] > 27.9f && out[3] < 28.1f);
    EXPECT(both[0] == 8.0f && both[2] == 6.0f);
    EXPECT(v.out.rbegin() != v.out.rend() && *v.out.rbegin() > 27.9f && v.out.front() < 12.1f &&
           !v.out.empty());
  }
  {
    half first[2] = {half(1), half(2)}, second[1] = {half(4)};
    Span<half> lists[2] = {{first, 2}, {second, 1}};
    int rows[2][2] = {{0, 1}, {0, 2}};
    int *rowPointers[2] = {rows[0], rows[1]};
    int scalars[2] = {};
    void *scalarPointers[2] = {&scalars[0], &scalars[1]};
    void *halfPointers[2] = {&first[1], &second[0]};
    Image<Nested> image;
    auto &v = image.vertex();
    image.set(v.in, Span<Span<half>>{lists, 2});
    image.set(v.rows, &rowPointers[0]);
    image.set(v.scalars, &scalarPointers[0]);
    image.set(v.halves, &halfPointers[0]);
    EXPECT(v.compute());
    EXPECT(rows[0][0] == 2 && rows[1][0] == 1 && rows[0][1] == 6 && rows[1][1] == 7);
    EXPECT(scalars[0] == 9 && scalars[1] == 11);
  }
  {
    unsigned short first[2] = {1, 2}, third[1] = {3};
    float outFirst[2] = {}, outThird[1] = {};
    Span<unsigned short> work[3] = {{first, 2}, {nullptr, 0}, {third, 1}};
    Span<float> out[3] = {{outFirst, 2}, {nullptr, 0}, {outThird, 1}};
    Image<Lists> image;
    auto &v = image.vertex();
    image.set(v.work, Span<Span<unsigned short>>{work, 3});
    image.set(v.out, Span<Span<float>>{out, 3});
    v.compute();
    EXPECT(outFirst[0] > 3.4f && outFirst[0] < 3.6f && outFirst[1] > 4.4f && outThird[0] > 7.4f);
    EXPECT(v.work[1].empty() && v.work->size() == 3);
  }
  { // Assigning writes the element; copying the edge copies the reference.
    int x = 1, y = 2;
    Image<InOut<int>> ix, iy;
    InOut<int> &ex = ix.vertex(), &ey = iy.vertex();
    ix.set(ex, static_cast<void *>(&x));
    iy.set(ey, static_cast<void *>(&y));
    InOut<int> same = ex;
    ex = ey;
    EXPECT(x == 2 && same == 2 && *same.operator->() == 2);
    ey = 7;
    EXPECT(y == 7 && x == 2);
    const InOut<int> &shallow = ey;
    *shallow = 8;
    EXPECT(y == 8);
  }
  return failed;
}

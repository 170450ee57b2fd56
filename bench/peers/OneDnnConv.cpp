// oneDNN's direct convolutions, in the layouts that it chooses, in channels-last ones and in plain
// ones. (Winograd is another algorithm, with other rounding.)
#include <bench/peers/OneDnn.hpp>

#include <memory>
#include <optional>

namespace cottonwood::bench {
namespace {

using Memory = dnnl::memory;
using Dims = Memory::dims;
using Tag = Memory::format_tag;
constexpr auto FLOAT = Memory::data_type::f32;
constexpr auto DIRECT = dnnl::algorithm::convolution_direct;

/// Input, weights and output: dimensions as oneDNN counts them, and the tag of the plain layout.
struct Shape {
  Dims dims;
  Tag plain;
  Memory::desc desc(Tag tag) const { return {dims, FLOAT, tag}; }
};

Shape inputOf(Conv const &c) {
  return {{dim(c.batch), dim(c.groups * c.in), dim(c.size), dim(c.size)}, Tag::nchw};
}
Shape outputOf(Conv const &c) {
  return {{dim(c.batch), dim(c.groups * c.out), dim(c.outSize()), dim(c.outSize())}, Tag::nchw};
}
Shape weightsOf(Conv const &c) {
  if (c.groups == 1)
    return {{dim(c.out), dim(c.in), dim(c.kernel), dim(c.kernel)}, Tag::oihw};
  return {{dim(c.groups), dim(c.out), dim(c.in), dim(c.kernel), dim(c.kernel)}, Tag::goihw};
}

/// A tensor as it lies plainly and as the primitive wants it; the same memory if that is plain.
struct Tensor {
  int argument = 0;
  Memory plain, used;
  std::optional<dnnl::reorder> reorder{}; ///< towards `used`, or from it for the result

  Tensor() = default;
  Tensor(int name, Shape const &shape, Memory::desc const &wanted, float *data, bool isResult)
      : argument(name), plain(shape.desc(shape.plain), engine(), data) {
    bool const same = wanted == plain.get_desc();
    used = same ? plain : Memory(wanted, engine());
    if (!same)
      reorder.emplace(isResult ? used : plain, isResult ? plain : used);
  }

  void toUsed(dnnl::stream &stream) {
    if (reorder)
      reorder->execute(stream, plain, used);
  }
  void toPlain(dnnl::stream &stream) {
    if (reorder)
      reorder->execute(stream, used, plain);
  }
};

/// A primitive with its tensors.
class Convolution {
public:
  /// \param activations  their layout
  /// \throws dnnl::error  there is no such primitive.
  Convolution(Conv const &conv, Operands const &o, Tag activations) : conv_(conv) {
    Shape const in = inputOf(conv), weights = weightsOf(conv), out = outputOf(conv);
    input_ = in.desc(activations), output_ = out.desc(activations);
    weights_ = weights.desc(Tag::any);
    float *const a = const_cast<float *>(o.a), *const b = const_cast<float *>(o.b);
    if (conv.pass == Conv::Pass::FORWARD) {
      auto const chosen = forward(dnnl::prop_kind::forward_inference);
      primitive_ = dnnl::convolution_forward(chosen);
      a_ = Tensor(DNNL_ARG_SRC, in, chosen.src_desc(), a, false);
      b_ = Tensor(DNNL_ARG_WEIGHTS, weights, chosen.weights_desc(), b, false);
      c_ = Tensor(DNNL_ARG_DST, out, chosen.dst_desc(), o.c, true);
    } else if (conv.pass == Conv::Pass::DATA_GRADIENT) {
      auto const chosen = dataGradient();
      primitive_ = dnnl::convolution_backward_data(chosen);
      a_ = Tensor(DNNL_ARG_DIFF_DST, out, chosen.diff_dst_desc(), a, false);
      b_ = Tensor(DNNL_ARG_WEIGHTS, weights, chosen.weights_desc(), b, false);
      c_ = Tensor(DNNL_ARG_DIFF_SRC, in, chosen.diff_src_desc(), o.c, true);
    } else {
      auto const chosen = weightGradient();
      primitive_ = dnnl::convolution_backward_weights(chosen);
      a_ = Tensor(DNNL_ARG_SRC, in, chosen.src_desc(), a, false);
      b_ = Tensor(DNNL_ARG_DIFF_DST, out, chosen.diff_dst_desc(), b, false);
      c_ = Tensor(DNNL_ARG_DIFF_WEIGHTS, weights, chosen.diff_weights_desc(), o.c, true);
    }
    a_.toUsed(stream_);
    b_.toUsed(stream_);
    stream_.wait();
  }

  /// Everything lies as the primitive wants it.
  void run() {
    compute();
    stream_.wait();
  }

  /// Everything but constant weights lies plainly.
  void runPlain() {
    a_.toUsed(stream_);
    if (conv_.pass == Conv::Pass::WEIGHT_GRADIENT)
      b_.toUsed(stream_);
    compute();
    c_.toPlain(stream_);
    stream_.wait();
  }

  void fetch() {
    c_.toPlain(stream_);
    stream_.wait();
  }

private:
  void compute() {
    primitive_.execute(stream_,
                       {{a_.argument, a_.used}, {b_.argument, b_.used}, {c_.argument, c_.used}});
  }

  Dims strides() const { return Dims(2, dim(conv_.stride)); }
  Dims before() const { return Dims(2, dim(conv_.padding())); }
  Dims behind() const {
    return Dims(2, dim((conv_.outSize() - 1) * conv_.stride + conv_.kernel) - dim(conv_.size) -
                       dim(conv_.padding()));
  }

  dnnl::convolution_forward::primitive_desc forward(dnnl::prop_kind kind) const {
    return {{kind, DIRECT, input_, weights_, output_, strides(), before(), behind()}, engine()};
  }
  dnnl::convolution_backward_data::primitive_desc dataGradient() const {
    return {{DIRECT, input_, weights_, output_, strides(), before(), behind()},
            engine(),
            forward(dnnl::prop_kind::forward_training)};
  }
  dnnl::convolution_backward_weights::primitive_desc weightGradient() const {
    return {{DIRECT, input_, weights_, output_, strides(), before(), behind()},
            engine(),
            forward(dnnl::prop_kind::forward_training)};
  }

  Conv conv_;
  dnnl::stream stream_{engine()};
  Memory::desc input_, weights_, output_;
  dnnl::primitive primitive_;
  Tensor a_, b_, c_;
};

std::optional<Way> convWay(Conv const &conv, Operands const &operands, char const *name,
                           Tag activations) {
  try {
    auto const convolution = std::make_shared<Convolution>(conv, operands, activations);
    if (conv.layout == Conv::Layout::PLAIN)
      return Way{name, [convolution] { convolution->runPlain(); }};
    return Way{name, [convolution] { convolution->run(); },
               [convolution] { convolution->fetch(); }};
  } catch (dnnl::error const &) {
    return std::nullopt; // not in this layout
  }
}

} // namespace

std::vector<Way> waysOfPeer(Conv const &conv, Operands const &operands) {
  struct Choice {
    char const *name;
    Tag activations;
  };
  constexpr Choice OWN[] = {{"onednn(blocked)", Tag::any}, {"onednn(nhwc)", Tag::nhwc}};
  constexpr Choice PLAIN[] = {{"onednn(reorders)", Tag::any}, {"onednn(nchw)", Tag::nchw}};
  std::vector<Way> ways;
  for (Choice const &choice : conv.layout == Conv::Layout::OWN ? OWN : PLAIN)
    if (auto way = convWay(conv, operands, choice.name, choice.activations))
      ways.push_back(std::move(*way));
  return ways;
}

} // namespace cottonwood::bench

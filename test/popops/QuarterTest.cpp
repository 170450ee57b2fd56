// Tensors of 8-bit floats: their metadata, and what casts, copies and slices do with them.
#include "Harness.hpp"

#include <poplar/MetadataCreation.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Fill.hpp>
#include <popops/Pad.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <limits>
#include <sstream>

/// Doubles the numbers of `in`, and writes them to all rows of `out`; `first` gets the first one.
class QuarterRows : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<quarter, poplar::VectorLayout::ONE_PTR, 8>> in;
  poplar::Vector<poplar::Output<poplar::Vector<quarter>>> out;
  poplar::Vector<poplar::Input<poplar::Vector<quarter, poplar::VectorLayout::ONE_PTR>>,
                 poplar::VectorLayout::ONE_PTR>
      more;
  poplar::Output<quarter> first;

  bool compute() {
    quarter_metadata const from = poplar::unpackMetadata(in.getMetadata()),
                           to = poplar::unpackMetadata(out.getMetadata()),
                           other = poplar::unpackMetadata(more[1].getMetadata());
    for (std::size_t row = 0; row != out.size(); ++row)
      for (std::size_t i = 0; i != out[row].size(); ++i) {
        float const extra = poplar::toFloat(more[row][0], other);
        out[row][i] = poplar::toQuarter(2 * poplar::toFloat(in[i], from) + extra, to);
      }
    *first = in[0];
    return true;
  }
};
POPLAR_VERTEX(QuarterRows, in, out, more, first);

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::QUARTER;
using poplar::QUARTER_METADATA;
using poplar::QuarterMetadata;
using poplar::SIGNED_CHAR;
using poplar::Tensor;
using poplar::UNSIGNED_CHAR;
using poputil::poplibs_error;
using Format = QuarterMetadata::Format;

namespace {

/// All values of a format, by bits, worked out from its definition.
Values allValues(QuarterMetadata metadata) {
  bool const fourBits = metadata.getFormat() == Format::F143;
  int const fractionBits = fourBits ? 3 : 2, bias = fourBits ? 8 : 16;
  Values values;
  for (int bits = 0; bits < 256; ++bits) {
    int const exponent = (bits & 127) >> fractionBits;
    double const fraction = (bits & ((1 << fractionBits) - 1)) / double(1 << fractionBits);
    double const magnitude =
        exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
    double const value = std::ldexp(magnitude, metadata.getScale());
    values.push_back(bits < 128 ? value : bits == 128 ? std::nan("") : -value);
  }
  return values;
}

/// The nearest of the values; of two the one with even bits. Beyond the largest by half a step:
/// NaN.
double nearest(Values const &all, double x) {
  double const largest = all[127], step = all[127] - all[126];
  if (!(std::fabs(x) < largest + step / 2))
    return std::nan("");
  double best = all[0];
  std::size_t bestBits = 0;
  for (std::size_t bits = 0; bits != all.size(); ++bits) {
    double const here = std::fabs(all[bits] - x), before = std::fabs(best - x);
    if (here < before || (here == before && bits % 2 == 0 && bestBits % 2 != 0)) {
      best = all[bits];
      bestBits = bits;
    }
  }
  return best;
}

Values specialValues(QuarterMetadata metadata) {
  Values values = allValues(metadata);
  for (std::size_t bits = 1; bits != 127; ++bits) // halfway between neighbours, and beside it
    for (double const off : {0.0, 0.01, -0.01})
      values.push_back(values[bits] + (values[bits + 1] - values[bits]) * (0.5 + off));
  double const step = values[127] - values[126];
  for (double const x : {values[127] + 0.49 * step, values[127] + 0.5 * step, values[127] + step,
                         -values[127] - 0.49 * step, -values[127] - step, 1e38, -0.0, 1e-40,
                         double(std::numeric_limits<float>::infinity()), std::nan("")})
    values.push_back(x);
  for (double &x : values)
    x = rounded(FLOAT, x);
  return values;
}

Tensor metadataOf(Run &run, QuarterMetadata metadata) {
  return poplar::createConstantMetadataTensor(run.graph, metadata.getFormat(), metadata.getScale());
}

QuarterMetadata const SOME[] = {
    QuarterMetadata(Format::F143, 0),   QuarterMetadata(Format::F152, 0),
    QuarterMetadata(Format::F143, 5),   QuarterMetadata(Format::F152, -7),
    QuarterMetadata(Format::F143, -32), QuarterMetadata(Format::F152, 31)};

Values mapped(Values const &values, std::function<double(double)> const &f) {
  Values result;
  for (double const x : values)
    result.push_back(f(x));
  return result;
}

} // namespace

TEST_SUITE_BEGIN("popops/quarter");

TEST_CASE("casts to quarter and back round to the nearest value") {
  onDevices([](DeviceMaker const &device) {
    for (QuarterMetadata const metadata : SOME) {
      CAPTURE(metadata.toString());
      Values const all = allValues(metadata), x = specialValues(metadata);
      Values halves = mapped(x, [](double v) { return rounded(HALF, v); });
      Run run(device);
      Tensor const md = metadataOf(run, metadata);
      Tensor const q =
          popops::cast(run.graph, run.input(FLOAT, {x.size()}, x), QUARTER, md, run.prog);
      CHECK(q.elementType() == QUARTER);
      CHECK(q.getMetadata() == md);
      Tensor const fromHalf =
          popops::cast(run.graph, run.input(HALF, {halves.size()}, halves), QUARTER, md, run.prog);
      std::size_t const back = run.output(popops::cast(run.graph, q, FLOAT, run.prog)),
                        half = run.output(popops::cast(run.graph, q, HALF, run.prog)),
                        viaHalf = run.output(popops::cast(run.graph, fromHalf, FLOAT, run.prog));
      run.run();
      Values const expected = mapped(x, [&](double v) { return nearest(all, v); });
      checkClose(run.values(back), expected, 0, 0);
      checkClose(run.values(half), mapped(expected, [](double v) { return rounded(HALF, v); }), 0,
                 0);
      checkClose(run.values(viaHalf), mapped(halves, [&](double v) { return nearest(all, v); }), 0,
                 0);
    }
  });
}

TEST_CASE("8-bit integers, and from one format to another") {
  onDevices([](DeviceMaker const &device) {
    QuarterMetadata const one(Format::F143, 1), other(Format::F152, -3);
    Run run(device);
    Values const small = {-128, -17, -1, 0, 1, 3, 100, 127}, large = {0, 1, 33, 200, 255};
    Tensor const md = metadataOf(run, one), otherMd = metadataOf(run, other);
    Tensor const a = popops::cast(run.graph, run.input(SIGNED_CHAR, {8}, small), QUARTER, md,
                                  run.prog),
                 b = popops::cast(run.graph, run.input(UNSIGNED_CHAR, {5}, large), QUARTER, md,
                                  run.prog);
    Tensor const c = popops::cast(run.graph, a, QUARTER, otherMd, run.prog);
    CHECK(c.getMetadata() == otherMd);
    std::size_t const outs[] = {run.output(popops::cast(run.graph, a, FLOAT, run.prog)),
                                run.output(popops::cast(run.graph, b, UNSIGNED_CHAR, run.prog)),
                                run.output(popops::cast(run.graph, a, SIGNED_CHAR, run.prog)),
                                run.output(popops::cast(run.graph, c, FLOAT, run.prog))};
    run.run();
    Values const first = mapped(small, [&](double v) { return nearest(allValues(one), v); });
    CHECK(run.values(outs[0]) == first);
    CHECK(run.values(outs[1]) == Values{0, 1, 32, 192, 255}); // 256 is saturated
    CHECK(run.values(outs[2]) == mapped(first, [](double v) { return std::fmin(v, 127); }));
    CHECK(run.values(outs[3]) ==
          mapped(first, [&](double v) { return nearest(allValues(other), v); }));
  });
}

TEST_CASE("views, shapes without elements, given outputs and compute sets") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const md = metadataOf(run, QuarterMetadata(Format::F143, 0));
    Values const x = {0.5, 1, -2, 3, -4, 5};
    Tensor const in = run.input(FLOAT, {2, 3}, x);
    Tensor const out = g.addVariable(QUARTER, md, {3, 2}, "out");
    poputil::mapTensorLinearly(g, out, 1, 1);
    popops::castWithOutput(g, in.transpose(), out, run.prog);
    CHECK(out.transpose().slice(1, 3, 1).getMetadata() == md);
    poplar::ComputeSet const cs = g.addComputeSet("cs");
    Tensor const again = popops::cast(g, out.transpose().reverse(1), FLOAT, cs);
    run.prog.add(poplar::program::Execute(cs));
    Tensor const rank0 = popops::cast(g, in[1][2], QUARTER, md, run.prog);
    std::size_t const a = run.output(again),
                      b = run.output(popops::cast(g, rank0, FLOAT, run.prog)),
                      c = run.output(popops::cast(g, out.broadcast(2, 0), HALF, run.prog));
    Tensor const none = popops::cast(g, in.slice(0, 0, 0), QUARTER, md, run.prog);
    CHECK(none.getMetadata() == md);
    CHECK(none.shape() == Shape{0, 3});
    CHECK(popops::cast(g, none, FLOAT, run.prog).shape() == Shape{0, 3});
    run.run();
    CHECK(run.values(a) == Values{-2, 1, 0.5, 5, -4, 3});
    CHECK(run.values(b) == Values{5});
    CHECK(run.values(c) == Values{0.5, 3, 1, -4, -2, 5, 0.5, 3, 1, -4, -2, 5});
  });
}

TEST_CASE("copies carry metadata that the destination has of its own") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const md = metadataOf(run, QuarterMetadata(Format::F152, 4));
    Tensor const q = popops::cast(g, run.input(FLOAT, {3}, {16, -48, 80}), QUARTER, md, run.prog);
    Tensor const own = g.addVariable(QUARTER, {3}, "own"), shared = g.clone(q);
    CHECK(own.getMetadata().valid());
    CHECK(own.getMetadata() != md);
    CHECK(shared.getMetadata() == md);
    poputil::mapTensorLinearly(g, own, 1, 1);
    run.prog.add(poplar::program::Copy(q, own));
    run.prog.add(poplar::program::Copy(q, shared));
    std::size_t const a = run.output(popops::cast(g, own, FLOAT, run.prog)),
                      b = run.output(popops::cast(g, shared, FLOAT, run.prog)),
                      c = run.output(own.getMetadata().reinterpret(UNSIGNED_CHAR));
    Tensor const fixed = g.clone(metadataOf(run, QuarterMetadata(Format::F143, 4)), q),
                 equal = g.clone(metadataOf(run, QuarterMetadata(Format::F152, 4)), q);
    CHECK_THROWS_AS(run.prog.add(poplar::program::Copy(q, fixed)), poplar::tensor_metadata_error);
    CHECK_NOTHROW(run.prog.add(poplar::program::Copy(q, equal)));
    run.run();
    CHECK(run.values(a) == Values{16, -48, 80});
    CHECK(run.values(b) == Values{16, -48, 80});
    CHECK(run.values(c) == Values{double(QuarterMetadata(Format::F152, 4).getBinary())});
  });
}

TEST_CASE("rows of a table of quarters are looked up as bytes") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const md = metadataOf(run, QuarterMetadata(Format::F143, 2));
    Values x;
    for (int i = 0; i != 32; ++i)
      x.push_back(4 * (i % 11) - 16);
    Tensor const table = popops::cast(g, run.input(FLOAT, {8, 4}, x), QUARTER, md, run.prog);
    Values const rows = {7, 0, 3, 3, 1, 2, 6, 5};
    Tensor const offsets = run.input(poplar::UNSIGNED_INT, {8, 1}, rows);
    Tensor const found = popops::multiSlice(g, table, offsets, {0}, {1}, run.prog,
                                            popops::SlicePlan(), poplar::OptionFlags());
    CHECK(found.elementType() == QUARTER);
    CHECK(found.getMetadata() == md);
    Tensor const one = popops::dynamicSlice(g, table, offsets[0], {0}, {1}, run.prog);
    CHECK(one.getMetadata() == md);
    Tensor const copy = g.clone(table);
    run.prog.add(poplar::program::Copy(table, copy));
    popops::multiUpdate(g, copy, found.slice(0, 2), offsets.slice(2, 4), {0}, {1}, run.prog,
                        popops::SlicePlan(), poplar::OptionFlags{{"operationForUpdate", "none"}});
    std::size_t const a = run.output(popops::cast(g, found, FLOAT, run.prog)),
                      b = run.output(popops::cast(g, one, FLOAT, run.prog)),
                      c = run.output(popops::cast(g, copy, FLOAT, run.prog));
    Tensor const scale = run.input(FLOAT, {}, {1});
    CHECK_THROWS_AS(popops::multiUpdateAdd(g, copy, found, offsets, scale, {0}, {1}, run.prog,
                                           popops::SlicePlan(), poplar::OptionFlags()),
                    poplibs_error);
    run.run();
    Values expected;
    for (double const row : rows)
      for (std::size_t i = 0; i != 4; ++i)
        expected.push_back(x[std::size_t(row) * 4 + i]);
    CHECK(run.values(a) == expected);
    CHECK(run.values(b) == Values(expected.begin(), expected.begin() + 4));
    for (std::size_t i = 0; i != 4; ++i)
      x[12 + i] = expected[4 + i]; // row 3 twice: the second update stays
    CHECK(run.values(c) == x);
  });
}

TEST_CASE("vertices read the metadata beside the elements") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const one = metadataOf(run, QuarterMetadata(Format::F143, 1)),
                 other = metadataOf(run, QuarterMetadata(Format::F152, -2));
    Tensor const wide =
        popops::cast(g, run.input(FLOAT, {6}, {1, 9, 3, 9, -5, 9}), QUARTER, one, run.prog);
    Tensor const extra =
        popops::cast(g, run.input(FLOAT, {2, 1}, {0.5, -0.25}), QUARTER, other, run.prog);
    Tensor const out = g.addVariable(QUARTER, {2, 3}, "out"),
                 first = g.addVariable(QUARTER, one, {});
    poputil::mapTensorLinearly(g, out, 1, 1);
    g.setTileMapping(first, 0);
    g.setInitialValue(out.getMetadata(), QuarterMetadata(Format::F143, -1).getBinary());
    auto const cs = g.addComputeSet("cs");
    auto const v = g.addVertex(
        cs, "QuarterRows",
        {{"in", wide.subSample(2, 0)}, {"out", out}, {"more", extra}, {"first", first}});
    g.setTileMapping(v, 0);
    run.prog.add(poplar::program::Execute(cs));
    std::size_t const a = run.output(popops::cast(g, out, FLOAT, run.prog)),
                      b = run.output(popops::cast(g, first, FLOAT, run.prog));
    CHECK_THROWS_AS(g.connect(g.addVertex(g.addComputeSet(), "QuarterRows")["in"],
                              wide.reinterpret(UNSIGNED_CHAR)),
                    poplar::type_error);
    run.run();
    // -9.5, 5.75 and -10.25 are rounded
    CHECK(run.values(a) == Values{2.5, 6.5, -10, 1.75, 6, -10});
    CHECK(run.values(b) == Values{1});
  });
}

TEST_CASE("the host writes elements with their metadata, and sees them printed") {
  onDevices([](DeviceMaker const &device) {
    poplar::Device const d = device();
    poplar::Graph g(d.getTarget());
    popops::addCodelets(g);
    poplar::program::Sequence prog;
    Tensor const t = g.addVariable(QUARTER, {2, 2}, "t");
    poputil::mapTensorLinearly(g, t, 1, 1);
    g.createHostWrite("t", t);
    Tensor const fixed = g.addVariable(
        QUARTER, poplar::createConstantMetadataTensor(g, Format::F143, 0), {4}, "fixed");
    poputil::mapTensorLinearly(g, fixed, 1, 1);
    g.createHostWrite("fixed", fixed);
    prog.add(poplar::program::PrintTensor("t", t));
    poplar::Engine engine(g, prog);
    engine.load(d);
    for (QuarterMetadata const metadata :
         {QuarterMetadata(Format::F143, 0), QuarterMetadata(Format::F152, 3)}) {
      float const values[] = {1.5f, -2, 0, 24};
      unsigned char bytes[4];
      poplar::convertToDeviceType(QUARTER, metadata, poplar::ArrayRef<float>(values, 4), bytes);
      engine.writeTensor("t", metadata, bytes, bytes + 4);
      CHECK_THROWS_AS(engine.writeTensor("t", QuarterMetadata(Format::F152, 7), bytes, bytes + 3),
                      poplar::stream_connection_error); // and the metadata stay
      CHECK_THROWS_AS(engine.writeTensor("fixed", metadata, bytes, bytes + 4),
                      poplar::tensor_metadata_error);
      std::ostringstream text;
      engine.setPrintTensorStream(text);
      engine.run(0);
      CHECK(text.str().find("1.5") != std::string::npos);
      CHECK(text.str().find("24") != std::string::npos);
      CHECK(text.str().find("-2") != std::string::npos);
    }
  });
}

TEST_CASE("fill, zero and pad convert the value by the metadata") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const fixed = g.addVariable(QUARTER, metadataOf(run, QuarterMetadata(Format::F152, 3)),
                                       {40}, "fixed"),
                 open = g.addVariable(QUARTER, {5}, "open");
    poputil::mapTensorLinearly(g, fixed, 1, 1);
    poputil::mapTensorLinearly(g, open, 1, 1);
    g.setInitialValue(open.getMetadata(), QuarterMetadata(Format::F143, -4).getBinary());
    popops::fill(g, fixed, run.prog, 20.0f);
    popops::fill(g, open, run.prog, 0.5f);
    popops::zero(g, fixed.slice(0, 2), run.prog);
    Tensor const padded = popops::pad(g, open, 1, 2, 0, 0.0f);
    CHECK(padded.getMetadata() == open.getMetadata());
    CHECK_THROWS_AS(popops::pad(g, open, 1, 2, 0, 1.0f), poplar::tensor_metadata_error);
    std::size_t const a = run.output(popops::cast(g, fixed, FLOAT, run.prog)),
                      b = run.output(popops::cast(g, padded, FLOAT, run.prog));
    run.run();
    Values expected(40, 20);
    expected[0] = expected[1] = 0;
    CHECK(run.values(a) == expected);
    CHECK(run.values(b) == Values{0, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0});
  });
}

TEST_CASE("metadata belongs to quarter, and casts to it need it") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const f = run.input(FLOAT, {2}, {1.5, -2.5});
    auto const cs = g.addComputeSet();
    Tensor const inSet = popops::cast(g, f, poplar::INT, Tensor(), cs);
    run.prog.add(poplar::program::Execute(cs));
    std::size_t const a = run.output(popops::cast(g, f, poplar::INT, Tensor(), run.prog)),
                      b = run.output(inSet);
    Tensor const metadata = metadataOf(run, QuarterMetadata());
    CHECK_THROWS_WITH_AS(popops::cast(g, f, HALF, metadata, run.prog),
                         "popops::cast: 'metadata' is given for elements of type half; they have "
                         "none: pass an invalid tensor",
                         poplibs_error);
    CHECK_THROWS_WITH_AS(popops::cast(g, f, QUARTER, Tensor(), cs),
                         "popops::cast: to quarter without metadata", poplibs_error);
    CHECK_THROWS_WITH_AS(popops::cast(g, f, QUARTER, f, run.prog),
                         "popops::cast: 'metadata' has shape [2] of type float; it must be one "
                         "element of type quarter_metadata",
                         poplibs_error);
    CHECK_THROWS_WITH_AS(popops::cast(g, f, QUARTER, run.prog),
                         "popops::cast: to quarter without metadata; use the form that takes them",
                         poplibs_error);
    CHECK_THROWS_AS(popops::cast(g, run.input(poplar::INT, {1}, {1}), QUARTER, metadata, run.prog),
                    poplibs_error);
    run.run();
    CHECK(run.values(a) == Values{1, -2});
    CHECK(run.values(b) == Values{1, -2});
  });
}

TEST_SUITE_END();

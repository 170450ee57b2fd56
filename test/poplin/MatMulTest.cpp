#include "Products.hpp"

TEST_SUITE_BEGIN("poplin/matmul");

using namespace products;

namespace {

/// C = A * B of plain variables.
void addPlain(Products &all, Shape const &mkn, Type const &in, Type const &out,
              poplar::OptionFlags const &options = {}, Type const &partials = FLOAT) {
  Matrix const a = all.random(in, {1, mkn[0], mkn[1]}), b = all.random(in, {1, mkn[1], mkn[2]});
  Tensor const c =
      poplin::matMul(all.run.graph, all.input(in, a, {mkn[0], mkn[1]}),
                     all.input(in, b, {mkn[1], mkn[2]}), all.run.prog, out, "product", options);
  CHECK(c.elementType() == out);
  CHECK(c.shape() == Shape{mkn[0], mkn[2]});
  all.expect(sizeText(mkn), c, expectation(a, b, out, partials));
}

} // namespace

TEST_CASE("products of all small shapes equal the sums of the definition") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    for (std::size_t m : {1, 2, 5, 13, 33})
      for (std::size_t k : {1, 3, 17, 64, 65})
        for (std::size_t n : {1, 4, 16, 31, 65})
          addPlain(all, {m, k, n}, FLOAT, FLOAT);
    all.runAndCheck();
  });
}

TEST_CASE("every pair of operand and result types works, with both types of partial results") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    for (Type const &in : {FLOAT, HALF})
      for (Type const &out : {FLOAT, HALF})
        for (bool halfPartials : {false, true})
          for (Shape const &sizes : {Shape{1, 40, 9}, Shape{7, 20, 3}, Shape{40, 70, 37}})
            addPlain(all, sizes, in, out, {{"partialsType", halfPartials ? "half" : "float"}},
                     halfPartials ? HALF : FLOAT);
    all.runAndCheck();
  });
}

TEST_CASE("a product large enough for several blocks of every dimension") {
  SUBCASE("CPU") {
    Products all(cpu);
    addPlain(all, {150, 700, 130}, FLOAT, FLOAT);
    addPlain(all, {150, 700, 130}, HALF, HALF);
    addPlain(all, {3, 900, 1100}, FLOAT, FLOAT);
    addPlain(all, {1100, 900, 1}, HALF, FLOAT);
    all.runAndCheck();
  }
  SUBCASE("IPU Model") {
    Products all(tiles(40));
    addPlain(all, {96, 128, 80}, FLOAT, FLOAT);
    addPlain(all, {12, 1000, 7}, HALF, HALF);
    all.runAndCheck();
  }
}

TEST_CASE("long sums of small results are added up in parts") {
  Products all(cpu);
  for (Type const &type : {FLOAT, HALF})
    for (Shape const &sizes :
         {Shape{12, 20000, 31}, Shape{1, 70001, 1}, Shape{64, 16384, 64}, Shape{40, 16447, 100}})
      addPlain(all, sizes, type, type);
  // Groups; a result in columns; operands in panels.
  Matrix const a = all.random(FLOAT, {3, 17, 18000}), b = all.random(FLOAT, {3, 18000, 40});
  auto &run = all.run;
  Tensor const left = all.input(FLOAT, a, {3, 17, 18000}),
               right = all.input(FLOAT, b, {3, 18000, 40});
  all.expect("groups", poplin::matMulGrouped(run.graph, left, right, run.prog, FLOAT),
             expectation(a, b, FLOAT, FLOAT));
  Tensor const columns = run.graph.addVariable(FLOAT, {40, 17}, "columns");
  run.graph.setTileMapping(columns, 0);
  Matrix const a0 = all.random(FLOAT, {1, 17, 18000}), b0 = all.random(FLOAT, {1, 18000, 40});
  Tensor const left0 = all.input(FLOAT, a0, {17, 18000});
  Tensor const panels =
      poplin::createMatMulInputRHS(run.graph, FLOAT, {17, 18000}, {18000, 40}, "panels");
  run.prog.add(poplar::program::Copy(all.input(FLOAT, b0, {18000, 40}), panels));
  Tensor turned = columns.transpose();
  poplin::matMulWithOutput(run.graph, left0, panels, turned, run.prog);
  all.expect("columns and panels", turned, expectation(a0, b0, FLOAT, FLOAT));
  all.runAndCheck();
}

TEST_CASE("sizes of 0 give no elements, and k = 0 gives zeros") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    for (Shape const &sizes : {Shape{0, 3, 4}, Shape{3, 0, 4}, Shape{3, 4, 0}, Shape{0, 0, 0}})
      for (Type const &type : {FLOAT, HALF})
        addPlain(all, sizes, type, type);
    all.runAndCheck();
  });
}

namespace {

/// A way to hold a matrix [rows, columns] in a graph.
struct Form {
  char const *name;
  std::function<Tensor(Products &, Type const &, Matrix const &)> make;
};

std::size_t rowsOf(Matrix const &matrix) { return matrix.shape[1]; }
std::size_t columnsOf(Matrix const &matrix) { return matrix.shape[2]; }

/// A matrix written through a view of a variable.
Tensor written(Products &all, Tensor const &view, Matrix const &matrix) {
  all.run.write(view, matrix.values);
  return view;
}

Tensor variable(Products &all, Type const &type, Shape const &shape) {
  Tensor const t = all.run.graph.addVariable(type, shape);
  poputil::mapTensorLinearly(all.run.graph, t, 1, 1);
  return t;
}

std::vector<Form> forms() {
  return {
      {"transposed",
       [](Products &all, Type const &type, Matrix const &x) {
         return written(all, variable(all, type, {columnsOf(x), rowsOf(x)}).transpose(), x);
       }},
      {"part of rows and columns",
       [](Products &all, Type const &type, Matrix const &x) {
         Tensor const t = variable(all, type, {rowsOf(x) + 3, columnsOf(x) + 5});
         return written(all, t.slice({1, 2}, {1 + rowsOf(x), 2 + columnsOf(x)}), x);
       }},
      {"every second element, rows reversed",
       [](Products &all, Type const &type, Matrix const &x) {
         Tensor const t = variable(all, type, {2 * rowsOf(x), 2 * columnsOf(x)});
         return written(all, t.subSample(2, 0).subSample(2, 1).reverse(0), x);
       }},
      {"a shuffle that is no matrix of constant strides",
       [](Products &all, Type const &type, Matrix const &x) {
         std::size_t const n = rowsOf(x) * columnsOf(x), half = n / 2;
         Tensor const t = variable(all, type, {n});
         return written(
             all,
             poplar::concat(t.slice(half, n), t.slice(0, half)).reshape({rowsOf(x), columnsOf(x)}),
             x);
       }},
      {"rows of several variables",
       [](Products &all, Type const &type, Matrix const &x) {
         std::vector<Tensor> rows;
         for (std::size_t i = 0; i != rowsOf(x); ++i)
           rows.push_back(variable(all, type, {1, columnsOf(x)}));
         return written(all, poplar::concat(rows), x);
       }},
  };
}

} // namespace

TEST_CASE("operands may be any views") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      for (Form const &formA : forms())
        for (Form const &formB : forms())
          for (Shape const &s : {Shape{18, 20, 33}, Shape{1, 24, 19}, Shape{14, 22, 1}}) {
            Matrix const a = all.random(type, {1, s[0], s[1]}),
                         b = all.random(type, {1, s[1], s[2]});
            Tensor const c = poplin::matMul(all.run.graph, formA.make(all, type, a),
                                            formB.make(all, type, b), all.run.prog);
            all.expect(std::string(formA.name) + " * " + formB.name + ", " + sizeText(s), c,
                       expectation(a, b, type));
          }
      all.runAndCheck();
    }
  });
}

TEST_CASE("operands may be broadcast, constants and one another") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    auto &graph = all.run.graph;
    Matrix const row = all.random(FLOAT, {1, 1, 20}), x = all.random(FLOAT, {1, 20, 20});
    Tensor const square = all.input(FLOAT, x, {20, 20});
    Tensor const broadcast = all.input(FLOAT, row, {1, 20}).broadcast(15, 0);
    Matrix rows{{1, 15, 20}, {}};
    for (int i = 0; i != 15; ++i)
      rows.values.insert(rows.values.end(), row.values.begin(), row.values.end());
    all.expect("broadcast rows", poplin::matMul(graph, broadcast, square, all.run.prog),
               expectation(rows, x, FLOAT));
    all.expect("broadcast columns",
               poplin::matMul(graph, square, broadcast.transpose(), all.run.prog),
               expectation(x,
                           {{1, 20, 15},
                            [&] {
                              Values v;
                              for (double value : row.values)
                                v.insert(v.end(), 15, value);
                              return v;
                            }()},
                           FLOAT));
    all.expect("a matrix by itself", poplin::matMul(graph, square, square, all.run.prog),
               expectation(x, x, FLOAT));
    Tensor const ones = graph.addConstant(FLOAT, {20, 6}, 1.0F);
    graph.setTileMapping(ones, 0);
    all.expect("a constant of one value", poplin::matMul(graph, square, ones, all.run.prog),
               expectation(x, {{1, 20, 6}, Values(120, 1.0)}, FLOAT));
    all.runAndCheck();
  });
}

TEST_CASE("results may go to any view that can be written, also over the operands") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      for (Form const &form : forms())
        for (Shape const &s : {Shape{18, 20, 33}, Shape{1, 24, 19}, Shape{14, 22, 1}}) {
          Matrix const a = all.random(type, {1, s[0], s[1]}), b = all.random(type, {1, s[1], s[2]});
          Tensor out = form.make(all, type, {{1, s[0], s[2]}, Values(s[0] * s[2], 7.0)});
          poplin::matMulWithOutput(all.run.graph, all.input(type, a, {s[0], s[1]}),
                                   all.input(type, b, {s[1], s[2]}), out, all.run.prog);
          all.expect(std::string(form.name) + ", " + sizeText(s), out, expectation(a, b, type));
        }
      // Over A, over B transposed, and next to A in one variable.
      Matrix const a = all.random(type, {1, 16, 16}), b = all.random(type, {1, 16, 16});
      Tensor overA = all.input(type, a, {16, 16});
      poplin::matMulWithOutput(all.run.graph, overA, all.input(type, b, {16, 16}), overA,
                               all.run.prog);
      all.expect("over A", overA, expectation(a, b, type));
      Tensor const overB = all.input(type, b, {16, 16});
      Tensor turned = overB.transpose();
      poplin::matMulWithOutput(all.run.graph, all.input(type, a, {16, 16}), overB, turned,
                               all.run.prog);
      all.expect("over B", turned, expectation(a, b, type));
      Tensor const wide = variable(all, type, {16, 32});
      Tensor right = wide.slice(16, 32, 1);
      poplin::matMulWithOutput(all.run.graph, written(all, wide.slice(0, 16, 1), a),
                               all.input(type, b, {16, 16}), right, all.run.prog);
      all.expect("beside A", right, expectation(a, b, type));
      all.runAndCheck();
    }
  });
}

TEST_CASE("grouped products multiply group by group") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      for (Shape const &s : {Shape{1, 5, 7, 9}, Shape{3, 17, 20, 33}, Shape{16, 1, 12, 10},
                             Shape{5, 40, 1, 3}, Shape{0, 3, 4, 5}, Shape{2, 3, 0, 5}}) {
        Matrix const a = all.random(type, {s[0], s[1], s[2]}),
                     b = all.random(type, {s[0], s[2], s[3]});
        Tensor const ta = all.input(type, a, a.shape), tb = all.input(type, b, b.shape);
        all.expect("contiguous " + sizeText(s),
                   poplin::matMulGrouped(all.run.graph, ta, tb, all.run.prog, type),
                   expectation(a, b, type));
        // Groups inside the rows, as heads of attention lie.
        Tensor const inner = variable(all, type, {s[1], s[0], s[2]});
        Tensor const shuffled = written(all, inner.dimShuffle({1, 0, 2}), a);
        Tensor out = variable(all, type, {s[1], s[0], s[3]}).dimShuffle({1, 0, 2});
        poplin::matMulGroupedWithOutput(all.run.graph, shuffled, tb, out, all.run.prog);
        all.expect("groups inside rows " + sizeText(s), out, expectation(a, b, type));
        Tensor const turned = written(
            all, poplin::transposeGroupedMatrix(variable(all, type, {s[0], s[3], s[2]})), b);
        all.expect("transposed " + sizeText(s),
                   poplin::matMulGrouped(all.run.graph, ta, turned, all.run.prog, FLOAT),
                   expectation(a, b, FLOAT));
      }
      all.runAndCheck();
    }
  });
}

namespace {

/// C + scale * A * B: the product is rounded to C's type, then the sum.
Expectation accumulated(Matrix const &c, double scale, Matrix const &a, Matrix const &b,
                        Type const &type) {
  Expectation e = expectation(a, b, type);
  for (std::size_t i = 0; i != e.values.size(); ++i) {
    double const scaled = scale * e.values[i];
    e.values[i] = c.values[i] + scaled;
    e.bounds[i] = std::fabs(scale) * e.bounds[i] +
                  2 * epsilonOf(type) * (std::fabs(scaled) + std::fabs(e.values[i]));
  }
  return e;
}

} // namespace

TEST_CASE("accumulating products adds k * A * B") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto &run = all.run;
      Matrix const a = all.random(type, {2, 9, 20}), b = all.random(type, {2, 20, 17}),
                   c = all.random(type, {2, 9, 17});
      Tensor const ta = all.input(type, a, a.shape), tb = all.input(type, b, b.shape);
      Tensor const scale = run.input(type, {1}, {0.5});
      Tensor const first = all.input(type, c, c.shape), second = all.input(type, c, c.shape);
      poplin::matMulGroupedAcc(run.graph, first, -2.0F, ta, tb, run.prog);
      poplin::matMulGroupedAcc(run.graph, second, scale, ta, tb, run.prog);
      all.expect("grouped, number", first, accumulated(c, -2, a, b, type));
      all.expect("grouped, tensor", second, accumulated(c, 0.5, a, b, type));
      auto const group = [](Matrix const &x) {
        return Matrix{{1, x.shape[1], x.shape[2]},
                      Values(x.values.begin(),
                             x.values.begin() + static_cast<std::ptrdiff_t>(x.values.size() / 2))};
      };
      Tensor const third = all.input(type, group(c), {9, 17}),
                   fourth = all.input(type, group(c), {9, 17});
      poplin::matMulAcc(run.graph, third, 3.0F, ta[0], tb[0], run.prog);
      poplin::matMulAcc(run.graph, fourth, scale, ta[0], tb[0], run.prog);
      all.expect("number", third, accumulated(group(c), 3, group(a), group(b), type));
      all.expect("tensor", fourth, accumulated(group(c), 0.5, group(a), group(b), type));
      Tensor const fifth = all.input(type, group(c), {9, 17}); // which holds the scale
      poplin::matMulAcc(run.graph, fifth, fifth.slice({4, 2}, {5, 3}), ta[0], tb[0], run.prog);
      all.expect("element of C", fifth,
                 accumulated(group(c), c.at(0, 4, 2), group(a), group(b), type));
      all.runAndCheck();
    }
  });
}

TEST_CASE("NaN and infinity propagate as the formula says") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    double const inf = std::numeric_limits<double>::infinity();
    double const nan = std::numeric_limits<double>::quiet_NaN();
    Matrix const a{{1, 3, 2}, {nan, 0, inf, 1, 0, 1}}, b{{1, 2, 2}, {0, 1, 2, 3}};
    Tensor const c = poplin::matMul(all.run.graph, all.input(FLOAT, a, {3, 2}),
                                    all.input(FLOAT, b, {2, 2}), all.run.prog);
    all.expect("special values", c, expectation(a, b, FLOAT)); // 0 * NaN and 0 * inf are NaN
    all.runAndCheck();
  });
}

TEST_CASE("on a CPU neither threads nor the cut into vertices change a bit") {
  auto const run = [](std::string const &constraints, char const *threads, Type const &type,
                      Shape const &s) {
    Products all(cpu, 5);
    Matrix const a = all.random(type, {s[0], s[1], s[2]}), b = all.random(type, {s[0], s[2], s[3]});
    poplar::OptionFlags options;
    if (!constraints.empty())
      options.set("planConstraints", constraints);
    std::size_t const out = all.run.output(
        poplin::matMulGrouped(all.run.graph, all.input(type, a, a.shape),
                              all.input(type, b, b.shape), all.run.prog, FLOAT, "", options));
    all.run.options.set("engine.numThreads", threads);
    all.run.run();
    return all.run.values(out);
  };
  for (Shape const &s : {Shape{1, 130, 500, 140}, Shape{3, 1, 600, 300}, Shape{2, 90, 70, 1}})
    for (Type const &type : {FLOAT, HALF}) {
      CAPTURE(sizeText(s));
      Values const expected = run("", "1", type, s);
      CHECK(run("", "2", type, s) == expected);
      CHECK(run("", "3", type, s) == expected);
      CHECK(run("{\"splitG\": 1, \"splitM\": 1, \"splitN\": 1}", "1", type, s) == expected);
      if (s[1] != 1)
        CHECK(run("{\"splitM\": 5}", "3", type, s) == expected);
      if (s[3] != 1)
        CHECK(run("{\"splitN\": 4}", "2", type, s) == expected);
      if (s[0] != 1)
        CHECK(run("{\"splitG\": 2}", "2", type, s) == expected);
    }
}

TEST_SUITE_END();

// Which classes of a source become vertices, of which kind, and under which names.
#include "Popc.hpp"

#include <poplar/exceptions.hpp>

using namespace poplar;
using namespace popc;

namespace kinds_test {

/// Runs a vertex int a -> int out.
double fromInt(Device const &device, std::string const &file, std::string const &name, double a,
               std::vector<std::pair<char const *, int>> const &state = {}) {
  Trial trial(device, file);
  Tensor const in = trial.variable(INT, {a}), out = trial.variable(INT, {-77});
  VertexRef const v = trial.vertex(name, {{"a", in[0]}, {"out", out[0]}}, 1);
  for (auto const &[field, value] : state)
    trial.graph.setInitialValue(v[field], value);
  trial.run();
  return trial.read(out)[0];
}

/// Runs a vertex that has the one edge out.
double outOf(Device const &device, std::string const &file, std::string const &name,
             Type const &type = INT) {
  Trial trial(device, file);
  Tensor const out = trial.variable(type, {77});
  trial.vertex(name, {{"out", out[0]}});
  trial.run();
  return trial.read(out)[0];
}

/// What instances of templates write, for one name after the other.
void checkOuts(std::vector<std::pair<char const *, double>> const &expected) {
  onDevices([&](Device const &device) {
    for (auto const &[name, value] : expected) {
      INFO(name);
      CHECK(outOf(device, "templates.cpp", name) == value);
    }
  });
}

} // namespace kinds_test

using namespace kinds_test;

TEST_SUITE("popc/kinds") {
  TEST_CASE("compute() of a MultiVertex is called for each of six workers") {
    onDevices([](Device const &device) {
      Trial trial(device, "kinds.cpp");
      Tensor const who = trial.variable(UNSIGNED_INT, Numbers(15, 99)),
                   x = trial.variable(FLOAT, Numbers(15, 3));
      VertexRef const v = trial.vertex("Workers", {{"who", who}, {"x", x}}, 2);
      trial.graph.setInitialValue(v["factor"], 2.5f);
      trial.run();
      CHECK(trial.read(who) == Numbers{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2});
      CHECK(trial.read(x) == Numbers(15, 7.5));
    });
  }

  TEST_CASE("workers that return false are no error, and all of them run") {
    onDevices([](Device const &device) {
      Trial trial(device, "kinds.cpp");
      Tensor const x = trial.variable(UNSIGNED_INT, {1, 0, 3, 0, 5, 6}),
                   calls = trial.zeros(UNSIGNED_INT, 6);
      trial.vertex("WorkersAgree", {{"x", x}, {"calls", calls}});
      trial.run();
      CHECK(trial.read(calls) == Numbers{2, 1, 4, 1, 6, 7});
    });
  }

  TEST_CASE("supervisors run once, whichever way they are declared") {
    onDevices([](Device const &device) {
      CHECK(fromInt(device, "kinds.cpp", "Supervised", 100) == 102);
      CHECK(fromInt(device, "kinds.cpp", "SupervisedIf", 100) == 103);
      CHECK(fromInt(device, "kinds.cpp", "NotSupervised", 100) == 104);
      CHECK(outOf(device, "kinds.cpp", "NotWorkers", UNSIGNED_INT) == 11);
      Trial trial(device, "kinds.cpp");
      Tensor const who = trial.zeros(UNSIGNED_INT, 6);
      trial.vertex("WorkersIf", {{"who", who}});
      trial.run();
      CHECK(trial.read(who) == Numbers{10, 11, 12, 13, 14, 15});
    });
  }

  TEST_CASE("structures, and private bases, fields and compute()") {
    onDevices([](Device const &device) {
      CHECK(fromInt(device, "kinds.cpp", "Structure", 100) == 105);
      CHECK(fromInt(device, "kinds.cpp", "Private", 100, {{"offset", 6}}) == 106);
      CHECK(fromInt(device, "kinds.cpp", "Protected", 100) == 107);
    });
  }

  TEST_CASE("fields and compute() come from bases") {
    onDevices([](Device const &device) {
      {
        Trial trial(device, "kinds.cpp");
        Tensor const a = trial.variable(INT, {5}), out = trial.zeros(FLOAT, 1);
        VertexRef const v = trial.vertex("Inherits", {{"a", a[0]}, {"out", out[0]}});
        trial.graph.setInitialValue(v["scale"], 0.5f);
        trial.graph.setInitialValue(v["offset"], 20);
        trial.run();
        CHECK(trial.read(out) == Numbers{12.5});
      }
      {
        Trial trial(device, "kinds.cpp");
        Tensor const a = trial.variable(INT, {5}), out = trial.zeros(FLOAT, 1);
        VertexRef const v = trial.vertex("InheritsT<float>", {{"a", a[0]}, {"out", out[0]}});
        trial.graph.setInitialValue(v["scale"], 0.5f);
        trial.run();
        CHECK(trial.read(out) == Numbers{5});
      }
      CHECK(fromInt(device, "kinds.cpp", "InheritsT<int>", 5, {{"scale", 3}}) == 30);
      CHECK(fromInt(device, "kinds.cpp", "ComputeInherited", 100) == 108);
      Trial trial(device, "kinds.cpp");
      Tensor const a = trial.variable(INT, {100, 1}), out = trial.zeros(INT, 1);
      trial.vertex("CallsInherited", {{"a", a[0]}, {"more", a[1]}, {"out", out[0]}});
      trial.run();
      CHECK(trial.read(out) == Numbers{109});
    });
  }

  TEST_CASE("classes without compute(), and instances nobody asked for, are no vertices") {
    Device const device = Device::createCPUDevice();
    Trial trial(device, "kinds.cpp");
    for (char const *name : {"NoCompute", "WithInput", "Helper", "WithOutput<float>", "Nowhere"}) {
      INFO(name);
      CHECK_FALSE(trial.graph.hasCodelet(name));
      CHECK_THROWS_AS(trial.graph.addVertex(trial.graph.addComputeSet(), name),
                      unknown_vertex_type);
    }
  }

  TEST_CASE("names are qualified by namespaces and classes") {
    onDevices([](Device const &device) {
      CHECK(outOf(device, "kinds.cpp", "outer::V") == 1);
      CHECK(outOf(device, "kinds.cpp", "outer::inner::V") == 2);
      CHECK(outOf(device, "kinds.cpp", "outer::inner::Enclosing::V") == 3);
      CHECK(outOf(device, "kinds.cpp", "outer::inner::compact::V") == 5);
      CHECK(outOf(device, "kinds.cpp", "V") == 6);
    });
  }

  TEST_CASE("the right one of several functions named compute runs") {
    onDevices([](Device const &device) {
      Trial trial(device, "kinds.cpp");
      Tensor const out = trial.variable(UNSIGNED_INT, Numbers(6, 77));
      trial.vertex("Overloads", {{"out", out}});
      trial.run();
      CHECK(trial.read(out) == Numbers{0, 1, 4, 9, 16, 25});
    });
  }

  TEST_CASE("types as arguments are spelt as Type::toString() does") {
    checkOuts({{"Sized<bool>", 10},
               {"Sized<char>", 11},
               {"Sized<signed char>", 11},
               {"Sized<unsigned char>", 10},
               {"Sized<short>", 21},
               {"Sized<unsigned short>", 20},
               {"Sized<int>", 41},
               {"Sized<unsigned int>", 40},
               {"Sized<long long>", 81},
               {"Sized<unsigned long long>", 80},
               {"Sized<half>", 20},
               {"Sized<float>", 41}});
  }

  TEST_CASE("numbers as arguments are decimal") {
    checkOuts({{"Signed<4>", 4},
               {"Signed<-17>", -17},
               {"Signed<0>", 0},
               {"Signed<21>", 21},
               {"Signed<25>", 25},
               {"Unsigned<3,1000>", 1003},
               {"Small<97,200,-300>", -3},
               {"Wide<-5000000000>", -5},
               {"Numbers<1,2,3>", 123}});
  }

  TEST_CASE("packs and default arguments are written out") {
    checkOuts({{"Pack<>", 1000},
               {"Pack<float>", 1004},
               {"Pack<half,unsigned char,long long>", 1011},
               {"Defaults<int,2,false>", 20},
               {"Defaults<int,3,true>", 3}});
    onDevices([](Device const &device) {
      CHECK(outOf(device, "templates.cpp", "Defaults<float,2,false>", FLOAT) == 20);
    });
  }

  TEST_CASE("enumerators and classes as arguments are qualified") {
    onDevices([](Device const &device) {
      std::pair<char const *, double> const expected[] = {
          {"math::Enumerated<math::Op::ADD,math::Product>", 128},
          {"math::Enumerated<math::Op::SUBTRACT,math::deep::Quotient>", -93},
          {"math::Enumerated<math::Op::NEGATIVE,math::Biased<4>>", 1020},
          {"math::Enumerated<math::Op::SUBTRACT,math::Biased<-2>>", -86}};
      for (auto const &[name, value] : expected) {
        INFO(name);
        Trial trial(device, "templates.cpp");
        Tensor const x = trial.variable(INT, {14, 2}), out = trial.zeros(INT, 1);
        trial.vertex(name, {{"a", x[0]}, {"b", x[1]}, {"out", out[0]}});
        trial.run();
        CHECK(trial.read(out) == Numbers{value});
      }
      CHECK(outOf(device, "templates.cpp", "Unscoped<math::HIGH>") == 9);
    });
  }

  TEST_CASE("arguments of both sides, and flags") {
    onDevices([](Device const &device) {
      auto const convert = [&](Type const &from, Type const &to, char const *flag, double value) {
        Trial trial(device, "templates.cpp");
        Tensor const a = trial.variable(from, {value}), out = trial.zeros(to, 1);
        trial.vertex("Converts<" + from.toString() + "," + to.toString() + "," + flag + ">",
                     {{"a", a[0]}, {"out", out[0]}});
        trial.run();
        return trial.read(out)[0];
      };
      CHECK(convert(FLOAT, HALF, "true", 2.5) == 3.5);
      CHECK(convert(HALF, FLOAT, "false", 2.5) == 2.5);
      CHECK(convert(INT, UNSIGNED_SHORT, "true", 65534) == 65535);
    });
  }

  TEST_CASE("layouts and templates as arguments") {
    onDevices([](Device const &device) {
      auto const first = [&](char const *name, char const *field, Type const &type) {
        INFO(name);
        Trial trial(device, "templates.cpp");
        Tensor const x = trial.variable(type, {30, 40}), out = trial.zeros(INT, 1);
        trial.vertex(name, {{field, x}, {"out", out[0]}});
        trial.run();
        return trial.read(out)[0];
      };
      CHECK(first("Laid<int,poplar::VectorLayout::ONE_PTR,4>", "in", INT) == 44);
      CHECK(first("Laid<float,poplar::VectorLayout::SPAN,8>", "in", FLOAT) == 48);
      CHECK(first("Directed<poplar::Input>", "x", INT) == 32);
      CHECK(first("Directed<poplar::InOut>", "x", INT) == 31);
    });
  }

  TEST_CASE("specialisations are vertices of their own") {
    onDevices([](Device const &device) {
      {
        Trial trial(device, "templates.cpp");
        Tensor const out = trial.variable(INT, Numbers(6, 77));
        trial.vertex("Special<int>", {{"out", out}}); // a MultiVertex; the template is none
        trial.run();
        CHECK(trial.read(out) == Numbers{0, -1, -2, -3, -4, -5});
      }
      {
        Trial trial(device, "templates.cpp");
        Tensor const a = trial.variable(FLOAT, {8}), out = trial.zeros(FLOAT, 1);
        trial.vertex("Special<float>", {{"a", a[0]}, {"out", out[0]}});
        trial.run();
        CHECK(trial.read(out) == Numbers{8});
      }
      CHECK(outOf(device, "templates.cpp", "Partial<float,false>", FLOAT) == 1);
      CHECK(outOf(device, "templates.cpp", "Partial<half,true>", HALF) == 3);
      Trial trial(device, "templates.cpp");
      Tensor const out = trial.zeros(FLOAT, 1);
      VertexRef const v = trial.vertex("Partial<float,true>", {{"out", out[0]}});
      trial.graph.setInitialValue(v["value"], 2.0f);
      trial.run();
      CHECK(trial.read(out) == Numbers{2});
    });
  }

  TEST_CASE("instances within namespaces and of bases") {
    onDevices([](Device const &device) {
      CHECK(outOf(device, "templates.cpp", "a::b::Derived<int>") == 12);
      CHECK(outOf(device, "templates.cpp", "a::b::Base<unsigned short,13>", UNSIGNED_SHORT) == 13);
      Trial trial(device, "templates.cpp");
      CHECK_FALSE(trial.graph.hasCodelet("Sized"));
      CHECK_FALSE(trial.graph.hasCodelet("Signed<5>"));
    });
  }

  TEST_CASE("names may have white space between arguments") {
    onDevices([](Device const &device) {
      CHECK(outOf(device, "templates.cpp", "Unsigned<3, 1000>") == 1003);
    });
  }
}

// Vertices without a codelet compiler: a vertex class compiled with the program itself becomes
// known to every graph.
//
//     class Scale : public poplar::Vertex {
//     public:
//       poplar::Input<poplar::Vector<float>> in;
//       poplar::Output<poplar::Vector<float>> out;
//       float factor;
//       void compute() { ... }
//     };
//     POPLAR_VERTEX(Scale, in, out, factor)
//
// The macro stands at global scope after the class, names the class in full ("ns::Scale") and lists
// its fields: edges and state that the graph sets, those of base classes included, in any order,
// public or not. State is values, short vectors (float2), arrays of both, and Vectors. Other
// members (double, pointers, classes) are not listed; they start as zero. An instance of a class
// template names its arguments as addVertex will:
//
//     POPLAR_VERTEX_TEMPLATE((ns::Scale<float, true>), in, out)
//     POPLAR_VERTEX_TEMPLATE(ns::Scale, (float, true), in, out)
//
// Registration happens before main(), for the whole process; Graph::addCodelets<Scale>() registers
// for one graph only. A vertex is zeroed storage whose fields are filled in: constructors are not
// called. Initialisers of members (`float k = 1;`) hold until the graph sets the field, in a class
// that declares no constructor.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VERTEXREGISTRATION_HPP
#define POPLAR_VERTEXREGISTRATION_HPP

#include <cstddef>
#include <poplar/impl/codelet/VertexDescription.hpp>

namespace poplar {
class Graph;
}

namespace cottonwood {
namespace codelet {

/// Enters a vertex class in the process-wide registry. Never throws: a clash of names is reported
/// when the name is used.
POP_API bool registerVertex(VertexDescription const &description) noexcept;
/// Enters the registered class of that key in the registry of one graph.
POP_API void addRegisteredVertex(poplar::Graph &graph, void const *key);

/// One object of static storage per class; its address is the key.
template <class V> struct VertexKey {
  static char const *get() {
    static char const key = 0;
    return &key;
  }
};

/// Registers V when explicitly instantiated. Private members can be named there, and only there.
template <class V, class Method, class... Members> struct VertexRegistrar {
  static bool run() {
    FieldDescription fields[sizeof...(Members) + 1] = {Members::template describe<V>()...,
                                                       FieldDescription()};
    unsigned char initial[sizeof(V)];
    VertexDescription description = {VertexText<V>::name(),
                                     VertexText<V>::fields(),
                                     fields,
                                     sizeof...(Members),
                                     sizeof(V),
                                     alignof(V),
                                     VertexKind<V>::isMulti,
                                     VertexKind<V>::isSupervisor,
                                     Method::template entry<V>(),
                                     VertexKey<V>::get(),
                                     InitialState<V>::write(initial)};
    return registerVertex(description);
  }
  static bool const registered;
};
template <class V, class Method, class... Members>
bool const VertexRegistrar<V, Method, Members...>::registered =
    VertexRegistrar<V, Method, Members...>::run();

} // namespace codelet
} // namespace cottonwood

// A codelet compiler finds the classes by itself.
#if defined(__POPC__)

#define POPLAR_VERTEX(...)
#define POPLAR_VERTEX_TEMPLATE(...)

#else

// A class travels through the macros in parentheses, because its template arguments may contain
// commas.
#define POP_STRIP(...) __VA_ARGS__
#define POP_TEXT(...) POP_TEXT_EXPANDED(__VA_ARGS__)
#define POP_TEXT_EXPANDED(...) #__VA_ARGS__
#define POP_JOIN(a, b) POP_JOIN_EXPANDED(a, b)
#define POP_JOIN_EXPANDED(a, b) a##b
#define POP_FIRST(...) POP_FIRST_OF(__VA_ARGS__, ~)
#define POP_FIRST_OF(a, ...) a
#define POP_SECOND(...) POP_SECOND_OF(__VA_ARGS__, ~, ~)
#define POP_SECOND_OF(a, b, ...) b
// 1 if x is in parentheses, else 0.
#define POP_IN_PARENS(x) POP_IN_PARENS_PROBED(POP_PARENS_PROBE x)
#define POP_PARENS_PROBE(...) ~, 1
#define POP_IN_PARENS_PROBED(...) POP_SECOND_OF(__VA_ARGS__, 0, ~)

#define POP_COUNT(...)                                                                             \
  POP_COUNT_OF(__VA_ARGS__, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33,    \
               32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, \
               11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define POP_COUNT_OF(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17,   \
                     a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32,    \
                     a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47,    \
                     a48, a49, n, ...)                                                             \
  n

#define POP_MEMBER(C, f)                                                                           \
  , ::cottonwood::codelet::VertexMember<decltype(&POP_STRIP C::f), &POP_STRIP C::f>
#define POP_MEMBERS_0(C)
#define POP_MEMBERS_1(C, f) POP_MEMBER(C, f)
#define POP_MEMBERS_2(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_1(C, __VA_ARGS__)
#define POP_MEMBERS_3(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_2(C, __VA_ARGS__)
#define POP_MEMBERS_4(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_3(C, __VA_ARGS__)
#define POP_MEMBERS_5(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_4(C, __VA_ARGS__)
#define POP_MEMBERS_6(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_5(C, __VA_ARGS__)
#define POP_MEMBERS_7(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_6(C, __VA_ARGS__)
#define POP_MEMBERS_8(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_7(C, __VA_ARGS__)
#define POP_MEMBERS_9(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_8(C, __VA_ARGS__)
#define POP_MEMBERS_10(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_9(C, __VA_ARGS__)
#define POP_MEMBERS_11(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_10(C, __VA_ARGS__)
#define POP_MEMBERS_12(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_11(C, __VA_ARGS__)
#define POP_MEMBERS_13(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_12(C, __VA_ARGS__)
#define POP_MEMBERS_14(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_13(C, __VA_ARGS__)
#define POP_MEMBERS_15(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_14(C, __VA_ARGS__)
#define POP_MEMBERS_16(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_15(C, __VA_ARGS__)
#define POP_MEMBERS_17(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_16(C, __VA_ARGS__)
#define POP_MEMBERS_18(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_17(C, __VA_ARGS__)
#define POP_MEMBERS_19(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_18(C, __VA_ARGS__)
#define POP_MEMBERS_20(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_19(C, __VA_ARGS__)
#define POP_MEMBERS_21(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_20(C, __VA_ARGS__)
#define POP_MEMBERS_22(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_21(C, __VA_ARGS__)
#define POP_MEMBERS_23(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_22(C, __VA_ARGS__)
#define POP_MEMBERS_24(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_23(C, __VA_ARGS__)
#define POP_MEMBERS_25(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_24(C, __VA_ARGS__)
#define POP_MEMBERS_26(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_25(C, __VA_ARGS__)
#define POP_MEMBERS_27(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_26(C, __VA_ARGS__)
#define POP_MEMBERS_28(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_27(C, __VA_ARGS__)
#define POP_MEMBERS_29(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_28(C, __VA_ARGS__)
#define POP_MEMBERS_30(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_29(C, __VA_ARGS__)
#define POP_MEMBERS_31(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_30(C, __VA_ARGS__)
#define POP_MEMBERS_32(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_31(C, __VA_ARGS__)
#define POP_MEMBERS_33(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_32(C, __VA_ARGS__)
#define POP_MEMBERS_34(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_33(C, __VA_ARGS__)
#define POP_MEMBERS_35(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_34(C, __VA_ARGS__)
#define POP_MEMBERS_36(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_35(C, __VA_ARGS__)
#define POP_MEMBERS_37(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_36(C, __VA_ARGS__)
#define POP_MEMBERS_38(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_37(C, __VA_ARGS__)
#define POP_MEMBERS_39(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_38(C, __VA_ARGS__)
#define POP_MEMBERS_40(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_39(C, __VA_ARGS__)
#define POP_MEMBERS_41(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_40(C, __VA_ARGS__)
#define POP_MEMBERS_42(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_41(C, __VA_ARGS__)
#define POP_MEMBERS_43(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_42(C, __VA_ARGS__)
#define POP_MEMBERS_44(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_43(C, __VA_ARGS__)
#define POP_MEMBERS_45(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_44(C, __VA_ARGS__)
#define POP_MEMBERS_46(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_45(C, __VA_ARGS__)
#define POP_MEMBERS_47(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_46(C, __VA_ARGS__)
#define POP_MEMBERS_48(C, f, ...) POP_MEMBER(C, f) POP_MEMBERS_47(C, __VA_ARGS__)

// Explicit specialisations and instantiations, valid in the enclosing global scope. Template
// arguments are types without the alignment that a typedef adds (float4), of which GCC warns.
#define POP_REGISTER(C, names, members)                                                            \
  template <> struct cottonwood::codelet::VertexText<POP_STRIP C> {                                \
    static char const *name() { return POP_TEXT(POP_STRIP C); }                                    \
    static char const *fields() { return names; }                                                  \
  };                                                                                               \
  _Pragma("GCC diagnostic push")                                                                   \
      _Pragma("GCC diagnostic ignored \"-Wignored-attributes\"") template struct cottonwood::      \
          codelet::VertexRegistrar<                                                                \
              POP_STRIP C,                                                                         \
              ::cottonwood::codelet::VertexMethod<                                                 \
                  decltype(::cottonwood::codelet::ComputeMethod<::cottonwood::codelet::VertexKind< \
                               POP_STRIP C>::isMulti>::pick(&POP_STRIP C::compute)),               \
                  &POP_STRIP C::compute>                                                           \
                  POP_STRIP members>;                                                              \
  _Pragma("GCC diagnostic pop")

// ONE, TWO or MANY arguments.
#define POP_AMOUNT(...) POP_JOIN(POP_AMOUNT_, POP_COUNT(__VA_ARGS__))
#define POP_AMOUNT_1 ONE
#define POP_AMOUNT_2 TWO
#define POP_AMOUNT_3 MANY
#define POP_AMOUNT_4 MANY
#define POP_AMOUNT_5 MANY
#define POP_AMOUNT_6 MANY
#define POP_AMOUNT_7 MANY
#define POP_AMOUNT_8 MANY
#define POP_AMOUNT_9 MANY
#define POP_AMOUNT_10 MANY
#define POP_AMOUNT_11 MANY
#define POP_AMOUNT_12 MANY
#define POP_AMOUNT_13 MANY
#define POP_AMOUNT_14 MANY
#define POP_AMOUNT_15 MANY
#define POP_AMOUNT_16 MANY
#define POP_AMOUNT_17 MANY
#define POP_AMOUNT_18 MANY
#define POP_AMOUNT_19 MANY
#define POP_AMOUNT_20 MANY
#define POP_AMOUNT_21 MANY
#define POP_AMOUNT_22 MANY
#define POP_AMOUNT_23 MANY
#define POP_AMOUNT_24 MANY
#define POP_AMOUNT_25 MANY
#define POP_AMOUNT_26 MANY
#define POP_AMOUNT_27 MANY
#define POP_AMOUNT_28 MANY
#define POP_AMOUNT_29 MANY
#define POP_AMOUNT_30 MANY
#define POP_AMOUNT_31 MANY
#define POP_AMOUNT_32 MANY
#define POP_AMOUNT_33 MANY
#define POP_AMOUNT_34 MANY
#define POP_AMOUNT_35 MANY
#define POP_AMOUNT_36 MANY
#define POP_AMOUNT_37 MANY
#define POP_AMOUNT_38 MANY
#define POP_AMOUNT_39 MANY
#define POP_AMOUNT_40 MANY
#define POP_AMOUNT_41 MANY
#define POP_AMOUNT_42 MANY
#define POP_AMOUNT_43 MANY
#define POP_AMOUNT_44 MANY
#define POP_AMOUNT_45 MANY
#define POP_AMOUNT_46 MANY
#define POP_AMOUNT_47 MANY
#define POP_AMOUNT_48 MANY
#define POP_AMOUNT_49 MANY

#define POP_VERTEX_0(C) POP_REGISTER(C, "", ())
#define POP_VERTEX_1(C, ...)                                                                       \
  POP_REGISTER(C, #__VA_ARGS__, (POP_JOIN(POP_MEMBERS_, POP_COUNT(__VA_ARGS__))(C, __VA_ARGS__)))

// Plain class; the digits of the others say whether their first and second argument are in
// parentheses.
#define POP_VERTEX_00_ONE(C) POP_VERTEX_0((C))
#define POP_VERTEX_00_TWO(C, f) POP_VERTEX_1((C), f)
#define POP_VERTEX_00_MANY(C, ...) POP_VERTEX_1((C), __VA_ARGS__)
#define POP_VERTEX_10_ONE(C) POP_VERTEX_0(C)
#define POP_VERTEX_10_TWO(C, f) POP_VERTEX_1(C, f)
#define POP_VERTEX_10_MANY(C, ...) POP_VERTEX_1(C, __VA_ARGS__)
#define POP_VERTEX_01_TWO(N, A) POP_VERTEX_0((N<POP_STRIP A>))
#define POP_VERTEX_01_MANY(N, A, ...) POP_VERTEX_1((N<POP_STRIP A>), __VA_ARGS__)
#define POP_VERTEX_FORM(...)                                                                       \
  POP_JOIN(POP_JOIN(POP_VERTEX_, POP_IN_PARENS(POP_FIRST(__VA_ARGS__))),                           \
           POP_JOIN(POP_IN_PARENS(POP_SECOND(__VA_ARGS__)), POP_JOIN(_, POP_AMOUNT(__VA_ARGS__))))

/// POPLAR_VERTEX(ns::Name, field, ...): see the head of this file.
#define POPLAR_VERTEX(...) POP_JOIN(POP_VERTEX_00_, POP_AMOUNT(__VA_ARGS__))(__VA_ARGS__)
/// POPLAR_VERTEX_TEMPLATE((ns::Name<arguments>), field, ...): see the head of this file.
#define POPLAR_VERTEX_TEMPLATE(...) POP_VERTEX_FORM(__VA_ARGS__)(__VA_ARGS__)

#endif // __POPC__

#endif

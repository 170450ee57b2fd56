#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_DEBUG_INFO_HPP
#define POPUTIL_DEBUG_INFO_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace poputil {

/// How a value is recorded as argument or result of a library call. Specialise it for your own
/// types.
template <typename T> poplar::ProfileValue toProfileValue(T const &t);

template <> POP_API poplar::ProfileValue toProfileValue(int const &v);
template <> POP_API poplar::ProfileValue toProfileValue(unsigned int const &v);
template <> POP_API poplar::ProfileValue toProfileValue(unsigned long const &v);
template <> POP_API poplar::ProfileValue toProfileValue(unsigned char const &v);
template <> POP_API poplar::ProfileValue toProfileValue(bool const &v);
template <> POP_API poplar::ProfileValue toProfileValue(float const &v);
template <> POP_API poplar::ProfileValue toProfileValue(double const &v);
template <> POP_API poplar::ProfileValue toProfileValue(long long const &v);
template <> POP_API poplar::ProfileValue toProfileValue(unsigned long long const &v);
template <> POP_API poplar::ProfileValue toProfileValue(std::string const &v);
template <> POP_API poplar::ProfileValue toProfileValue(poplar::ComputeSet const &t);
template <> POP_API poplar::ProfileValue toProfileValue(poplar::OptionFlags const &t);
template <> POP_API poplar::ProfileValue toProfileValue(poplar::program::Copy const &t);
template <> POP_API poplar::ProfileValue toProfileValue(poplar::program::Sequence const &t);
template <> POP_API poplar::ProfileValue toProfileValue(poplar::Tensor const &t);
template <> POP_API poplar::ProfileValue toProfileValue(poplar::Type const &t);
template <> POP_API poplar::ProfileValue toProfileValue(poplar::TensorCloneMethod const &t);

/// Of what a pointer points to; "<null>" for none.
template <typename T> poplar::ProfileValue toProfileValue(T const *t) {
  return t ? toProfileValue(*t) : poplar::ProfileValue("<null>");
}
template <typename T> poplar::ProfileValue toProfileValue(T *const &t) {
  return toProfileValue(static_cast<T const *>(t));
}

template <typename T> poplar::ProfileValue toProfileValue(std::vector<T> const &vec) {
  poplar::ProfileValue::Vector elements;
  for (auto const &element : vec)
    elements.push_back(toProfileValue(element));
  return elements;
}
inline poplar::ProfileValue toProfileValue(std::vector<bool> const &vec) {
  poplar::ProfileValue::Vector elements;
  for (bool element : vec)
    elements.push_back(toProfileValue(element));
  return elements;
}
template <typename T> poplar::ProfileValue toProfileValue(poplar::ArrayRef<T> const &vec) {
  poplar::ProfileValue::Vector elements;
  for (auto const &element : vec)
    elements.push_back(toProfileValue(element));
  return elements;
}
template <typename T1, typename T2>
poplar::ProfileValue toProfileValue(std::pair<T1, T2> const &pair) {
  poplar::ProfileValue::Vector elements;
  elements.push_back(toProfileValue(pair.first));
  elements.push_back(toProfileValue(pair.second));
  return elements;
}
template <typename T, std::size_t N>
poplar::ProfileValue toProfileValue(std::array<T, N> const &array) {
  poplar::ProfileValue::Vector elements;
  for (auto const &element : array)
    elements.push_back(toProfileValue(element));
  return elements;
}

/// A named argument or result.
class ArgType {
public:
  std::string n;
  poplar::ProfileValue pv;
  ArgType(std::string const &name, poplar::ProfileValue const &value) : n(name), pv(value) {}
  ArgType(std::pair<std::string, poplar::ProfileValue const> const &p) : n(p.first), pv(p.second) {}
};

/// The DebugInfo of one library call: name of the function, arguments, results.
class POP_API OpDebugInfo : public poplar::DebugInfo {
public:
  OpDebugInfo(poplar::DebugContext const &debugContext, std::string api);
  OpDebugInfo &operator=(OpDebugInfo const &) = delete;
  OpDebugInfo(OpDebugInfo const &) = delete;
  ~OpDebugInfo() override;

  void add(std::string name, std::vector<ArgType> const &args);
  void add(std::string name, poplar::ProfileValue pv);
};

#if defined(__has_builtin)
#if __has_builtin(__builtin_FUNCTION)
#define SUPPORTS_FUNCTION_BUILTINS 1
#endif
#elif defined(__GNUC__)
#define SUPPORTS_FUNCTION_BUILTINS 1
#endif

class POP_API PoplibsOpDebugInfo : public OpDebugInfo {
public:
#if defined(SUPPORTS_FUNCTION_BUILTINS)
  /// \param api  the library function called; by default the one that constructs this object.
  PoplibsOpDebugInfo(poplar::DebugContext const &debugContext,
                     std::vector<ArgType> const &args = {},
                     std::string const &api = __builtin_FUNCTION());
#else
  PoplibsOpDebugInfo(poplar::DebugContext const &debugContext,
                     std::vector<ArgType> const &args = {}, std::string const &api = "");
#endif
  PoplibsOpDebugInfo &operator=(PoplibsOpDebugInfo const &) = delete;
  PoplibsOpDebugInfo(PoplibsOpDebugInfo const &) = delete;
  ~PoplibsOpDebugInfo() override;

  void addOutputs(std::vector<ArgType> const &outputs);
  void addOutput(poplar::Tensor const &output);
};

} // namespace poputil

#define DI_STR(s) #s
#define DI_XSTR(s) DI_STR(s)
#define DI_CONCAT_IMPL(x, y) x##y
#define DI_MACRO_CONCAT(x, y) DI_CONCAT_IMPL(x, y)
#define DI_NUM_ARGS_IMPL(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, N, \
                         ...)                                                                      \
  N
#define DI_NUM_ARGS(...)                                                                           \
  DI_NUM_ARGS_IMPL(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)

#define DI_KEY_VALUE_ARG(x)                                                                        \
  { DI_STR(x), poputil::toProfileValue(x) }
#define DI_KEY_VALUE_ARG_0()
#define DI_KEY_VALUE_ARG_1(x) DI_KEY_VALUE_ARG(x)
#define DI_KEY_VALUE_ARG_2(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_1(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_3(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_2(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_4(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_3(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_5(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_4(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_6(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_5(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_7(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_6(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_8(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_7(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_9(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_8(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_10(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_9(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_11(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_10(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_12(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_11(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_13(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_12(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_14(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_13(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_15(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_14(__VA_ARGS__)
#define DI_KEY_VALUE_ARG_16(x, ...) DI_KEY_VALUE_ARG(x), DI_KEY_VALUE_ARG_15(__VA_ARGS__)

/// `{{"a", toProfileValue(a)}, {"b", toProfileValue(b)}}` for DI_ARGS(a, b), up to 16 names.
#define DI_ARGS(...)                                                                               \
  { DI_MACRO_CONCAT(DI_KEY_VALUE_ARG_, DI_NUM_ARGS(__VA_ARGS__))(__VA_ARGS__) }

#endif

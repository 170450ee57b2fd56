#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_OPTION_PARSING_HPP
#define POPUTIL_OPTION_PARSING_HPP

#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if POP_CXX17
#include <optional>
#endif

namespace poplibs {

namespace parse {

/// \throws poplar::invalid_option  the text is not of the kind asked for.
POP_API long long asInteger(poplar::StringRef const &str, long long low, long long high);
POP_API double asDouble(poplar::StringRef const &str);
POP_API bool asBool(poplar::StringRef const &value);

/// Decimal, or hexadecimal after 0x.
template <typename T> T asInteger(poplar::StringRef const &str) {
  // The widest signed type bounds what an option can hold; no option needs more.
  long long const low = static_cast<long long>(std::numeric_limits<T>::min());
  long long const high = sizeof(T) < sizeof(long long) || std::is_signed<T>::value
                             ? static_cast<long long>(std::numeric_limits<T>::max())
                             : std::numeric_limits<long long>::max();
  return static_cast<T>(asInteger(str, low, high));
}

template <typename T> T asFloatingPoint(poplar::StringRef const &str) {
  return static_cast<T>(asDouble(str));
}

template <typename T> std::string describeEnumValues(std::map<std::string, T> const &valueMap) {
  std::string text;
  for (auto const &entry : valueMap)
    text += (text.empty() ? "'" : ", '") + entry.first + "'";
  return text;
}

template <typename T>
T asEnum(poplar::StringRef const &value, std::map<std::string, T> const &map) {
  auto const at = map.find(value.cloneAsString());
  if (at == map.end())
    throw poplar::invalid_option("Not one of the values: " + describeEnumValues(map));
  return at->second;
}

} // namespace parse

/// Parses the value of one option into a variable, which must outlive the handler.
class OptionHandler {
public:
  /// \param valueHandler  callable with a poplar::StringRef; throws poplar::invalid_option on a bad
  /// value.
  template <typename T, class = typename std::enable_if<!std::is_same<typename std::decay<T>::type,
                                                                      OptionHandler>::value>::type>
  OptionHandler(T &&valueHandler)
      : call_(
            std::make_shared<Holder<typename std::decay<T>::type>>(std::forward<T>(valueHandler))) {
  }

  void parseValue(poplar::StringRef value) const { call_->run(value); }

  template <typename T, typename ValueMapT = std::map<std::string, T>>
  static OptionHandler createWithEnum(T &output, ValueMapT &&valueMap) {
    std::map<std::string, T> const values(std::forward<ValueMapT>(valueMap));
    return OptionHandler(
        [&output, values](poplar::StringRef value) { output = parse::asEnum<T>(value, values); });
  }

  template <typename T> static OptionHandler createWithInteger(T &output) {
    return OptionHandler(
        [&output](poplar::StringRef value) { output = parse::asInteger<T>(value); });
  }

  template <typename T> static OptionHandler createWithBool(T &output) {
    return OptionHandler([&output](poplar::StringRef value) { output = parse::asBool(value); });
  }

  template <typename T>
  static void ensureValueIsWithinBounds(T value, T const &lowerBound, bool lowerBoundIsInclusive,
                                        T const &upperBound, bool upperBoundIsInclusive) {
    bool const low = lowerBoundIsInclusive ? value >= lowerBound : value > lowerBound;
    bool const high = upperBoundIsInclusive ? value <= upperBound : value < upperBound;
    if (low && high)
      return;
    std::ostringstream text;
    text << "Value must be " << (lowerBoundIsInclusive ? "at least " : "above ") << lowerBound;
    if (upperBound != std::numeric_limits<T>::max())
      text << " and " << (upperBoundIsInclusive ? "at most " : "below ") << upperBound;
    else
      text << " and finite";
    throw poplar::invalid_option(text.str());
  }

  template <typename T>
  static OptionHandler createWithDouble(T &output,
                                        double lowerBound = std::numeric_limits<double>::min(),
                                        bool lowerBoundIsInclusive = true,
                                        double upperBound = std::numeric_limits<double>::max(),
                                        bool upperBoundIsInclusive = true) {
    return OptionHandler([=, &output](poplar::StringRef value) {
      double const number = parse::asDouble(value);
      ensureValueIsWithinBounds(number, lowerBound, lowerBoundIsInclusive, upperBound,
                                upperBoundIsInclusive);
      output = static_cast<T>(number);
    });
  }

  static OptionHandler createWithString(std::string &output) {
    return OptionHandler([&output](poplar::StringRef value) { output = value.cloneAsString(); });
  }

  /// Integers separated by commas.
  template <typename T> static OptionHandler createWithList(std::vector<T> &output) {
    return OptionHandler([&output](poplar::StringRef value) {
      std::vector<T> list;
      std::string const text = value.cloneAsString();
      for (std::size_t begin = 0, end = 0; end != text.size(); begin = end + 1) {
        end = std::min(text.find(',', begin), text.size());
        list.push_back(parse::asInteger<T>(text.substr(begin, end - begin)));
      }
      output = std::move(list);
    });
  }

private:
  struct Callable {
    virtual ~Callable() {}
    virtual void run(poplar::StringRef value) = 0;
  };
  template <class F> struct Holder : Callable {
    explicit Holder(F f) : function(std::move(f)) {}
    void run(poplar::StringRef value) override { function(value); }
    F function;
  };

  std::shared_ptr<Callable> call_;
};

#if POP_CXX17
/// OptionHandler::createWithDouble for an option that may be left out.
template <typename T>
OptionHandler createOptionalDoubleHandler(std::optional<T> &output,
                                          double lowerBound = std::numeric_limits<double>::min(),
                                          bool lowerBoundIsInclusive = true,
                                          double upperBound = std::numeric_limits<double>::max(),
                                          bool upperBoundIsInclusive = true) {
  return OptionHandler([=, &output](poplar::StringRef value) {
    double const number = parse::asDouble(value);
    OptionHandler::ensureValueIsWithinBounds(number, lowerBound, lowerBoundIsInclusive, upperBound,
                                             upperBoundIsInclusive);
    output = static_cast<T>(number);
  });
}

/// OptionHandler::createWithEnum with one more value, "none": an empty output.
template <typename T, typename ValueMapT = std::map<std::string, T>>
OptionHandler createOptionalEnumHandler(std::optional<T> &output, ValueMapT &&valueMap) {
  std::map<std::string, std::optional<T>> values{{"none", std::nullopt}};
  for (auto const &entry : valueMap)
    values.emplace(entry.first, entry.second);
  return OptionHandler([&output, values](poplar::StringRef value) {
    output = parse::asEnum<std::optional<T>>(value, values);
  });
}
#endif

/// The options a function knows, by name.
class POP_API OptionSpec {
public:
  using value_type = std::pair<std::string const, OptionHandler>;
  using initializer_list_t = std::initializer_list<value_type>;

  OptionSpec(initializer_list_t &&handlers);

  /// \throws poplar::invalid_option  unknown option (unless `ignoreUnknown`), or a value its
  /// handler rejects.
  void parse(poplar::StringRef option, poplar::StringRef value, bool ignoreUnknown = false) const;

private:
  std::map<std::string, OptionHandler> handlers_;
};

} // namespace poplibs

#endif

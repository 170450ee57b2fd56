// What was learned by measuring: the best plan of each problem, as text that can be kept.
//
//     cottonwood-wisdom 1
//     kernels isa=avx512 version=1
//     matmul-problem g=1 ... threads=2 = matmul splitG=1 ... ; 81345 ns
//     end 1
//
// A file is good for the kernels that its second line names and for no others. Lines are sorted;
// the last one says how many entries there are, so that a file that was cut off is found out.
#pragma once

#include "PlanText.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace cottonwood::planner {

/// The version of the file format.
inline constexpr unsigned WISDOM_FORMAT = 1;

/// A plan and the time it took.
struct WisdomEntry {
  std::string plan; ///< as toText(plan) gives it
  std::uint64_t nanoseconds = 0;
  friend bool operator==(WisdomEntry const &, WisdomEntry const &) = default;
};

class Wisdom {
public:
  /// \param kernels  what the plans are for, one line.
  explicit Wisdom(std::string kernels) : kernels_(std::move(kernels)) {}

  std::string const &kernels() const { return kernels_; }
  std::size_t size() const { return entries_.size(); }
  std::map<std::string, WisdomEntry> const &entries() const { return entries_; }

  std::optional<WisdomEntry> find(std::string const &problem) const {
    auto const found = entries_.find(problem);
    return found == entries_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Replaces what was known of the problem.
  void learn(std::string const &problem, WisdomEntry entry) {
    entries_.insert_or_assign(problem, std::move(entry));
  }

  /// Takes over what is new in `other`, and where both know a problem the plan that took less time.
  /// \throws PlanError  `other` is for other kernels.
  void merge(Wisdom const &other) {
    requireKernels(other, kernels_);
    for (auto const &[problem, entry] : other.entries_) {
      auto const [mine, isNew] = entries_.try_emplace(problem, entry);
      if (!isNew && entry.nanoseconds < mine->second.nanoseconds)
        mine->second = entry;
    }
  }

  std::string toText() const {
    std::string text = head() + "kernels " + kernels_ + "\n";
    for (auto const &[problem, entry] : entries_)
      text += problem + SEPARATOR + entry.plan + END_OF_PLAN + std::to_string(entry.nanoseconds) +
              UNIT + "\n";
    return text + "end " + std::to_string(entries_.size()) + "\n";
  }

  /// Throws a PlanError about a problem and its plan that cannot be.
  using Check = std::function<void(std::string const &problem, std::string const &plan)>;

  /// Inverse of toText().
  /// \throws PlanError  a text that is no wisdom, of another version, for other kernels than
  ///         `kernels`, cut off, or with an entry that fails the check; the message names the line.
  static Wisdom fromText(std::string_view text, std::string const &kernels,
                         Check const &check = {}) {
    Lines lines{text};
    std::string_view const first = lines.next();
    if (first.substr(0, NAME.size()) != NAME)
      throw PlanError("wisdom: line 1 is " + detail::quoted(shortened(first)) + "; it must be " +
                      detail::quoted(trimmed(head())));
    if (first != trimmed(head()))
      throw PlanError("wisdom: line 1 says " + detail::quoted(shortened(first)) +
                      ", but this version reads " + detail::quoted(trimmed(head())));
    std::string_view const second = lines.next();
    if (second.substr(0, 8) != "kernels ")
      throw PlanError("wisdom: line 2 must begin with 'kernels '");
    Wisdom result{std::string(second.substr(8))};
    requireKernels(result, kernels);
    result.readEntries(lines, check);
    return result;
  }

private:
  static constexpr std::string_view NAME = "cottonwood-wisdom ";
  static constexpr char const *SEPARATOR = " = ", *END_OF_PLAN = " ; ", *UNIT = " ns";

  struct Lines {
    std::string_view rest;
    std::size_t number = 0;
    bool ended = rest.ends_with('\n'); ///< the last one has an end

    bool done() const { return rest.empty(); }
    std::string_view next() {
      ++number;
      std::size_t const end = rest.find('\n');
      std::string_view const line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      return line;
    }
  };

  static std::string head() { return std::string(NAME) + std::to_string(WISDOM_FORMAT) + "\n"; }
  static std::string trimmed(std::string text) {
    text.pop_back();
    return text;
  }
  static std::string_view shortened(std::string_view text) { return text.substr(0, 60); }

  static void requireKernels(Wisdom const &wisdom, std::string const &kernels) {
    if (wisdom.kernels_ != kernels)
      throw PlanError("wisdom: it is for the kernels " + detail::quoted(wisdom.kernels_) +
                      ", but those in use are " + detail::quoted(kernels));
  }

  void readEntries(Lines &lines, Check const &check) {
    while (!lines.done()) {
      std::string_view const line = lines.next();
      if (line.substr(0, 4) == "end ")
        return checkEnd(lines, line);
      readEntry(lines, line, check);
    }
    throw PlanError("wisdom: it ends without a line 'end'; it was cut off");
  }

  void checkEnd(Lines const &lines, std::string_view line) const {
    if (line != "end " + std::to_string(entries_.size()))
      throw PlanError("wisdom: line " + std::to_string(lines.number) + " is " +
                      detail::quoted(shortened(line)) + ", but there are " +
                      std::to_string(entries_.size()) + " entries");
    if (!lines.done())
      throw PlanError("wisdom: there is more after line " + std::to_string(lines.number) +
                      ", the last");
    if (!lines.ended)
      throw PlanError("wisdom: line " + std::to_string(lines.number) +
                      " has no end; it was cut off");
  }

  void readEntry(Lines const &lines, std::string_view line, Check const &check) {
    auto const fail = [&](char const *what) {
      throw PlanError("wisdom: line " + std::to_string(lines.number) + " " + what +
                      "; it must be 'PROBLEM = PLAN ; TIME ns'");
    };
    std::size_t const equals = line.find(SEPARATOR), end = line.find(END_OF_PLAN);
    if (equals == std::string_view::npos || end == std::string_view::npos || end < equals ||
        !line.ends_with(UNIT))
      fail("has no plan or no time");
    WisdomEntry entry;
    entry.plan = std::string(line.substr(equals + 3, end - equals - 3));
    std::string_view const time = line.substr(end + 3, line.size() - end - 6);
    auto const [stop, code] =
        std::from_chars(time.data(), time.data() + time.size(), entry.nanoseconds);
    if (code != std::errc() || stop != time.data() + time.size())
      fail("has a time that is no number");
    std::string const problem(line.substr(0, equals));
    try {
      if (check)
        check(problem, entry.plan);
    } catch (PlanError const &error) {
      throw PlanError("wisdom: line " + std::to_string(lines.number) + ": " + error.what());
    }
    if (!entries_.emplace(problem, entry).second)
      fail("names a problem for the second time");
  }

  std::string kernels_;
  std::map<std::string, WisdomEntry> entries_;
};

} // namespace cottonwood::planner

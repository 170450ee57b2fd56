// Writes JSON that may stand inside <script> of an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace cottonwood::report {

/// Text in quotes. `<`, `>`, `&` and the line ends of JavaScript are written as \u003c and so on,
/// so that nothing in a name ends the script element or begins a comment; bytes that are not UTF-8
/// become U+FFFD.
std::string jsonString(std::string_view text);

/// "1.5", "NaN" becomes null. The shortest text that reads back the same.
std::string jsonNumber(double value);

/// Objects and arrays with their commas.
class JsonWriter {
public:
  JsonWriter &key(std::string_view name) {
    separate();
    text_ += jsonString(name) + ":";
    fresh_ = true;
    return *this;
  }
  JsonWriter &value(std::string_view json) {
    separate();
    text_ += json;
    return *this;
  }
  JsonWriter &open(char bracket) {
    separate();
    text_ += bracket;
    fresh_ = true;
    return *this;
  }
  JsonWriter &close(char bracket) {
    text_ += bracket;
    fresh_ = false;
    return *this;
  }
  std::string const &text() const { return text_; }

private:
  void separate() {
    if (!fresh_)
      text_ += ",";
    fresh_ = false;
  }

  std::string text_{};
  bool fresh_ = true;
};

} // namespace cottonwood::report

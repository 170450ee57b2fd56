// Body of Words.hpp.
#pragma once

#include <poplar/impl/popc/Words.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popc {

POP_INLINE std::vector<std::string> splitWords(std::string_view line, std::string_view where) {
  std::vector<std::string> words;
  bool inWord = false; // '' is a word too
  char quote = 0;
  auto const put = [&](char c) {
    if (!inWord)
      words.emplace_back();
    inWord = true;
    words.back() += c;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    char const c = line[i];
    if (quote == '\'') {
      if (c == quote)
        quote = 0;
      else
        put(c);
    } else if (c == '\\') {
      if (i + 1 == line.size())
        base::fail<poplar::poplar_error>(where, "flags ", base::quoted(std::string(line)),
                                         ": nothing follows the last backslash");
      char const next = line[++i];
      bool const escapes = quote == 0 || std::string_view("$`\"\\\n").find(next) != line.npos;
      if (!escapes)
        put(c);
      if (!escapes || next != '\n')
        put(next);
    } else if (quote == '"') {
      if (c == quote)
        quote = 0;
      else
        put(c);
    } else if (c == '\'' || c == '"') {
      if (!inWord)
        words.emplace_back();
      inWord = true;
      quote = c;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      inWord = false;
    } else {
      put(c);
    }
  }
  if (quote != 0)
    base::fail<poplar::poplar_error>(where, "flags ", base::quoted(std::string(line)),
                                     ": the quotation that ", quote, " begins has no end");
  return words;
}

} // namespace cottonwood::popc

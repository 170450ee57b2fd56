// report-pages FOLDER: pages of data that no program made, for the tests with a browser.
#include "Synthetic.hpp"

#include <bench/report/Output.hpp>
#include <bench/report/Page.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace cottonwood::report;

constexpr char const *HOSTILE =
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<!--<script>' \" & \xE2\x80\xA8 \\u003c {{x}} \x01";

void write(std::string const &file, PageData const &data) { writePage(file, makePage({&data, 1})); }

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: report-pages FOLDER\n", stderr);
    return 2;
  }
  try {
    std::string const folder = argv[1];
    write(folder + "/large.html", synthetic(1472, 10'000));
    write(folder + "/hostile.html", named(HOSTILE));
    write(folder + "/empty.html", PageData{});
    PageData unordered = synthetic(8, 10);
    unordered.execution.clear();
    unordered.groups.clear();
    write(folder + "/unordered.html", unordered);
    return 0;
  } catch (std::exception const &error) {
    std::fprintf(stderr, "report-pages: %s\n", error.what());
    return 1;
  }
}

# Script: writes the file PAGE as a C++ source OUTPUT that defines cottonwood::report::PAGE_TEMPLATE.
file(READ ${PAGE} digits HEX)
string(REGEX REPLACE "(................................................................)" "\\1\n" digits "${digits}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${digits}")
file(WRITE ${OUTPUT} "// Made from page.html by Embed.cmake.
#include <bench/report/Page.hpp>

namespace cottonwood::report {
namespace {
constexpr unsigned char BYTES[] = {
${bytes}};
}
std::string_view const PAGE_TEMPLATE(reinterpret_cast<char const *>(BYTES), sizeof BYTES);
} // namespace cottonwood::report
")

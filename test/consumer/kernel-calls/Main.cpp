// Prints the widths of the files that this program has.
#include "Width.hpp"

#include <cstdio>

int main() {
  std::printf("%d", widthOne());
#ifndef ONE
  std::printf(" %d", widthTwo());
#endif
  std::printf("\n");
}

// D44: what sources of one graph share, in the ways that headers do.
#pragma once
#include <poplar/Vertex.hpp>

static inline unsigned shared(unsigned x) { return x + 1; }
template <unsigned n> unsigned times(unsigned x) { return n * x; }
static const unsigned table[] = {3, 5, 7};
constexpr unsigned offset = 100;
struct Scratch {
  unsigned value;
  unsigned doubled() const { return 2 * value; }
};
namespace {
unsigned anonymous(unsigned x) { return x + table[1]; }
} // namespace

// Compiled into each BLAS peer, against that library's own cblas.h.
#include <bench/peers/Blas.hpp>

#include <cblas.h>

namespace cottonwood::bench {
namespace {

int toInt(std::size_t size) { return static_cast<int>(size); }

void gemm(Product const &p, Operands const &o, std::size_t g) {
  cblas_sgemm(CblasRowMajor, p.transposedA ? CblasTrans : CblasNoTrans,
              p.transposedB ? CblasTrans : CblasNoTrans, toInt(p.m), toInt(p.n), toInt(p.k), 1.0F,
              o.a + g * p.m * p.k, toInt(p.transposedA ? p.m : p.k), o.b + g * p.k * p.n,
              toInt(p.transposedB ? p.k : p.n), 0.0F, o.c + g * p.m * p.n, toInt(p.n));
}

/// c^T = op(B)^T * a^T of a single row a.
void gemv(Product const &p, Operands const &o) {
  int const rows = toInt(p.transposedB ? p.n : p.k), columns = toInt(p.transposedB ? p.k : p.n);
  cblas_sgemv(CblasRowMajor, p.transposedB ? CblasNoTrans : CblasTrans, rows, columns, 1.0F, o.b,
              columns, o.a, 1, 0.0F, o.c, 1);
}

} // namespace

std::vector<Way> blasWays(Product const &p, Operands const &o, std::string const &name,
                          SetThreads setThreads) {
  std::vector<Way> ways;
  ways.push_back({name, [p, o, setThreads] {
                    setThreads(o.threads);
                    for (std::size_t g = 0; g < p.batch; ++g)
                      gemm(p, o, g);
                  }});
  if (p.batch > 1 && o.threads > 1)
    ways.push_back({name, [p, o, setThreads] {
#pragma omp parallel num_threads(static_cast <int>(o.threads))
                      {
                        setThreads(1);
#pragma omp for
                        for (std::size_t g = 0; g < p.batch; ++g)
                          gemm(p, o, g);
                      }
                    }});
  if (p.m == 1 && p.batch == 1)
    ways.push_back({name, [p, o, setThreads] {
                      setThreads(o.threads);
                      gemv(p, o);
                    }});
  return ways;
}

/// A convolution would need one of the many ways to unfold its input, and the figures would be
/// those of the unfolding.
std::vector<Way> waysOfPeer(Conv const &, Operands const &) { return {}; }
std::vector<Way> waysOfPeer(ArrayOp const &, Operands const &) { return {}; }

} // namespace cottonwood::bench

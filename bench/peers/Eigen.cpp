// Eigen, compiled for this machine, its GEMM parallel through OpenMP.
#include <bench/race/Peer.hpp>

#include <Eigen/Core>

namespace cottonwood::bench {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowVector = Eigen::Matrix<float, 1, Eigen::Dynamic>;
using Input = Eigen::Map<Matrix const, Eigen::Aligned64>;
using InputRow = Eigen::Map<RowVector const, Eigen::Aligned64>;

/// Operand [rows, columns], stored transposed or not, of batch element g.
template <class F>
void withOperand(float const *data, std::size_t g, std::size_t rows, std::size_t columns,
                 bool transposed, F &&f) {
  using Plain = Eigen::Map<Matrix const>;
  auto const r = static_cast<Eigen::Index>(rows), c = static_cast<Eigen::Index>(columns);
  float const *const start = data + g * rows * columns;
  if (transposed)
    f(Plain(start, c, r).transpose());
  else
    f(Plain(start, r, c));
}

void multiply(Product const &p, Operands const &o, std::size_t g) {
  Eigen::Map<Matrix> c(o.c + g * p.m * p.n, static_cast<Eigen::Index>(p.m),
                       static_cast<Eigen::Index>(p.n));
  withOperand(o.a, g, p.m, p.k, p.transposedA, [&](auto const &a) {
    withOperand(o.b, g, p.k, p.n, p.transposedB, [&](auto const &b) {
      if (p.m == 1)
        c.row(0).noalias() = a.row(0) * b;
      else
        c.noalias() = a * b;
    });
  });
}

} // namespace

std::string describePeer() {
  return "eigen " + std::to_string(EIGEN_WORLD_VERSION) + '.' +
         std::to_string(EIGEN_MAJOR_VERSION) + '.' + std::to_string(EIGEN_MINOR_VERSION);
}

std::vector<Way> waysOfPeer(Product const &p, Operands const &o) {
  Eigen::setNbThreads(static_cast<int>(o.threads));
  std::vector<Way> ways;
  ways.push_back({"eigen", [p, o] {
                    for (std::size_t g = 0; g < p.batch; ++g)
                      multiply(p, o, g);
                  }});
  if (p.batch > 1 && o.threads > 1) // inside a parallel region its products are serial
    ways.push_back({"eigen", [p, o] {
#pragma omp parallel for num_threads(static_cast <int>(o.threads))
                      for (std::size_t g = 0; g < p.batch; ++g)
                        multiply(p, o, g);
                    }});
  return ways;
}

std::vector<Way> waysOfPeer(Conv const &, Operands const &) { return {}; }

} // namespace cottonwood::bench

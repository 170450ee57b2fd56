// Instructions that mean something on a host.
#include <ipu_builtins.h>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

class WhereAmI : public MultiVertex {
public:
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> tiles, workers, bases;
  void compute(unsigned worker) {
    tiles[worker] = __builtin_ipu_get_tile_id();
    workers[worker] = __builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK;
    bases[worker] = __builtin_ipu_get_vertex_base() == this && __builtin_ipu_is_worker_mode();
    __builtin_ipu_put(5u, CSR_W_FP_CTL__INDEX);
    workers[worker] += __builtin_ipu_get(CSR_W_FP_CTL__INDEX);
  }
};

class Draws : public MultiVertex {
public:
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> bits;
  Output<Vector<float>> floats;
  Output<Vector<half, VectorLayout::ONE_PTR>> halves;
  void compute(unsigned worker) {
    bits[worker] = __builtin_ipu_urand32();
    bits[worker + numWorkers()] = static_cast<unsigned>(__builtin_ipu_urand64() >> 32);
    for (unsigned i = worker; i < floats.size(); i += numWorkers()) {
      floats[i] = __builtin_ipu_urand_f32();
      halves[i] = __builtin_ipu_urand_f16();
    }
  }
};

class Counts : public Vertex {
public:
  Output<unsigned> cycles;
  void compute() {
    unsigned start = __builtin_ipu_get_scount_l();
    volatile float x = 1;
    for (unsigned i = 0; i < 1000; ++i) {
      float y = x;
      x = y * 0.5f;
    }
    cycles = __builtin_ipu_get_scount_l() - start;
  }
};

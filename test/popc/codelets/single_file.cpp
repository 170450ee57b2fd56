// D35: one file holds the program and its vertices, and is compiled as both.
#ifdef __POPC__
#include <poplar/Vertex.hpp>

class OnlyOnDevice : public poplar::Vertex {
public:
  poplar::Input<float> x;
  poplar::Output<float> y;
  bool compute() {
    *y = *x + 35;
    return true;
  }
};
#else
#include <poplar/Graph.hpp>

int main() {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  graph.addCodelets(__FILE__);
}
#endif

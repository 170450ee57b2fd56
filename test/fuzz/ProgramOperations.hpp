// Operations of random programs.
#pragma once

#include "ProgramValues.hpp"

namespace fuzz {

class ProgramOperations : public ProgramValues {
public:
  using ProgramValues::ProgramValues;

protected:
  /// One operation on values that there are.
  void addOperation(Part &block, std::size_t depth);
  /// Offsets below a limit.
  View offsets(Part &block, Shape const &shape, std::size_t limit);

private:
  struct Binary {
    popops::expr::Any term;
    double (*value)(double, double);
  };
  Binary someBinary();

  void addBinary(Part &block);
  void addUnary(Part &block);
  void addInPlace(Part &block);
  void addWithOutput(Part &block);
  void addSelect(Part &block);
  void addCopy(Part &block);
  void addReduction(Part &block);
  void addProduct(Part &block);
  void addSlice(Part &block);
  void addUpdate(Part &block);
  void addRows(Part &block);
  void addRowUpdate(Part &block);
  void addCast(Part &block);
  void addScaledAdd(Part &block);
  void addFill(Part &block);
  void addSort(Part &block);
  void addConcat(Part &block);
};

} // namespace fuzz

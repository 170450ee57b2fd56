// The base of what libraries attach to tensors.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <memory>

namespace poputil {

class POP_API TensorMetaDataBase {
public:
  TensorMetaDataBase() = default;
  TensorMetaDataBase &operator=(TensorMetaDataBase const &) = delete;
  virtual ~TensorMetaDataBase() = default;
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;

protected:
  TensorMetaDataBase(TensorMetaDataBase const &) = default;
};

} // namespace poputil

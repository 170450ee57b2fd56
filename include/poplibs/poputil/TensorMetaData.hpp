#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_TENSOR_META_DATA_HPP
#define POPUTIL_TENSOR_META_DATA_HPP

#include <memory>

namespace poputil {

/// What a library attaches to a tensor: known to that library alone, copied by clone().
class TensorMetaDataBase;

/// A value that holds such data, or none.
class POP_API TensorMetaData {
public:
  /// Without data.
  TensorMetaData();
  /// Copies the data.
  TensorMetaData(TensorMetaData const &other);
  TensorMetaData(TensorMetaData &&other);
  TensorMetaData &operator=(TensorMetaData const &other);
  TensorMetaData &operator=(TensorMetaData &&other);
  TensorMetaData(std::unique_ptr<TensorMetaDataBase> data);
  ~TensorMetaData();

  /// Null without data.
  TensorMetaDataBase const *getData() const { return data_.get(); }

private:
  std::unique_ptr<TensorMetaDataBase> data_;
};

} // namespace poputil

#endif

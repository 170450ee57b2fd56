#pragma once

#include <poputil/TensorMetaData.hpp>
#include <poputil/impl/TensorMetaDataBase.hpp>

namespace poputil {

POP_INLINE TensorMetaData::TensorMetaData() = default;
POP_INLINE TensorMetaData::~TensorMetaData() = default;
POP_INLINE TensorMetaData::TensorMetaData(TensorMetaData &&other) = default;
POP_INLINE TensorMetaData &TensorMetaData::operator=(TensorMetaData &&other) = default;

POP_INLINE TensorMetaData::TensorMetaData(std::unique_ptr<TensorMetaDataBase> data)
    : data_(std::move(data)) {}

POP_INLINE TensorMetaData::TensorMetaData(TensorMetaData const &other)
    : data_(other.data_ ? other.data_->clone() : nullptr) {}

POP_INLINE TensorMetaData &TensorMetaData::operator=(TensorMetaData const &other) {
  data_ = other.data_ ? other.data_->clone() : nullptr;
  return *this;
}

} // namespace poputil

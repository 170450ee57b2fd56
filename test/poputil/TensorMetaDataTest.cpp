#include <poputil/TensorMetaData.hpp>
#include <poputil/impl/TensorMetaDataBase.hpp>

#include <doctest/doctest.h>

#include <utility>

TEST_SUITE_BEGIN("poputil/tensorMetaData");

using poputil::TensorMetaData;

namespace {

struct Number : poputil::TensorMetaDataBase {
  explicit Number(int n) : value(n) {}
  std::unique_ptr<TensorMetaDataBase> clone() const override {
    return std::unique_ptr<TensorMetaDataBase>(new Number(*this));
  }
  int value;
};

int valueOf(TensorMetaData const &data) {
  return dynamic_cast<Number const *>(data.getData())->value;
}

} // namespace

TEST_CASE("metadata are values") {
  CHECK(TensorMetaData().getData() == nullptr);
  TensorMetaData const a(std::unique_ptr<poputil::TensorMetaDataBase>(new Number(3)));
  TensorMetaData b(a), c;
  CHECK(valueOf(b) == 3);
  CHECK(b.getData() != a.getData());
  c = b;
  CHECK(valueOf(c) == 3);
  TensorMetaData d(std::move(c));
  CHECK(valueOf(d) == 3);
  b = TensorMetaData();
  CHECK(b.getData() == nullptr);
  b = std::move(d);
  CHECK(valueOf(b) == 3);
  b = TensorMetaData(b);
  CHECK(valueOf(b) == 3);
}

TEST_SUITE_END();

// Bodies of <poplar/Target.hpp> and of the small enumerations that go with it.
#pragma once

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cstring>
#include <limits>
#include <ostream>
#include <poplar/Target.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/model/TargetData.hpp>
#include <string_view>
#include <utility>

namespace cottonwood::model::detail {

/// The ends of a type's range. Integers are exact in both; all fractions fit in a double.
struct TypeLimits {
  bool isFloat;
  std::int64_t lowest;
  std::uint64_t max;
  double floatMax;
};

POP_INLINE TypeLimits limitsOf(poplar::Type type) {
  using base::TypeId;
  auto const &info = base::typeInfo(type);
  if (type.id() == TypeId::Half)
    return {true, 0, 0, 65504.0};
  if (type.id() == TypeId::Float)
    return {true, 0, 0, static_cast<double>(FLT_MAX)};
  if (!info.isInteger)
    base::fail<poplar::poplar_error>("poplar::Target::getTypeLimits", "the type ", type,
                                     " has no numeric limits; HALF, FLOAT and the integers have");
  if (type.id() == TypeId::Bool)
    return {false, 0, 1, 0};
  unsigned const bits = static_cast<unsigned>(info.size) * 8;
  std::uint64_t const max = ~std::uint64_t{0} >> (64 - bits + (info.isSigned ? 1 : 0));
  return {false, info.isSigned ? -static_cast<std::int64_t>(max) - 1 : 0, max, 0};
}

/// The number as a T, if that is exact.
template <class T, class Number> bool convertsExactly(Number number, T &result) {
  if constexpr (std::is_floating_point_v<T>) {
    result = static_cast<T>(number);
    if constexpr (std::is_floating_point_v<Number>)
      return static_cast<Number>(result) == number;
    else
      return result < static_cast<T>(0x1p64) && static_cast<Number>(result) == number;
  } else if constexpr (std::is_floating_point_v<Number>) {
    if (!(number >= -0x1p63 && number < 0x1p63))
      return false;
    auto const whole = static_cast<std::int64_t>(number);
    result = static_cast<T>(whole);
    return std::in_range<T>(whole) && static_cast<Number>(whole) == number;
  } else {
    result = static_cast<T>(number);
    return std::in_range<T>(number);
  }
}

template <class T, class Number> T exactly(Number number, poplar::Type type) {
  T result{};
  if (!convertsExactly(number, result))
    base::fail<poplar::poplar_error>("poplar::Target::getTypeLimits", "the limit ", number, " of ",
                                     type, " is not exactly representable in the type asked for");
  return result;
}

/// "_VIRTUAL_GRAPH_TEST_16" names a system of 16 IPUs. \returns 0 for any other name.
POP_INLINE unsigned ipusOfVirtualSystem(std::string_view system) {
  constexpr std::string_view prefix = "_VIRTUAL_GRAPH_TEST_";
  if (!system.starts_with(prefix))
    return 0;
  unsigned ipus = 0;
  auto const [stop, error] =
      std::from_chars(system.data() + prefix.size(), system.data() + system.size(), ipus);
  return error == std::errc() && stop == system.data() + system.size() ? ipus : 0;
}

/// \param numIPUs, tilesPerIPU  0: as the system has
POP_INLINE poplar::Target makeIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                                        poplar::StringRef systemType,
                                        poplar::OptionFlags const &options) {
  std::string const system = systemType;
  unsigned const virtualIPUs = ipusOfVirtualSystem(system);
  auto const *generation = findGeneration(virtualIPUs != 0 ? "ipu2" : system);
  if (!generation)
    base::fail<poplar::poplar_error>("poplar::Target::createIPUTarget", "unknown system ",
                                     base::quoted(system), "; there are ", generationNames(),
                                     " and _VIRTUAL_GRAPH_TEST_<number of IPUs>");
  auto data = targetOf(*generation, poplar::TargetType::IPU,
                       numIPUs != 0 ? numIPUs : std::max(1u, virtualIPUs));
  data.system = system;
  if (tilesPerIPU != 0)
    data.tilesPerIPU = tilesPerIPU;
  readTargetOptions(data, options);
  return makeTarget(std::move(data));
}

POP_INLINE void requireCounts(unsigned numIPUs, unsigned tilesPerIPU, char const *where) {
  if (numIPUs == 0 || tilesPerIPU == 0)
    base::fail<poplar::poplar_error>(where, numIPUs, " IPUs of ", tilesPerIPU,
                                     " tiles; both must be at least 1");
}

POP_INLINE void mixHash(std::size_t &mixed, std::size_t part) {
  mixed = (mixed ^ part) * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 32;
}

} // namespace cottonwood::model::detail

namespace poplar {

POP_INLINE std::string toString(TargetType type) {
  switch (type) {
  case TargetType::IPU:
    return "IPU";
  case TargetType::IPU_MODEL:
    return "IPU_MODEL";
  case TargetType::CPU:
    return "CPU";
  }
  cottonwood::base::fail<poplar_error>("poplar::toString(TargetType)", static_cast<int>(type),
                                       " is not a target type; there are IPU, IPU_MODEL and CPU");
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, IpuLinkConfiguration configuration) {
  constexpr std::string_view names[] = {"Default", "SlidingWindow", "BarleyTwist"};
  cottonwood::base::requireEnumerator<poplar_error>("poplar::operator<<", "IpuLinkConfiguration",
                                                    configuration, {names[0], names[1], names[2]});
  return stream << names[static_cast<std::size_t>(configuration)];
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, IpuLinkTopology topology) {
  constexpr std::string_view names[] = {"Mesh", "Torus", "Line"};
  cottonwood::base::requireEnumerator<poplar_error>("poplar::operator<<", "IpuLinkTopology",
                                                    topology, {names[0], names[1], names[2]});
  return stream << names[static_cast<std::size_t>(topology)];
}

POP_INLINE Target::Target() noexcept = default;
POP_INLINE Target::Target(std::shared_ptr<cottonwood::model::TargetData const> data) noexcept
    : data_(std::move(data)) {}
POP_INLINE Target::Target(Target const &other) noexcept = default;
POP_INLINE Target::Target(Target &&other) noexcept = default;
POP_INLINE Target &Target::operator=(Target const &other) noexcept = default;
POP_INLINE Target &Target::operator=(Target &&other) noexcept = default;
POP_INLINE Target::~Target() = default;

POP_INLINE bool Target::operator==(Target const &other) const {
  return data_ == other.data_ || (data_ && other.data_ && *data_ == *other.data_);
}
POP_INLINE bool Target::operator<(Target const &other) const {
  if (!data_ || !other.data_)
    return !data_ && other.data_;
  return data_ != other.data_ && *data_ < *other.data_;
}
POP_INLINE std::size_t Target::hash() const {
  if (!data_)
    return 0;
  // The properties that tell targets apart in practice; equal targets agree in them.
  std::size_t mixed = static_cast<std::size_t>(data_->type);
  using cottonwood::model::detail::mixHash;
  mixHash(mixed, std::hash<std::string>()(data_->system));
  mixHash(mixed, data_->numIPUs);
  mixHash(mixed, data_->tilesPerIPU);
  mixHash(mixed, data_->tile.bytesPerTile);
  mixHash(mixed, std::hash<double>()(data_->tile.clock));
  return mixed;
}

#define POP_TARGET_GETTER(TYPE, NAME, MEMBER)                                                      \
  POP_INLINE TYPE Target::NAME() const {                                                           \
    return cottonwood::model::dataOf(*this, "poplar::Target::" #NAME).MEMBER;                      \
  }
POP_TARGET_GETTER(TargetType, getTargetType, type)
POP_TARGET_GETTER(StringRef, getTargetSystemString, system)
POP_TARGET_GETTER(StringRef, getTargetArchString, arch)
POP_TARGET_GETTER(unsigned, getNumIPUs, numIPUs)
POP_TARGET_GETTER(unsigned, getTilesPerIPU, tilesPerIPU)
POP_TARGET_GETTER(unsigned, getNumWorkerContexts, tile.workerContexts)
POP_TARGET_GETTER(unsigned, getBytesPerTile, tile.bytesPerTile)
POP_TARGET_GETTER(unsigned, getExchangeBytesPerCycle, tile.exchangeBytesPerCycle)
POP_TARGET_GETTER(unsigned, getMemcpyBytesPerCycle, tile.memcpyBytesPerCycle)
POP_TARGET_GETTER(unsigned, getMinIPUSyncDelay, tile.minSyncDelay)
POP_TARGET_GETTER(unsigned, getMaxIPUSyncDelay, tile.maxSyncDelay)
POP_TARGET_GETTER(unsigned, getGlobalSyncCycles, globalSyncCycles)
POP_TARGET_GETTER(std::vector<unsigned> const &, getMemoryElementOffsets, tile.memoryElementOffsets)
POP_TARGET_GETTER(unsigned, getInterleavedMemoryElementIndex, tile.interleavedElementIndex)
POP_TARGET_GETTER(std::vector<GlobalExchangeConstraint> const &, getGlobalExchangeConstraints,
                  globalExchangeConstraints)
POP_TARGET_GETTER(unsigned, getNumStrideBits, tile.strideBits)
POP_TARGET_GETTER(unsigned, getDataPathWidth, tile.dataPathBits)
POP_TARGET_GETTER(unsigned, getRptCountMax, tile.rptCountMax)
POP_TARGET_GETTER(unsigned, getFp8ConvUnitMaxPipelineDepth, tile.fp8PipelineDepth)
POP_TARGET_GETTER(unsigned, getFp16ConvUnitMaxPipelineDepth, tile.fp16PipelineDepth)
POP_TARGET_GETTER(unsigned, getFp32ConvUnitMaxPipelineDepth, tile.fp32PipelineDepth)
POP_TARGET_GETTER(unsigned, getFp8ConvUnitInputLoadElemsPerCycle, tile.fp8LoadElemsPerCycle)
POP_TARGET_GETTER(unsigned, getFp16ConvUnitInputLoadElemsPerCycle, tile.fp16LoadElemsPerCycle)
POP_TARGET_GETTER(unsigned, getFp32ConvUnitInputLoadElemsPerCycle, tile.fp32LoadElemsPerCycle)
POP_TARGET_GETTER(unsigned, getFp16InFp16OutConvUnitsPerTile, tile.fp16InFp16OutUnits)
POP_TARGET_GETTER(unsigned, getFp16InFp32OutConvUnitsPerTile, tile.fp16InFp32OutUnits)
POP_TARGET_GETTER(unsigned, getFp32InFp32OutConvUnitsPerTile, tile.fp32InFp32OutUnits)
POP_TARGET_GETTER(unsigned, getFp8InFp16OutConvUnitsPerTile, tile.fp8InFp16OutUnits)
POP_TARGET_GETTER(unsigned, getConvUnitCoeffLoadBytesPerCycle, tile.coeffLoadBytesPerCycle)
POP_TARGET_GETTER(bool, supportsExchangeBusSharing, tile.exchangeBusSharing)
POP_TARGET_GETTER(unsigned, getTilesPerSharedExchangeBus, tile.tilesPerSharedExchangeBus)
POP_TARGET_GETTER(double, getTileClockFrequency, tile.clock)
POP_TARGET_GETTER(unsigned, getNumTilesPerXBContext, tile.tilesPerXBContext)
POP_TARGET_GETTER(unsigned, getNumContextsPerXB, tile.contextsPerXB)
POP_TARGET_GETTER(std::size_t, getAtomicStoreGranularity, tile.atomicStoreBytes)
POP_TARGET_GETTER(IpuLinkConfiguration, getIpuLinkConfiguration, linkConfiguration)
POP_TARGET_GETTER(IpuLinkTopology, getIpuLinkTopology, linkTopology)
POP_TARGET_GETTER(unsigned, getIpuLinkDomainSize, linkDomainSize)
POP_TARGET_GETTER(unsigned, getInstanceSize, instanceSize)
POP_TARGET_GETTER(bool, getGatewayMode, gatewayMode)
#undef POP_TARGET_GETTER

POP_INLINE unsigned Target::getNumTiles() const { return getNumIPUs() * getTilesPerIPU(); }
POP_INLINE std::uint64_t Target::getMemoryBytes() const {
  return std::uint64_t{getNumTiles()} * getBytesPerTile();
}

POP_INLINE unsigned Target::getFloatVectorWidth() const { return getVectorWidth(FLOAT); }
POP_INLINE unsigned Target::getHalfVectorWidth() const { return getVectorWidth(HALF); }
POP_INLINE unsigned Target::getQuarterVectorWidth() const { return getVectorWidth(QUARTER); }
POP_INLINE unsigned Target::getQuarterMetadataVectorWidth() const {
  return getVectorWidth(QUARTER_METADATA);
}
POP_INLINE unsigned Target::getVectorWidth(Type const &type) const {
  return std::max(1u, getDataPathWidth() / static_cast<unsigned>(8 * getTypeSize(type)));
}

POP_INLINE unsigned Target::getWeightsPerConvUnit(Type const &inputType) const {
  // What flows through the pipeline of one unit: elements a cycle times its depth. Types a target
  // has no units for count as one word a cycle, so that the answer can always be divided by.
  return std::max(1u, getConvUnitInputLoadElemsPerCycle(inputType)) * 4;
}
POP_INLINE unsigned Target::getWeightsPerConvUnit(bool floatActivations) const {
  return getWeightsPerConvUnit(floatActivations ? FLOAT : HALF);
}

POP_INLINE unsigned Target::getConvUnitInputLoadElemsPerCycle(Type const &inputType) const {
  if (inputType == FLOAT)
    return getFp32ConvUnitInputLoadElemsPerCycle();
  if (inputType == HALF)
    return getFp16ConvUnitInputLoadElemsPerCycle();
  if (inputType == QUARTER)
    return getFp8ConvUnitInputLoadElemsPerCycle();
  cottonwood::base::fail<poplar_error>(
      "poplar::Target::getConvUnitInputLoadElemsPerCycle", "the type ", inputType,
      " has no convolution units; QUARTER, HALF and FLOAT may have");
}
POP_INLINE unsigned Target::getConvUnitInputLoadElemsPerCycle(bool floatActivations) const {
  return getConvUnitInputLoadElemsPerCycle(floatActivations ? FLOAT : HALF);
}

POP_INLINE unsigned Target::getConvUnitMaxPipelineDepth(Type const &partialType) const {
  if (partialType == FLOAT)
    return getFp32ConvUnitMaxPipelineDepth();
  if (partialType == HALF)
    return getFp16ConvUnitMaxPipelineDepth();
  if (partialType == QUARTER)
    return getFp8ConvUnitMaxPipelineDepth();
  cottonwood::base::fail<poplar_error>(
      "poplar::Target::getConvUnitMaxPipelineDepth", "the type ", partialType,
      " has no convolution units; QUARTER, HALF and FLOAT may have");
}

POP_INLINE unsigned Target::getNumConvUnits(Type const &inputType, Type const &partialType) const {
  if (inputType == FLOAT && partialType == FLOAT)
    return getFp32InFp32OutConvUnitsPerTile();
  if (inputType == HALF && partialType == FLOAT)
    return getFp16InFp32OutConvUnitsPerTile();
  if (inputType == HALF && partialType == HALF)
    return getFp16InFp16OutConvUnitsPerTile();
  if (inputType == QUARTER && partialType == HALF)
    return getFp8InFp16OutConvUnitsPerTile();
  return 0;
}

} // namespace poplar

namespace cottonwood::model::detail {

/// The tile's number within its IPU.
POP_INLINE unsigned tileOnIPU(poplar::Target const &target, unsigned tile, char const *where) {
  if (tile >= target.getNumTiles())
    base::fail<poplar::poplar_error>(where, "tile ", tile, " is out of range; the target has ",
                                     target.getNumTiles(), " tiles");
  return tile % target.getTilesPerIPU();
}

} // namespace cottonwood::model::detail

namespace poplar {

POP_INLINE unsigned Target::getTileHostExchangeXB(unsigned tile) const {
  return cottonwood::model::detail::tileOnIPU(*this, tile,
                                              "poplar::Target::getTileHostExchangeXB") /
         (getNumTilesPerXBContext() * getNumContextsPerXB());
}
POP_INLINE unsigned Target::getTileHostExchangeContext(unsigned tile) const {
  return cottonwood::model::detail::tileOnIPU(*this, tile,
                                              "poplar::Target::getTileHostExchangeContext") /
         getNumTilesPerXBContext() % getNumContextsPerXB();
}
POP_INLINE unsigned Target::getTileHostExchangeContextPosition(unsigned tile) const {
  return cottonwood::model::detail::tileOnIPU(
             *this, tile, "poplar::Target::getTileHostExchangeContextPosition") %
         getNumTilesPerXBContext();
}

POP_INLINE std::size_t Target::getTypeSize(Type const &type) const {
  if (std::size_t const size = cottonwood::base::sizeOf(type))
    return size;
  cottonwood::base::fail<poplar_error>("poplar::Target::getTypeSize", "the type is unset");
}

POP_INLINE std::uint32_t Target::makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr,
                                                 bool nanoo) const {
  std::uint32_t value = 0;
  unsigned place = 0;
  for (bool const bit : {inv, div0, oflo, esr, nanoo})
    value |= static_cast<std::uint32_t>(bit) << place++;
  return value;
}
// Numbers of this library's own: there is no register file behind them.
POP_INLINE unsigned Target::getFpIctlRegIndex() const { return 1; }
POP_INLINE unsigned Target::getDbgDataRegIndex() const { return 2; }

template <class T> T Target::getTypeLimitsMaxAs(Type const &type) const {
  auto const limits = cottonwood::model::detail::limitsOf(type);
  return limits.isFloat ? cottonwood::model::detail::exactly<T>(limits.floatMax, type)
                        : cottonwood::model::detail::exactly<T>(limits.max, type);
}
template <class T> T Target::getTypeLimitsLowestAs(Type const &type) const {
  auto const limits = cottonwood::model::detail::limitsOf(type);
  return limits.isFloat ? cottonwood::model::detail::exactly<T>(-limits.floatMax, type)
                        : cottonwood::model::detail::exactly<T>(limits.lowest, type);
}

#if !defined(POPLAR_HEADER_ONLY)
#define POP_INSTANTIATE_LIMITS(T)                                                                  \
  template POP_API T Target::getTypeLimitsMaxAs<T>(Type const &) const;                            \
  template POP_API T Target::getTypeLimitsLowestAs<T>(Type const &) const;
POP_INSTANTIATE_LIMITS(int)
POP_INSTANTIATE_LIMITS(unsigned)
POP_INSTANTIATE_LIMITS(long)
POP_INSTANTIATE_LIMITS(unsigned long)
POP_INSTANTIATE_LIMITS(long long)
POP_INSTANTIATE_LIMITS(unsigned long long)
POP_INSTANTIATE_LIMITS(float)
POP_INSTANTIATE_LIMITS(double)
#undef POP_INSTANTIATE_LIMITS
#endif

POP_INLINE Target Target::createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const {
  auto data = cottonwood::model::dataOf(*this, "poplar::Target::createVirtualTarget");
  cottonwood::model::detail::requireCounts(numIPUs, tilesPerIPU,
                                           "poplar::Target::createVirtualTarget");
  if (numIPUs != data.numIPUs)
    cottonwood::model::setNumIPUs(data, numIPUs);
  data.tilesPerIPU = tilesPerIPU;
  return cottonwood::model::makeTarget(std::move(data));
}

POP_INLINE Target Target::createCPUTarget(bool, unsigned numIPUs) {
  cottonwood::model::detail::requireCounts(numIPUs, 1, "poplar::Target::createCPUTarget");
  return cottonwood::model::makeTarget(cottonwood::model::cpuTarget(numIPUs));
}

POP_INLINE Target Target::createIPUTarget(StringRef systemType, OptionFlags const &opts) {
  return cottonwood::model::detail::makeIPUTarget(0, 0, systemType, opts);
}
POP_INLINE Target Target::createIPUTarget(unsigned numIPUs, StringRef systemType,
                                          OptionFlags const &opts) {
  cottonwood::model::detail::requireCounts(numIPUs, 1, "poplar::Target::createIPUTarget");
  return cottonwood::model::detail::makeIPUTarget(numIPUs, 0, systemType, opts);
}
POP_INLINE Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                                          StringRef systemType, OptionFlags const &opts) {
  cottonwood::model::detail::requireCounts(numIPUs, tilesPerIPU, "poplar::Target::createIPUTarget");
  return cottonwood::model::detail::makeIPUTarget(numIPUs, tilesPerIPU, systemType, opts);
}

POP_INLINE void copyFloatToDeviceHalf(Target const &, float const *src, void *dst,
                                      std::size_t numElements) {
  auto *to = static_cast<unsigned char *>(dst);
  for (std::size_t i = 0; i != numElements; ++i, to += 2) {
    std::uint16_t const bits = cottonwood::base::floatToHalf(src[i]);
    std::memcpy(to, &bits, 2);
  }
}
POP_INLINE void copyDoubleToDeviceHalf(Target const &, double const *src, void *dst,
                                       std::size_t numElements) {
  auto *to = static_cast<unsigned char *>(dst);
  for (std::size_t i = 0; i != numElements; ++i, to += 2) {
    std::uint16_t const bits = cottonwood::base::doubleToHalf(src[i]);
    std::memcpy(to, &bits, 2);
  }
}
POP_INLINE void copyDeviceHalfToFloat(Target const &, void const *src, float *dst,
                                      std::size_t numElements) {
  auto const *from = static_cast<unsigned char const *>(src);
  for (std::size_t i = 0; i != numElements; ++i, from += 2) {
    std::uint16_t bits;
    std::memcpy(&bits, from, 2);
    dst[i] = cottonwood::base::halfToFloat(bits);
  }
}
POP_INLINE void copyDeviceHalfToDouble(Target const &, void const *src, double *dst,
                                       std::size_t numElements) {
  auto const *from = static_cast<unsigned char const *>(src);
  for (std::size_t i = 0; i != numElements; ++i, from += 2) {
    std::uint16_t bits;
    std::memcpy(&bits, from, 2);
    dst[i] = static_cast<double>(cottonwood::base::halfToFloat(bits));
  }
}

} // namespace poplar

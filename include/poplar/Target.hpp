// What a graph is built for: the kind of device, how many tiles of what size, and what they can do.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TARGET_HPP
#define POPLAR_TARGET_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/IpuLinkConfiguration.hpp>
#include <poplar/IpuLinkTopology.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace cottonwood {
namespace model {
struct TargetData; // impl/model/TargetData.hpp
} // namespace model
} // namespace cottonwood

namespace poplar {

/// A value: cheap to copy (the data are shared and never change), ordered, hashable. Equal targets
/// agree in every property. The getters of an unset target (`Target()`) throw poplar_error.
///
/// Those of a CPU target are the same on every machine: one IPU of one tile with the vector widths
/// of an IPU. What the machine really has is known to the library alone.
class POP_API Target {
public:
  Target() noexcept;
  explicit Target(std::shared_ptr<cottonwood::model::TargetData const> data) noexcept;
  Target(Target const &other) noexcept;
  Target(Target &&other) noexcept;
  Target &operator=(Target const &other) noexcept;
  Target &operator=(Target &&other) noexcept;
  ~Target();

  bool operator==(Target const &other) const;
  bool operator!=(Target const &other) const { return !(*this == other); }
  bool operator<(Target const &other) const;
  std::size_t hash() const;

  TargetType getTargetType() const;
  /// "ipu1", "ipu2", "ipu21" or the name given at creation; "cpu".
  StringRef getTargetSystemString() const;
  /// "ipu1", "ipu2", "ipu21" or "cpu".
  StringRef getTargetArchString() const;

  unsigned getNumIPUs() const;
  unsigned getTilesPerIPU() const;
  /// Tiles of all IPUs.
  unsigned getNumTiles() const;
  /// 6 on every target.
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  /// Bytes of all tiles.
  std::uint64_t getMemoryBytes() const;
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  /// Where the memory elements of a tile begin: ascending, the first is 0.
  std::vector<unsigned> const &getMemoryElementOffsets() const;
  /// Index of the first interleaved element; all after it are interleaved. Not below the number of
  /// elements: none is.
  unsigned getInterleavedMemoryElementIndex() const;
  std::vector<GlobalExchangeConstraint> const &getGlobalExchangeConstraints() const;
  unsigned getNumStrideBits() const;
  /// In bits.
  unsigned getDataPathWidth() const;
  unsigned getRptCountMax() const;

  unsigned getFp8ConvUnitMaxPipelineDepth() const;
  unsigned getFp16ConvUnitMaxPipelineDepth() const;
  unsigned getFp32ConvUnitMaxPipelineDepth() const;
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getFp8InFp16OutConvUnitsPerTile() const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  bool supportsExchangeBusSharing() const;
  unsigned getTilesPerSharedExchangeBus() const;

  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  unsigned getQuarterVectorWidth() const;
  unsigned getQuarterMetadataVectorWidth() const;
  /// Elements of the type in one word of the data path; at least 1.
  unsigned getVectorWidth(Type const &type) const;

  /// Input channels that one pass of a convolution unit takes. \throws poplar_error  not a floating
  /// point type.
  unsigned getWeightsPerConvUnit(Type const &inputType) const;
  unsigned getWeightsPerConvUnit(bool floatActivations) const;
  unsigned getConvUnitInputLoadElemsPerCycle(Type const &inputType) const;
  unsigned getConvUnitInputLoadElemsPerCycle(bool floatActivations) const;
  unsigned getConvUnitMaxPipelineDepth(Type const &partialType) const;
  /// 0 if the tile has no units for that pair of types.
  unsigned getNumConvUnits(Type const &inputType, Type const &partialType) const;

  /// In Hz.
  double getTileClockFrequency() const;

  unsigned getNumTilesPerXBContext() const;
  unsigned getNumContextsPerXB() const;
  /// \throws poplar_error  there is no such tile.
  unsigned getTileHostExchangeXB(unsigned tile) const;
  unsigned getTileHostExchangeContext(unsigned tile) const;
  unsigned getTileHostExchangeContextPosition(unsigned tile) const;

  /// Bytes of one element, on a tile and in host buffers alike. HALF has 2 on every target.
  std::size_t getTypeSize(Type const &type) const;
  /// Bytes below which a store reads and writes its neighbours too.
  std::size_t getAtomicStoreGranularity() const;

  /// The value of the floating point control register for the given behaviour: one bit each, from
  /// bit 0 up, in the order of the parameters.
  std::uint32_t makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const;
  unsigned getFpIctlRegIndex() const;
  unsigned getDbgDataRegIndex() const;

  IpuLinkConfiguration getIpuLinkConfiguration() const;
  IpuLinkTopology getIpuLinkTopology() const;
  unsigned getIpuLinkDomainSize() const;
  unsigned getInstanceSize() const;
  bool getGatewayMode() const;

  /// The largest and the lowest finite value of the type as a T.
  /// \tparam T  float, double or an integer type from int up
  /// \throws poplar_error  a T cannot represent that value exactly, or the type has no numeric
  /// limits.
  template <class T> T getTypeLimitsMaxAs(Type const &type) const;
  template <class T> T getTypeLimitsLowestAs(Type const &type) const;

  /// The same architecture with other counts.
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  /// \param accurateHalf  half is IEEE binary16 in any case
  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
  /// \param systemType  "ipu1", "ipu2", "ipu21", or "_VIRTUAL_GRAPH_TEST_<n>": n IPUs of "ipu2"
  /// \param opts        ipuLinkConfiguration (Default, SlidingWindow, BarleyTwist), ipuLinkTopology
  /// (mesh, torus, line),
  ///                    syncConfiguration, gatewayMode (true, false)
  static Target createIPUTarget(StringRef systemType, OptionFlags const &opts = {});
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                OptionFlags const &opts = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                OptionFlags const &opts = {});

  /// The shared data; nullptr for an unset target. For use inside the library.
  std::shared_ptr<cottonwood::model::TargetData const> const &data() const noexcept {
    return data_;
  }

private:
  std::shared_ptr<cottonwood::model::TargetData const> data_;
};

/// Conversions between host numbers and HALF elements (2 bytes each; the device side need not be
/// aligned). Round to nearest, ties to even; overflow gives infinity.
POP_API void copyFloatToDeviceHalf(Target const &target, float const *src, void *dst,
                                   std::size_t numElements);
POP_API void copyDeviceHalfToFloat(Target const &target, void const *src, float *dst,
                                   std::size_t numElements);
POP_API void copyDoubleToDeviceHalf(Target const &target, double const *src, void *dst,
                                    std::size_t numElements);
POP_API void copyDeviceHalfToDouble(Target const &target, void const *src, double *dst,
                                    std::size_t numElements);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
  std::size_t operator()(poplar::Target const &target) const { return target.hash(); }
};
} // namespace std

#endif

// Values that an enumeration does not have.
#include "Refusals.hpp"

#include <poplar/CodeletFileType.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Graph.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/Program.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/exceptions.hpp>

#include <sstream>

TEST_SUITE_BEGIN("poplar/graph/enumerators");

using namespace poplar;

namespace {

std::string const CLONE =
    "TensorCloneMethod # does not exist; allowed: PRESERVE_ORDER_AND_ALIASES, CREATE_NEW_ORDER, "
    "PRESERVE_ORDER_UNLESS_ALIASES, GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES";
std::string const DUPLICATION =
    "TensorCloneDuplicationMethod # does not exist; allowed: DUPLICATE_BY_OUTER_DIMENSION, "
    "DUPLICATE_BY_TILE_CONTIGUOUS_REGION";
std::string const MAPPING = "VariableMappingMethod # does not exist; allowed: NONE, LINEAR";
std::string const SYNC = "SyncType # does not exist; allowed: INTERNAL, EXTERNAL, GLOBAL";
std::string const FORMAT = "SerializationFormat # does not exist; allowed: Binary, JSON";
std::string const FILE_TYPE =
    "CodeletFileType # does not exist; allowed: PreprocessedAsmSource, AsmSource, CSource, "
    "CppSource, IrSource, Object, Auto";

} // namespace

TEST_CASE("what a graph cannot do with a value that no enumerator has is an error of the call") {
  Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  Tensor const t = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
  program::Sequence prog;
  std::stringstream stream("x");
  checkRefusals<poplar_error>({
      {4, "Graph::clone: " + CLONE, [&](int x) { graph.clone(t, {}, TensorCloneMethod(x)); }},
      {4, "Graph::cloneN: " + CLONE, [&](int x) { graph.cloneN(t, 2, {}, TensorCloneMethod(x)); }},
      {2, "Graph::cloneN: " + DUPLICATION,
       [&](int x) {
         graph.cloneN(t, 2, {}, TensorCloneMethod::CREATE_NEW_ORDER,
                      TensorCloneDuplicationMethod(x));
       }},
      {2, "Graph::addVariable: " + MAPPING,
       [&](int x) { graph.addVariable(FLOAT, {4}, VariableMappingMethod(x)); }},
      {2,
       "Graph::addHostToDeviceFIFO: ReplicatedStreamMode # does not exist; allowed: REPLICATE, "
       "BROADCAST",
       [&](int x) { graph.addHostToDeviceFIFO("in", FLOAT, 4, ReplicatedStreamMode(x)); }},
      {2, "Graph::serialize: " + FORMAT,
       [&](int x) { graph.serialize(stream, {}, SerializationFormat(x)); }},
      {2, "Graph::serializeTensors: " + FORMAT,
       [&](int x) { graph.serializeTensors(stream, {t}, SerializationFormat(x)); }},
      {2, "Graph::deserializeTensors: " + FORMAT,
       [&](int x) { graph.deserializeTensors(stream, SerializationFormat(x)); }},
      {1, "Graph::addFunctionBuffer: FunctionBufferMappingType # does not exist; allowed: REMOTE",
       [&](int x) {
         graph.addFunctionBuffer(graph.addFunction(prog), FunctionBufferMappingType(x));
       }},
      {3, "poplar::program::Sync: " + SYNC, [&](int x) { program::Sync sync{SyncType(x)}; }},
      {3, "poplar::cycleCount: " + SYNC, [&](int x) { cycleCount(graph, prog, 0, SyncType(x)); }},
      {3, "poplar::cycleStamp: " + SYNC, [&](int x) { cycleStamp(graph, prog, 0, SyncType(x)); }},
      {4,
       "PrintTensor: PrintTensorFmt::FloatFormat # does not exist; allowed: Auto, Fixed, "
       "Scientific, None",
       [&](int x) {
         PrintTensorFmt const format(1000, 3, 75, 8, PrintTensorFmt::FloatFormat(x));
         program::PrintTensor print(t, format);
       }},
      {2,
       "createConstantMetadataTensor: QuarterMetadata::Format # does not exist; allowed: F143, "
       "F152",
       [&](int x) { createConstantMetadataTensor(graph, QuarterMetadata::Format(x), 0); }},
  });
}

TEST_CASE("so is what has no name") {
  checkRefusals<poplar_error>({
      {4, "poplar::toString: " + CLONE, [](int x) { toString(TensorCloneMethod(x)); }},
      {2, "poplar::toString: " + DUPLICATION,
       [](int x) { toString(TensorCloneDuplicationMethod(x)); }},
      {2, "poplar::toString: " + MAPPING, [](int x) { toString(VariableMappingMethod(x)); }},
      {7, "poplar::getExtensionFromFileType: " + FILE_TYPE,
       [](int x) { getExtensionFromFileType(CodeletFileType(x)); }},
      {7, "poplar::getLanguageOption: " + FILE_TYPE,
       [](int x) { getLanguageOption(CodeletFileType(x)); }},
      {2, "poplar::QuarterMetadata: Format # does not exist; allowed: F143, F152",
       [](int x) { QuarterMetadata(QuarterMetadata::Format(x), 0); }},
      {3,
       "poplar::DeviceManager::getDevices: TargetType # does not exist; allowed: IPU, IPU_MODEL, "
       "CPU",
       [](int x) { DeviceManager::createDeviceManager().getDevices(TargetType(x), 1); }},
      {3, "poplar::operator<<: IpuLinkTopology # does not exist; allowed: Mesh, Torus, Line",
       [](int x) { std::ostringstream() << IpuLinkTopology(x); }},
      {3,
       "poplar::operator<<: IpuLinkConfiguration # does not exist; allowed: Default, "
       "SlidingWindow, BarleyTwist",
       [](int x) { std::ostringstream() << IpuLinkConfiguration(x); }},
  });
}

TEST_SUITE_END();

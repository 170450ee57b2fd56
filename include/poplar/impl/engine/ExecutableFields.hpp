// What a stored executable consists of: the one list of fields of every structure in it.
//
// A structure that gains a field does not compile here until the field is entered: structured
// bindings must name all members. Its place in the list is its place in the file, so a changed list
// wants a new FORMAT_VERSION (ExecutableFile.hpp).
#pragma once

#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>
#include <poplar/impl/model/TargetData.hpp>
#include <poplar/impl/program/Node.hpp>

#include <type_traits>

namespace cottonwood::engine {

/// Fields<S>::visit(visitor, s) calls visitor.fields("a, b", s.a, s.b).
template <class S> struct Fields { static constexpr bool KNOWN = false; };

/// The last enumerator, for the reader's check; one that is added behind it must be entered here.
template <class E> inline constexpr E LAST_OF{};

#define POP_STORED_FIELDS(S, ...)                                                                  \
  template <> struct Fields<S> {                                                                   \
    static constexpr bool KNOWN = true;                                                            \
    template <class Visitor, class Value> static void visit(Visitor &visitor, Value &value) {      \
      auto &[__VA_ARGS__] = value;                                                                 \
      visitor.fields(#__VA_ARGS__, __VA_ARGS__);                                                   \
    }                                                                                              \
  }
#define POP_STORED_ENUM(E, last) template <> inline constexpr E LAST_OF<E> = E::last

POP_STORED_ENUM(lower::Op, Abort);
POP_STORED_ENUM(lower::StepKind, GlobalExchange);
POP_STORED_ENUM(program::NodeKind, Block);
POP_STORED_ENUM(base::TypeId, Float);
POP_STORED_ENUM(poplar::ReplicatedStreamMode, BROADCAST);
POP_STORED_ENUM(poplar::TargetType, CPU);
POP_STORED_ENUM(poplar::IpuLinkConfiguration, BarleyTwist);
POP_STORED_ENUM(poplar::IpuLinkTopology, Line);
POP_STORED_ENUM(poplar::PrintTensorFmt::FloatFormat, None);

POP_STORED_FIELDS(lower::MoveDim, count, srcStride, dstStride);
POP_STORED_FIELDS(lower::Move, src, dst, bytes, firstDim, numDims);
POP_STORED_FIELDS(lower::MovePlan, first, count, totalBytes);
POP_STORED_FIELDS(lower::InitialData, offset, blobOffset, blobBytes, repeats);
POP_STORED_FIELDS(lower::ReplicaIndex, offset, scale);
POP_STORED_FIELDS(lower::CrossReplicaPlan, name, plan, sources);
POP_STORED_FIELDS(lower::CodeletRef, name, isa, layoutHash, multi, object);
POP_STORED_FIELDS(codelet::CodeObject, isa, bytes, digest);
POP_STORED_FIELDS(lower::Staging, gather, scatter);
POP_STORED_FIELDS(lower::VertexCall, state, codelet, tile, staging);
POP_STORED_FIELDS(lower::ComputeSetPlan, name, firstCall, numCalls, edgeBytes, hasStaging,
                  firstWatched, numWatched);
POP_STORED_FIELDS(lower::StrandPlan, sets, ends, before);
POP_STORED_FIELDS(lower::Instruction, op, width, a, b, step, channel);
POP_STORED_FIELDS(lower::SwitchTable, name, cases, otherwise);
POP_STORED_FIELDS(lower::StreamPlan, handle, type, numElements, blockBytes, toDevice, mode,
                  bufferingDepth, channels);
POP_STORED_FIELDS(lower::HostTensor, handle, bytes, plan, metadata);
POP_STORED_FIELDS(program::PrintSpec, title, format);
POP_STORED_FIELDS(lower::PrintPlan, spec, type, shape, bytes, plan);
POP_STORED_FIELDS(lower::RemoteBufferPlan, handle, type, numElements, rowBytes, repeats);
POP_STORED_FIELDS(lower::RemoteCopy, buffer, numRows, isSigned, data, offsets);
POP_STORED_FIELDS(lower::HostFunctionPlan, handle, inputBytes, outputBytes);
POP_STORED_FIELDS(lower::HostCall, function, inputs, outputs);
POP_STORED_FIELDS(lower::AbortPlan, kind, name, message, print);
POP_STORED_FIELDS(lower::WatchedOutput, call, field, type, plan);
POP_STORED_FIELDS(lower::TileCost, tile, cycles, bytesOut, bytesIn, runsOut, runsIn);
POP_STORED_FIELDS(lower::BspStep, kind, name, computeSet, maxCycles, syncCycles, activeThreadCycles,
                  firstCost, numCosts);
POP_STORED_FIELDS(lower::VertexTypeCycles, step, codelet, instances, cycles);
POP_STORED_FIELDS(lower::ProgramInfo, kind, name, parent, callee, count, firstStep, numSteps,
                  firstVar, numVars);
POP_STORED_FIELDS(lower::StepLiveness, position, bytes);
POP_STORED_FIELDS(lower::BspProgram, steps, costs, byType, liveness, programs, programSteps,
                  programVars, verticesByDefaultRule);
POP_STORED_FIELDS(lower::TileRun, tile, count, bytes);
POP_STORED_FIELDS(lower::TileMemory, alwaysLive, notAlwaysLive, passing, gaps, constants,
                  alwaysLiveInterleaved, alwaysLiveOverflowed, notAlwaysLiveInterleaved,
                  notAlwaysLiveOverflowed, constantsInterleaved, constantsOverflowed,
                  gapsInterleaved, gapsOverflowed, interleavedDemand, vertexState, edgePointers,
                  padding, fieldData, listDescriptors, copyDescriptors, stack, hostHeaders,
                  globalHeaders, controlCode, vertexCode, exchangeCode, hostExchangeCode,
                  globalExchangeCode);
POP_STORED_FIELDS(lower::VertexTypeMemory, codelet, instances, stateBytes, codeBytes);
POP_STORED_FIELDS(lower::VariableInfo, name, type, offset, bytes, alwaysLive, constant, lifeBegin,
                  lifeEnd, firstRun, numRuns);

POP_STORED_FIELDS(poplar::GlobalExchangeFlow, src, dst);
POP_STORED_FIELDS(poplar::GlobalExchangeConstraint, bandwidth, flows);
POP_STORED_FIELDS(model::TileModel, workerContexts, bytesPerTile, clock, exchangeBytesPerCycle,
                  memcpyBytesPerCycle, instructionBytes, dataPathBits, atomicStoreBytes,
                  rptCountMax, strideBits, exchangeBusSharing, tilesPerSharedExchangeBus,
                  memoryElementOffsets, interleavedElementIndex, fp8PipelineDepth,
                  fp16PipelineDepth, fp32PipelineDepth, fp8LoadElemsPerCycle, fp16LoadElemsPerCycle,
                  fp32LoadElemsPerCycle, fp16InFp16OutUnits, fp16InFp32OutUnits, fp32InFp32OutUnits,
                  fp8InFp16OutUnits, coeffLoadBytesPerCycle, minSyncDelay, maxSyncDelay,
                  tilesPerXBContext, contextsPerXB);
POP_STORED_FIELDS(model::TargetData, type, system, arch, numIPUs, tilesPerIPU, tile,
                  globalSyncCycles, globalExchangeConstraints, linkConfiguration, linkTopology,
                  linkDomainSize, instanceSize, gatewayMode, syncConfiguration);

POP_STORED_FIELDS(lower::ExecutableData, target, options, name, isa, numReplicas, arenaBytes,
                  sharedBegin, variableBytes, stagingBegin, statesBegin, states, relocations,
                  initial, blob, replicaIndices, variables, codelets, objects, computeSets, calls,
                  strands, stagings, plans, moves, moveDims, switches, prints, crossReplicaPlans,
                  instructions, entryPoints, streams, hostReads, hostWrites, remoteBuffers,
                  remoteCopies, hostFunctions, hostCalls, aborts, watched, bsp, tileMemory,
                  tileRuns, vertexTypes, notes, numVertices, numEdges, numVariables,
                  numComputeSets);

#undef POP_STORED_FIELDS
#undef POP_STORED_ENUM

} // namespace cottonwood::engine

// Programs: what an engine runs.
//
// A Program is a value. Copying it, adding it to a Sequence, or giving it to a loop, a branch, a
// function or an engine takes a snapshot: later changes of the original do not show. All kinds of
// programs are Programs and add no members, so that converting one to Program loses nothing.
//
// Programs nest up to 5000 deep, functions that they call included; what would make one deeper
// throws poplar_error.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_PROGRAM_HPP
#define POPLAR_PROGRAM_HPP

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cottonwood {
namespace program {
struct Node;
struct Access;
} // namespace program
} // namespace cottonwood

namespace poplar {

class Graph;

namespace program {

/// Any program; default-constructed, one without a body, which does nothing wherever it is used.
class POP_API Program {
public:
  Program();
  Program(Program const &p);
  Program(Program &&p) noexcept;
  Program &operator=(Program const &p);
  Program &operator=(Program &&p) noexcept;
  virtual ~Program();

  /// True for Program() and for a program moved from. An empty Sequence has a body.
  bool isEmpty() const;

  /// Equal bodies: same kinds, operands and children. Debug names do not count.
  friend POP_API bool operator==(Program const &lhs, Program const &rhs);

protected:
  friend struct cottonwood::program::Access;
  /// A template, so that no list in braces is taken for a node.
  template <class N, class = typename std::enable_if<std::is_same<
                         N, std::shared_ptr<cottonwood::program::Node const>>::value>::type>
  explicit Program(N node) : node_(std::move(node)) {}
  std::shared_ptr<cottonwood::program::Node const> node_;
};

POP_API bool operator==(Program const &lhs, Program const &rhs);

/// Writes the program as an indented tree, one line a node.
POP_API void dumpProgram(Graph const &graph, Program const &program, std::ostream &out);

/// Runs all vertices of a compute set, in any order, possibly at the same time.
class POP_API Execute : public Program {
public:
  explicit Execute(ComputeSet cs, DebugContext const &debugContext = {});
  /// Also stores in `t`, one BOOL element, whether compute() of every vertex returned true.
  /// \throws control_program_error  t is not one writeable BOOL element.
  Execute(ComputeSet cs, Tensor t, DebugContext const &debugContext = {});
};

/// Runs programs one after another.
class POP_API Sequence : public Program {
public:
  Sequence(DebugContext const &debugContext = {});
  Sequence(std::initializer_list<Program> programs, DebugContext const &debugContext = {});
  // Sequence({debugNameAndId}) names an empty sequence: without this overload the braces could as
  // well make a Sequence to copy.
  template <class T, class = typename std::enable_if<std::is_same<T, DebugNameAndId>::value>::type>
  explicit Sequence(std::initializer_list<T> name) : Sequence(DebugContext(*name.begin())) {}
  /// The older variadic form: Sequence(a, b, c).
  template <class First, class... Rest,
            class = typename std::enable_if<
                std::is_base_of<Program, typename std::decay<First>::type>::value &&
                (sizeof...(Rest) != 0 ||
                 !std::is_base_of<Sequence, typename std::decay<First>::type>::value)>::type>
  explicit Sequence(First &&first, Rest &&...rest) : Sequence(DebugContext()) {
    addAll(std::forward<First>(first), std::forward<Rest>(rest)...);
  }

  /// Appends p as it is now.
  void add(Program const &p);

private:
  void addAll() {}
  template <class First, class... Rest> void addAll(First &&first, Rest &&...rest) {
    add(first);
    addAll(std::forward<Rest>(rest)...);
  }
};

/// Copies between tensors, streams and remote buffers, element by element in flattened order.
class POP_API Copy : public Program {
public:
  /// As if all of src were read before any of dst is written, so the two may overlap.
  /// \throws type_error     element types differ.
  /// \throws poplar_error   element counts differ, or dst has an element twice or a constant
  /// element.
  Copy(Tensor src, Tensor dst, bool dontOutline = false, DebugContext const &debugContext = {});
  /// Each run takes the next stream.numElements() elements of the stream.
  /// \throws as above, with the stream's type and count.
  Copy(DataStream const &stream, Tensor dst, bool optimiseMemory = false,
       DebugContext const &debugContext = {});
  Copy(Tensor src, DataStream const &stream, bool optimiseMemory = false,
       DebugContext const &debugContext = {});
  // The only row of a remote buffer.
  /// \throws as above, and poplar_error  the buffer has more rows.
  Copy(RemoteBuffer const &buffer, Tensor dst, DebugContext const &debugContext = {});
  Copy(Tensor src, RemoteBuffer const &buffer, DebugContext const &debugContext = {});
  // Rows of a remote buffer: with n offsets the tensor has n rows, and row i is that of offset[i].
  // Of rows written twice the last one holds. An offset that is no row is an
  // application_runtime_error when the program runs, before anything is moved.
  /// \param offset  [] or [n], INT or UNSIGNED_INT.
  /// \throws as above, and poplar_error  the offsets are not of that kind.
  Copy(RemoteBuffer const &buffer, Tensor dst, Tensor offset,
       DebugContext const &debugContext = {});
  Copy(Tensor src, RemoteBuffer const &buffer, Tensor offset,
       DebugContext const &debugContext = {});
  /// Moves the code of a function: nothing to do here.
  Copy(FunctionBuffer const &buffer, Function const &function,
       DebugContext const &debugContext = {});
  Copy(Function const &function, FunctionBuffer const &buffer,
       DebugContext const &debugContext = {});
};

/// Runs prog `count` times.
class POP_API Repeat : public Program {
public:
  Repeat(unsigned count, Program const &prog, DebugContext const &debugContext = {});
};

/// Runs prog again and again, until Engine::stop() or an error.
class POP_API Loop : public Program {
public:
  Loop(Program const &prog, DebugContext const &debugContext = {});
};

/// Runs cond, reads the predicate, stops if it is false, else runs body, and so on.
/// The predicate is one element of type BOOL or any integer type (not 0 is true); else
/// control_program_error.
class POP_API RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(Program const &cond, Tensor predicate, Program const &body,
                  DebugContext const &debugContext = {});
};

/// As RepeatWhileTrue, but stops when the predicate is true.
class POP_API RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(Program const &cond, Tensor predicate, Program const &body,
                   DebugContext const &debugContext = {});
};

/// Runs one of two programs. The predicate is as in RepeatWhileTrue.
class POP_API If : public Program {
public:
  If(Tensor predicate, Program const &trueBody, Program const &falseBody,
     DebugContext const &debugContext = {});
};

/// Runs the case whose value equals the control tensor's single element, or the default.
/// \throws control_program_error  control is not one INT or UNSIGNED_INT (or BOOL) element, or a
/// value occurs twice.
class POP_API Switch : public Program {
public:
  Switch(Tensor control, std::vector<std::pair<std::int32_t, Program>> const &cases,
         DebugContext const &debugContext = {});
  Switch(Tensor control, std::vector<std::pair<std::int32_t, Program>> const &cases,
         Program const &defaultCaseBody, DebugContext const &debugContext = {});
  Switch(Tensor control, DebugContext const &debugContext = {});
  Switch(Tensor control, Program const &defaultCaseBody, DebugContext const &debugContext = {});

  Switch &add(std::int32_t value, Program const &body);

  /// A control value without a case is an application_runtime_error when it runs.
  static Switch switchWithBoundsChecking(Tensor control,
                                         std::vector<std::pair<std::int32_t, Program>> const &cases,
                                         DebugContext const &debugContext = {});
  /// The caller promises that a case matches; it is an error when none does.
  static Switch switchWithUnreachableDefault(Tensor control, DebugContext const &debugContext = {});
};

/// Runs a function of the graph, or of the host.
class POP_API Call : public Program {
public:
  Call(Function f, DebugContext const &debugContext = {});
  /// Gives the host function packed copies of the inputs, and writes the outputs with what it
  /// leaves. \throws type_error    element types differ from what addHostFunction was told.
  /// \throws poplar_error  so do the numbers of tensors or elements, or an output has an element
  /// twice or a constant element.
  Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
       DebugContext const &debugContext = {});
};

/// Ends the run: Engine::run() throws application_runtime_error with the message and the tensor's
/// elements in its text.
class POP_API ErrorProgram : public Program {
public:
  ErrorProgram(StringRef message, Tensor debugTensor, DebugContext const &debugContext = {});
};

/// Ends the run: Engine::run() throws application_runtime_error with the message in its text.
class POP_API Abort : public Program {
public:
  Abort(DebugContext const &debugContext = {});
  Abort(std::string const &message, DebugContext const &debugContext = {});
  Abort(char const *message, DebugContext const &debugContext = {})
      : Abort(std::string(message), debugContext) {}
};

/// Abort, if the predicate is true. The predicate is as in RepeatWhileTrue.
class POP_API AbortOnCondition : public Program {
public:
  AbortOnCondition(Tensor predicate, DebugContext const &debugContext = {});
  AbortOnCondition(Tensor predicate, std::string const &message,
                   DebugContext const &debugContext = {});
  AbortOnCondition(Tensor predicate, char const *message, DebugContext const &debugContext = {})
      : AbortOnCondition(predicate, std::string(message), debugContext) {}
};

/// Runs a program; the name is for profiles.
class POP_API Block : public Program {
public:
  Block(Program const &p, DebugContext const &debugContext = {});
};

/// Prints a tensor to the engine's print stream.
class POP_API PrintTensor : public Program {
public:
  PrintTensor(Tensor t, DebugContext const &debugContext = {});
  PrintTensor(StringRef title, Tensor t, DebugContext const &debugContext = {});
  PrintTensor(Tensor t, PrintTensorFmt const &fmt, DebugContext const &debugContext = {});
  PrintTensor(StringRef title, Tensor t, PrintTensorFmt const &fmt,
              DebugContext const &debugContext = {});
};

/// Copies src of replica `from` to dst of replica `to` for every entry (from, to) of the map, all
/// at once: no replica goes on before all have arrived here and the data have moved.
/// \throws graph_replication_error  keys and values are not both a permutation of 0, 1, ...,
///                                  replication factor - 1.
/// \throws type_error, poplar_error  as Copy.
class POP_API CrossReplicaCopy : public Program {
public:
  CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                   DebugContext const &debugContext = {});
};

/// Promises that t has the same contents on every replica. Nothing is done.
class POP_API AssumeEqualAcrossReplicas : public Program {
public:
  AssumeEqualAcrossReplicas(Tensor t, DebugContext const &debugContext = {});
};

/// Declares that the old contents of t are not needed: they are undefined afterwards.
/// \throws poplar_error  t has constant elements.
class POP_API WriteUndef : public Program {
public:
  WriteUndef(Tensor t, DebugContext const &debugContext = {});
};

/// A barrier. GLOBAL also waits for all replicas.
class POP_API Sync : public Program {
public:
  explicit Sync(SyncType type, DebugContext const &debugContext = {});
};

} // namespace program
} // namespace poplar

#endif

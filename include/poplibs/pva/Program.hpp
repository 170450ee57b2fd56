// Programs as a tree: what the graph's programs are made of, and the steps that tiles execute.
#include <pva/impl/Config.hpp>

#ifndef PVA_PROGRAM_HPP
#define PVA_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <pva/Memory.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pva {

class ComputeSet;
class ProgramVisitor;

/// A variable that a program uses.
class POP_API Var {
public:
  Var(std::string name, std::uint64_t bytes, bool alwaysLive)
      : name_(std::move(name)), bytes_(bytes), alwaysLive_(alwaysLive) {}
  std::string name() const { return name_; }
  std::uint64_t bytes() const { return bytes_; }
  bool alwaysLive() const { return alwaysLive_; }

private:
  std::string name_;
  std::uint64_t bytes_;
  bool alwaysLive_;
};

/// A program: one that has others (a sequence, a loop, a call), or a step.
class POP_API Program {
public:
  /// \param isStep  whether `index` counts steps, and not programs.
  Program(ReportHandle report, std::uint32_t index, bool isStep)
      : report_(std::move(report)), index_(index), isStep_(isStep) {}

  /// Of a step "OnTileExecute", "DoExchange", "GlobalExchange", "OnTileCopy", "StreamCopyMid",
  /// "Sync" or "Control"; else "Sequence", "Repeat", "RepeatWhileTrue", "RepeatWhileFalse", "If",
  /// "Switch", "Call" and so on, as poplar::program calls them.
  std::string type() const;
  /// The debug path.
  std::string name() const;
  /// Differs between all programs of a report.
  std::uint64_t id() const;
  bool isStep() const { return isStep_; }
  /// For CompilationReport::steps(), if it is a step.
  std::uint32_t stepIndex() const { return index_; }
  /// Turns of a Repeat, else 0.
  std::uint64_t repeatCount() const;
  /// In order. A Call has the body of its function, as have all others that call it.
  std::vector<Program> children() const;
  /// Variables that it reads or writes itself; none unless they are in the report.
  std::vector<Var> vars() const;
  /// Control and exchange code of this program without its children, in bytes.
  std::vector<std::uint64_t> codeBytesByTile() const;
  /// Calls the visitor's function for the type; it decides about children.
  void accept(ProgramVisitor &visitor) const;

  bool operator==(Program const &other) const {
    return report_ == other.report_ && index_ == other.index_ && isStep_ == other.isStep_;
  }

protected:
  ReportHandle report_;
  std::uint32_t index_;
  bool isStep_;
};

/// What one type of program tells beyond all others.
class POP_API OnTileExecuteProgram : public Program {
public:
  explicit OnTileExecuteProgram(Program const &program) : Program(program) {}
  ComputeSet computeset() const;
};

#define PVA_PROGRAM_CLASS(Name)                                                                    \
  class POP_API Name : public Program {                                                            \
  public:                                                                                          \
    explicit Name(Program const &program) : Program(program) {}                                    \
  }
PVA_PROGRAM_CLASS(DoExchangeProgram);
PVA_PROGRAM_CLASS(GlobalExchangeProgram);
PVA_PROGRAM_CLASS(OnTileCopyProgram);
PVA_PROGRAM_CLASS(StreamCopyMidProgram);
PVA_PROGRAM_CLASS(SyncProgram);
PVA_PROGRAM_CLASS(SequenceProgram);
PVA_PROGRAM_CLASS(RepeatProgram);
PVA_PROGRAM_CLASS(CallProgram);
PVA_PROGRAM_CLASS(IfProgram);
PVA_PROGRAM_CLASS(SwitchProgram);
#undef PVA_PROGRAM_CLASS

/// For Program::accept. Each function does nothing but call visitProgram(), which does nothing; so
/// a visitor overrides what it looks for. StreamCopyBegin, StreamCopyEnd and SyncAns are never
/// called: here a transfer is one step, and a step's syncs are part of it.
class POP_API ProgramVisitor {
public:
  virtual ~ProgramVisitor();
  /// All types without a function of their own, and those whose function is not overridden.
  virtual void visitProgram(Program const &program);
  virtual void visitOnTileExecute(OnTileExecuteProgram const &program);
  virtual void visitDoExchange(DoExchangeProgram const &program);
  virtual void visitGlobalExchange(GlobalExchangeProgram const &program);
  virtual void visitOnTileCopy(OnTileCopyProgram const &program);
  virtual void visitStreamCopyBegin(Program const &program);
  virtual void visitStreamCopyMid(StreamCopyMidProgram const &program);
  virtual void visitStreamCopyEnd(Program const &program);
  virtual void visitSync(SyncProgram const &program);
  virtual void visitSyncAns(Program const &program);
  virtual void visitSequence(SequenceProgram const &program);
  virtual void visitRepeat(RepeatProgram const &program);
  virtual void visitCall(CallProgram const &program);
  virtual void visitIf(IfProgram const &program);
  virtual void visitSwitch(SwitchProgram const &program);
};

/// A step as it was compiled: all tiles do it between two syncs. Figures are of one execution and
/// of one replica, estimated by the model.
class POP_API Step {
public:
  Step(ReportHandle report, std::uint32_t index) : report_(std::move(report)), index_(index) {}

  std::uint32_t index() const { return index_; }
  std::string type() const; ///< as Program::type
  std::string name() const;
  Program program() const { return Program(report_, index_, true); }
  /// Clock cycles from one step to the next: the slowest tile's, with the step's sync and start.
  std::uint64_t cycles() const;
  std::uint64_t syncCycles() const; ///< part of cycles()
  /// Tiles with something to do, and their cycles, without syncs.
  std::uint64_t activeTiles() const;
  std::uint64_t minCycles() const;
  double meanCycles() const;
  std::uint64_t maxCycles() const;
  /// Mean over maximum, in percent; 100 if no tile has anything to do.
  double tileBalance() const;
  /// Sums over tiles.
  std::uint64_t bytesIn() const;
  std::uint64_t bytesOut() const;
  /// One entry a tile. Read from the file at each call.
  std::vector<std::uint64_t> cyclesByTile() const;
  std::vector<std::uint64_t> bytesInByTile() const;
  std::vector<std::uint64_t> bytesOutByTile() const;

protected:
  ReportHandle report_;
  std::uint32_t index_;
};

} // namespace pva

#endif

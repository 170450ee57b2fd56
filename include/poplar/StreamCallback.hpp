// What a program connects to a stream: a function or an object that is asked for data, or given it.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_STREAMCALLBACK_HPP
#define POPLAR_STREAMCALLBACK_HPP

#include <functional>
#include <memory>
#include <poplar/Quarter.hpp>
#include <type_traits>
#include <utility>

namespace poplar {

/// What all stream callbacks have in common.
class POP_API StreamCallbackBase {
public:
  /// Whether prefetch() filled its buffer.
  enum class Result { Success, NotAvailable };

  virtual ~StreamCallbackBase();
  /// The block of the fetch or prefetch before has been used.
  virtual void complete() = 0;
  /// Blocks that were prefetched will not be used: the next fetch or prefetch must give the same
  /// data again.
  virtual void invalidatePrefetched();
};

/// Data for, or from, one stream. Never called twice at the same time; on the thread that runs the
/// engine, or, with the option streamCallbacks.multiThreadMode = dedicated, on a thread of the
/// stream's own, where complete() and prefetch() run beside the program.
///
/// Host to device, for each Copy: fetch(p) fills the block, then complete(). After complete() the
/// engine may ask ahead with prefetch(p); a block that was prefetched is not fetched again. Device
/// to host: fetch(p) gets the filled block, then complete(). The block is valid during the call
/// only. It holds elements as the device keeps them: HALF as IEEE binary16.
class POP_API StreamCallback : public StreamCallbackBase {
public:
  using Result = StreamCallbackBase::Result;

  ~StreamCallback() override;
  /// Fills the block if data are at hand. Called for host-to-device streams only, perhaps for a
  /// block that is never used.
  virtual Result prefetch(void *p) = 0;
  virtual void fetch(void *p) = 0;
};

/// A callback for a stream of QUARTER elements: it knows the metadata of the block of the last
/// fetch or prefetch. They are not asked for yet: streams move the elements alone, and a program
/// that changes the metadata copies them through a stream to Tensor::getMetadata().
class POP_API StreamCallbackWithMetadata : public StreamCallback {
public:
  ~StreamCallbackWithMetadata() override;
  virtual QuarterMetadata getMetadata() = 0;
};

/// A callback whose fetch() may wait for data that another thread announces.
class POP_API ResumableStreamCallback : public StreamCallback {
public:
  ResumableStreamCallback();
  ~ResumableStreamCallback() override;
  ResumableStreamCallback(ResumableStreamCallback const &) = delete;
  ResumableStreamCallback &operator=(ResumableStreamCallback const &) = delete;

  /// Lets wait() return: the one in progress, or else the next one. Safe from any thread.
  void notify();
  /// Whether some wait() is in progress. Safe from any thread.
  bool isAwaiting() const;

protected:
  void wait();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A callback that has nothing to do but fetch().
class POP_API LegacyStreamCallback : public StreamCallback {
public:
  ~LegacyStreamCallback() override;
  Result prefetch(void *) final { return Result::NotAvailable; }
  void invalidatePrefetched() final {}
  void complete() final {}
};

/// Owns a callback. Made from a unique_ptr to one, or from anything callable as `f(void *)`.
class POP_API StreamCallbackHandle {
public:
  StreamCallbackHandle(std::unique_ptr<StreamCallback> callback);
  template <class Derived,
            class = typename std::enable_if<std::is_base_of<StreamCallback, Derived>::value>::type>
  StreamCallbackHandle(std::unique_ptr<Derived> callback)
      : callback_(std::unique_ptr<StreamCallback>(std::move(callback))) {}
  template <
      class F, class Callable = typename std::decay<F>::type,
      class = typename std::enable_if<!std::is_same<Callable, StreamCallbackHandle>::value>::type,
      class = decltype(std::declval<Callable &>()(std::declval<void *>()))>
  StreamCallbackHandle(F &&f)
      : callback_(std::unique_ptr<StreamCallback>(
            new FunctionCallback<Callable>(Callable(std::forward<F>(f))))) {}
  StreamCallbackHandle(StreamCallbackHandle &&other) noexcept;
  StreamCallbackHandle &operator=(StreamCallbackHandle &&other) noexcept;
  StreamCallbackHandle(StreamCallbackHandle const &) = delete;
  StreamCallbackHandle &operator=(StreamCallbackHandle const &) = delete;
  ~StreamCallbackHandle();

  /// For the engine.
  StreamCallback &operator*() const { return *callback_; }
  StreamCallback *operator->() const { return callback_.get(); }
  explicit operator bool() const { return callback_ != nullptr; }

private:
  /// Wraps what is callable with a void pointer.
  template <class F> class FunctionCallback : public LegacyStreamCallback {
  public:
    explicit FunctionCallback(F f) : f_(std::move(f)) {}
    void fetch(void *p) override { static_cast<void>(f_(p)); }

  private:
    F f_;
  };

  std::unique_ptr<StreamCallback> callback_;
};

} // namespace poplar

#endif

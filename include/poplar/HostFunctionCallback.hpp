// What a program connects to a host function: a function or an object that computes on the host.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_HOSTFUNCTIONCALLBACK_HPP
#define POPLAR_HOSTFUNCTIONCALLBACK_HPP

#include <memory>
#include <poplar/ArrayRef.hpp>
#include <type_traits>
#include <utility>

namespace poplar {

/// The host's side of Call(HostFunction, ...).
class POP_API HostCallback {
public:
  virtual ~HostCallback();
  /// Called once for each Call that runs, on the thread that runs the engine. One pointer for each
  /// argument given to Graph::addHostFunction, to packed elements in row-major order as the device
  /// keeps them (HALF: IEEE binary16), valid during the call. Outputs are zero before it.
  virtual void operator()(ArrayRef<void const *> inputs, ArrayRef<void *> outputs) = 0;
};

/// Owns a callback. Made from a unique_ptr to one, or from anything callable as
/// `f(ArrayRef<void const *>, ArrayRef<void *>)`.
class POP_API HostCallbackHandle {
public:
  HostCallbackHandle(std::unique_ptr<HostCallback> callback);
  template <class Derived,
            class = typename std::enable_if<std::is_base_of<HostCallback, Derived>::value>::type>
  HostCallbackHandle(std::unique_ptr<Derived> callback)
      : callback_(std::unique_ptr<HostCallback>(std::move(callback))) {}
  template <
      class F, class Callable = typename std::decay<F>::type,
      class = typename std::enable_if<!std::is_same<Callable, HostCallbackHandle>::value>::type,
      class = decltype(std::declval<Callable &>()(std::declval<ArrayRef<void const *>>(),
                                                  std::declval<ArrayRef<void *>>()))>
  HostCallbackHandle(F &&f)
      : callback_(std::unique_ptr<HostCallback>(
            new FunctionCallback<Callable>(Callable(std::forward<F>(f))))) {}
  HostCallbackHandle(HostCallbackHandle &&other) noexcept;
  HostCallbackHandle &operator=(HostCallbackHandle &&other) noexcept;
  HostCallbackHandle(HostCallbackHandle const &) = delete;
  HostCallbackHandle &operator=(HostCallbackHandle const &) = delete;
  ~HostCallbackHandle();

  /// For the engine.
  HostCallback &operator*() const { return *callback_; }
  HostCallback *operator->() const { return callback_.get(); }
  explicit operator bool() const { return callback_ != nullptr; }

private:
  /// Wraps what is callable with the two lists.
  template <class F> class FunctionCallback : public HostCallback {
  public:
    explicit FunctionCallback(F f) : f_(std::move(f)) {}
    void operator()(ArrayRef<void const *> inputs, ArrayRef<void *> outputs) override {
      static_cast<void>(f_(inputs, outputs));
    }

  private:
    F f_;
  };

  std::unique_ptr<HostCallback> callback_;
};

} // namespace poplar

#endif

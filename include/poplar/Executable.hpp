// A compiled graph.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_EXECUTABLE_HPP
#define POPLAR_EXECUTABLE_HPP

#include <memory>

namespace cottonwood {
namespace lower {
struct ExecutableData; // impl/lower/ExecutableData.hpp
} // namespace lower
} // namespace cottonwood

namespace poplar {

/// Graph and programs compiled for one target (compileGraph). Immutable: a cheap handle that may be
/// copied and used for any number of engines. A default-constructed one is empty and can only be
/// assigned to.
class POP_API Executable {
public:
  Executable();
  explicit Executable(std::shared_ptr<cottonwood::lower::ExecutableData const> data);
  Executable(Executable const &other);
  Executable(Executable &&other) noexcept;
  Executable &operator=(Executable const &other);
  Executable &operator=(Executable &&other) noexcept;
  ~Executable();

  /// For the library.
  std::shared_ptr<cottonwood::lower::ExecutableData const> const &data() const noexcept {
    return data_;
  }

private:
  std::shared_ptr<cottonwood::lower::ExecutableData const> data_;
};

} // namespace poplar

#endif

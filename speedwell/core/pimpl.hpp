// Pimpl: the hidden members of a class.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace speedwell::core {

/// Sole owner of a T that only the source file of a class defines. T may be incomplete where the class is moved or
/// destroyed, so that the class needs no destructor and no move functions of its own: those that the compiler makes
/// are right. It cannot be copied. After a move the source owns nothing, and may only be assigned to or destroyed.
template <class T>
class Pimpl {
 public:
  /// Owns nothing.
  Pimpl() : object_(nullptr, [](T*) {}) {}
  /// Takes over `object`, of T or of a class derived from it that is destroyed as a T. T must be complete here.
  template <class U>
  requires std::is_convertible_v<U*, T*> Pimpl(std::unique_ptr<U> object)
      : object_(object.release(), [](T* owned) { delete owned; }) {}

  T* operator->() const { return object_.get(); }
  T& operator*() const { return *object_; }
  T* get() const { return object_.get(); }

 private:
  std::unique_ptr<T, void (*)(T*)> object_;
};

}  // namespace speedwell::core

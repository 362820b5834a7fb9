#pragma once

#include <memory>
#include <utility>

namespace tacit::detail {

/// Converts between public objects and their implementations.
struct Access {
  template <class T>
  static const auto& impl(const T& object) {
    return *object.impl_;
  }
  /// Makes an object of a class whose implementation has one form.
  template <class T, class... Parts>
  static T make(Parts&&... parts) {
    return T(std::make_shared<const typename T::Impl>(typename T::Impl{std::forward<Parts>(parts)...}));
  }
  /// Makes an object of a class whose implementation has a form for every scheme.
  template <class T, class Form>
  static T wrap(std::shared_ptr<Form> form) {
    return T(std::move(form));
  }
};

}  // namespace tacit::detail

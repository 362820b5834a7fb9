#pragma once

#include <memory>
#include <utility>

namespace tacit::detail {

/// The way in and out of the public classes.
struct Access {
  template <class T>
  static const auto& impl(const T& object) {
    return *object.impl_;
  }
  /// Of classes with one form of what stands behind them.
  template <class T, class... Parts>
  static T make(Parts&&... parts) {
    return T(std::make_shared<const typename T::Impl>(typename T::Impl{std::forward<Parts>(parts)...}));
  }
  /// Of classes with a form for every scheme.
  template <class T, class Form>
  static T wrap(std::shared_ptr<Form> form) {
    return T(std::move(form));
  }
};

}  // namespace tacit::detail

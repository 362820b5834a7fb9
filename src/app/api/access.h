#pragma once

#include <memory>
#include <utility>

namespace tacit::detail {

/// The way in and out of the public classes.
struct Access {
  template <class T>
  static const typename T::Impl& impl(const T& object) {
    return *object.impl_;
  }
  template <class T, class... Parts>
  static T make(Parts&&... parts) {
    return T(std::make_shared<const typename T::Impl>(typename T::Impl{std::forward<Parts>(parts)...}));
  }
};

}  // namespace tacit::detail

#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace tacit::detail {

struct Access;

/// A public object. Copies share the implementation, so that they cost next to nothing. Only the library knows the
/// implementation, and makes objects from it.
template <class Inside>
class Handle {
 protected:
  using Impl = std::remove_const_t<Inside>;
  explicit Handle(std::shared_ptr<Inside> inside) : impl_(std::move(inside)) {}

  std::shared_ptr<Inside> impl_;

  friend struct Access;
};

}  // namespace tacit::detail

#pragma once

#include <pybind11/pybind11.h>
#include <tacit/sink.h>
#include <tacit/source.h>

#include <functional>

namespace tacit::app::python {

/// A contiguous buffer of Python, such as bytes, bytearray or memoryview. Python keeps the memory in place as long as
/// the object exists. Throws TypeError for other objects. Is made and destroyed with or without the GIL held.
class HeldBuffer {
 public:
  explicit HeldBuffer(const pybind11::handle& object);
  ~HeldBuffer();
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;

  std::span<const std::byte> bytes() const;

 private:
  Py_buffer view_{};
};

/// Returns a source of Python's memory, without a copy.
Source source_of(const pybind11::handle& buffer, std::string name = "the given bytes");

/// Returns what `save` writes, as bytes. The bytes are written into the object, without a copy. `save` runs without the
/// GIL.
pybind11::bytes saved_bytes(const std::function<void(const Sink&)>& save);
/// The same for a secret, as a bytearray, which its owner can overwrite.
pybind11::bytearray saved_secret(const std::function<void(const Sink&)>& save);

/// Adds the classes Source and Sink.
void bind_bytes(pybind11::module_& core);

}  // namespace tacit::app::python

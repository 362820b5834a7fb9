#include "app/python/bytes.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/python/bindings.h"

namespace tacit::app::python {
namespace {

/// Python objects whose last reference may go where the GIL is not held.
template <class Object>
std::shared_ptr<Object> released_with_gil(Object object) {
  return {new Object(std::move(object)), [](Object* held) {
            const py::gil_scoped_acquire gil;
            delete held;
          }};
}

/// Gives the pieces of an iterable. The rest of a piece that is longer than the room waits for the next call.
class Pieces {
 public:
  explicit Pieces(const py::iterable& pieces) : next_(py::iter(pieces)) {}

  std::optional<std::size_t> fill(std::span<std::byte> room) {
    if (rest_.empty()) {
      if (next_ == py::iterator::sentinel()) return std::nullopt;
      piece_ = std::make_unique<const HeldBuffer>(*next_);
      rest_ = piece_->bytes();
      ++next_;
    }
    const std::size_t count = std::min(rest_.size(), room.size());
    std::copy_n(rest_.begin(), count, room.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  py::iterator next_;
  std::unique_ptr<const HeldBuffer> piece_;
  std::span<const std::byte> rest_;
};

Source stream_source(const py::iterable& pieces, std::uint64_t most_bytes, std::optional<std::uint64_t> size,
                     std::string name) {
  Pieces given(pieces);
  return Source::stream([&](std::span<std::byte> room) { return given.fill(room); }, most_bytes, size, std::move(name));
}

Sink stream_sink(py::function write, const std::optional<py::function>& begin) {
  const auto to = released_with_gil(std::move(write));
  Sink::Begin first;
  if (begin)
    first = [from = released_with_gil(*begin)](const SavedFacts& facts) {
      const py::gil_scoped_acquire gil;
      return (*from)(facts.bytes, facts.root).cast<std::uint64_t>();
    };
  // Python may keep a piece, and its memory is the library's: it gets a copy.
  return Sink::stream(
      [to](std::span<const std::byte> piece) {
        const py::gil_scoped_acquire gil;
        (*to)(py::bytes(reinterpret_cast<const char*>(piece.data()), piece.size()));
      },
      std::move(first));
}

/// Saves into an object that `make` makes, and `memory` of it.
template <class Object>
Object saved_in(const std::function<void(const Sink&)>& save, PyObject* (*make)(const char*, Py_ssize_t),
                char* (*memory)(PyObject*)) {
  Object made = py::reinterpret_steal<Object>(make(nullptr, 0));
  const py::gil_scoped_release unlocked;
  save(Sink::memory([&](std::uint64_t bytes) {
    const py::gil_scoped_acquire gil;
    auto* const object = make(nullptr, static_cast<Py_ssize_t>(bytes));
    if (object == nullptr) throw py::error_already_set();
    made = py::reinterpret_steal<Object>(object);
    return std::as_writable_bytes(std::span(memory(object), bytes));
  }));
  return made;
}

}  // namespace

HeldBuffer::HeldBuffer(const py::handle& object) {
  const py::gil_scoped_acquire gil;
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
}

HeldBuffer::~HeldBuffer() {
  const py::gil_scoped_acquire gil;
  PyBuffer_Release(&view_);
}

std::span<const std::byte> HeldBuffer::bytes() const {
  return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
}

Source source_of(const py::handle& buffer, std::string name) {
  const auto held = std::make_shared<const HeldBuffer>(buffer);
  return Source::memory(held->bytes(), std::move(name), held);
}

py::bytes saved_bytes(const std::function<void(const Sink&)>& save) {
  return saved_in<py::bytes>(save, &PyBytes_FromStringAndSize, [](PyObject* made) { return PyBytes_AsString(made); });
}

py::bytearray saved_secret(const std::function<void(const Sink&)>& save) {
  return saved_in<py::bytearray>(save, &PyByteArray_FromStringAndSize,
                                 [](PyObject* made) { return PyByteArray_AsString(made); });
}

void bind_bytes(py::module_& core) {
  py::class_<Source>(core, "Source", "What objects are loaded from: a file, memory or a stream. A path is one.")
      .def(py::init<const Path&>(), arg("path"))
      .def_static(
          "memory", [](const py::object& data, std::string name) { return source_of(data, std::move(name)); },
          arg("data"), arg("name") = "the given bytes",
          "Bytes, a bytearray or a memoryview, which is not copied. `name` stands for it in errors.")
      .def_static(
          "stream", &stream_source, arg("pieces"), arg("most_bytes"), arg("size") = py::none(),
          arg("name") = "the stream",
          "Reads all pieces of an iterable. InputError if they are more than `most_bytes`, or not `size` bytes.");
  py::class_<Sink>(core, "Sink", "What objects are saved to: a file or a stream. A path is one.")
      .def(py::init<const Path&>(), arg("path"))
      .def_static(
          "stream", &stream_sink, arg("write"), arg("begin") = py::none(),
          "Calls write(piece) for all bytes in order, at most 1 MiB at once. If given, begin(size, root) is called "
          "first, and returns the offset from which bytes are wanted.");
  py::implicitly_convertible<Path, Source>();
  py::implicitly_convertible<Path, Sink>();
}

}  // namespace tacit::app::python

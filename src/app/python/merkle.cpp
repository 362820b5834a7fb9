#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <tacit/merkle.h>

#include "app/python/bindings.h"
#include "app/python/work.h"

namespace tacit::app::python {

namespace {

using Paths = std::vector<Path>;

/// The memory of any object with a buffer of contiguous bytes, which may not be changed while this lives.
class Bytes {
 public:
  explicit Bytes(const py::buffer& object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }
  std::span<const std::byte> span() const {
    return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

/// What is made of files, for Python.
template <class Made>
auto of_files(Made (*make)(const Paths&, const MerkleOptions&, Progress&)) {
  return [make](const Paths& files, const std::string& hash, const std::string& leaf, std::uint64_t chunk,
                const py::object& report) {
    return result_of_work(report, [&](Progress& progress) { return make(files, {hash, leaf, chunk}, progress); });
  };
}

}  // namespace

void bind_merkle(py::module_& core) {
  py::class_<MerkleProof>(core, "MerkleProof", "That leaves stand in a tree, or that a tree extends an older one.")
      .def_static(
          "parse", [](const py::bytes& content) { return MerkleProof::parse(std::string_view(content)); },
          arg("content"))
      .def_static("load", &MerkleProof::load, arg("path"))
      .def("save", &MerkleProof::save, arg("path"))
      .def("to_bytes", [](const MerkleProof& proof) { return py::bytes(proof.bytes()); })
      .def_property_readonly("json", &MerkleProof::json)
      .def_property_readonly("is_extension", &MerkleProof::is_extension)
      .def_property_readonly("leaves", &MerkleProof::leaves)
      .def_property_readonly("indices", &MerkleProof::indices)
      .def(
          "verify",
          [](const MerkleProof& proof, const std::string& root, const std::vector<std::string>& chunks,
             const std::string& hash) { proof.verify(root, chunks, hash); },
          arg("root"), arg("chunks"), arg("hash"), Unlocked())
      .def("verify_extension", &MerkleProof::verify_extension, arg("old_root"), arg("root"), arg("hash"), Unlocked());

  const py::kw_only named;
  py::class_<MerkleTree>(core, "MerkleTree", "A Merkle tree in memory.")
      .def_static(
          "of_bytes",
          [](const py::buffer& data, const std::string& hash, const std::string& leaf, std::uint64_t chunk,
             const py::object& report) {
            const Bytes bytes(data);
            return result_of_work(report, [&](Progress& progress) {
              return MerkleTree::of_bytes(bytes.span(), {hash, leaf, chunk}, progress);
            });
          },
          arg("data"), named, arg("hash"), arg("leaf"), arg("chunk"), arg("report"))
      .def_static("of_files", of_files(&MerkleTree::of_files), arg("files"), named, arg("hash"), arg("leaf"),
                  arg("chunk"), arg("report"))
      .def_property_readonly("root", &MerkleTree::root)
      .def_property_readonly("leaves", &MerkleTree::leaves)
      .def(
          "extended",
          [](const MerkleTree& tree, const py::buffer& data, const py::object& report) {
            const Bytes bytes(data);
            return result_of_work(report, [&](Progress& progress) { return tree.extended(bytes.span(), progress); });
          },
          arg("data"), arg("report"))
      .def("prove", &MerkleTree::prove, arg("indices"))
      .def("prove_extension", &MerkleTree::prove_extension, arg("old_leaves"));
  core.def("merkle_root", of_files(&merkle_root), arg("files"), named, arg("hash"), arg("leaf"), arg("chunk"),
           arg("report"));
}

}  // namespace tacit::app::python

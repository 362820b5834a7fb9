#include "app/python/tiles.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <string>

#include "app/python/arrays.h"
#include "app/python/bindings.h"
#include "app/python/bytes.h"

namespace tacit::app::python {
namespace {

using tile::Sizes;

/// What encrypt() takes of an array: its sizes and its elements.
struct Dense {
  explicit Dense(const Array& array)
      : sizes(array.shape(), array.shape() + array.ndim()), elements(elements_of(array)) {}
  Sizes sizes;
  std::vector<double> elements;
};

void bind_shape(py::module_& tiles) {
  py::class_<tile::Shape>(tiles, "Shape",
                          "How a tensor is cut into tiles: one brace a dimension, '{rows 10|4}{copy 64}'.")
      .def(py::init<std::string_view>(), arg("text"))
      .def("sizes", &tile::Shape::sizes)
      .def("tiles", &tile::Shape::tiles)
      .def("slots", &tile::Shape::slots)
      .def("with_replicated", &tile::Shape::with_replicated, arg("dim"), "One value in all places of a dimension.")
      .def(
          "__eq__", [](const tile::Shape& a, const tile::Shape& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const tile::Shape& shape) { return py::hash(py::str(shape.to_string())); })
      .def("__reduce__",
           [](const tile::Shape& shape) {
             return py::make_tuple(py::type::of<tile::Shape>(), py::make_tuple(shape.to_string()));
           })
      .def("__str__", &tile::Shape::to_string)
      .def("__repr__", [](const tile::Shape& shape) { return "Shape('" + shape.to_string() + "')"; });
  py::implicitly_convertible<py::str, tile::Shape>();
  py::class_<tile::Fold>(tiles, "Fold", "How a sum within tiles goes.")
      .def(py::init([](bool all_places, int hoist) {
             return tile::Fold{all_places, hoist};
           }),
           arg("all_places") = false, arg("hoist") = 1)
      .def_readonly("all_places", &tile::Fold::all_places, "Over every place of a tile, those that hold nothing too.")
      .def_readonly("hoist", &tile::Fold::hoist, "2^hoist places at a time.")
      .def("__reduce__",
           [](const tile::Fold& fold) {
             return py::make_tuple(py::type::of<tile::Fold>(), py::make_tuple(fold.all_places, fold.hoist));
           })
      .def("__repr__", [](const tile::Fold& fold) {
        return "Fold(all_places=" + std::string(fold.all_places ? "True" : "False") +
               ", hoist=" + std::to_string(fold.hoist) + ")";
      });
}

void bind_session(py::module_& tiles) {
  py::class_<tile::Cost>(tiles, "Cost", "What the work of a cost session took.")
      .def_readonly("seconds", &tile::Cost::seconds, "By prices.")
      .def_readonly("peak_bytes", &tile::Cost::peak_bytes, "Tensors alive together.")
      .def_readonly("key_bytes", &tile::Cost::key_bytes, "Evaluation keys.")
      .def_readonly("tiles", &tile::Cost::tiles, "Encrypted.")
      .def_readonly("products", &tile::Cost::products)
      .def_readonly("relinearisations", &tile::Cost::relinearisations)
      .def_readonly("rotations", &tile::Cost::rotations);
  py::class_<tile::Session>(tiles, "Session", "One reading of tile arithmetic: in the clear, as costs, or encrypted.")
      .def_static("clear", &tile::Session::clear, arg("requirement"), Unlocked())
      .def_static(
          "rehearsal",
          [](const std::string& requirement, bool insecure) {
            return tile::Session::cost(requirement, permission(insecure));
          },
          arg("requirement"), arg("allow_insecure") = false, Unlocked(),
          "Counts and prices: no keys, no values. Its work names the keys that an encrypted session gets.")
      .def_static(
          "encrypted",
          [](const std::string& requirement, const tile::Session& rehearsal, bool insecure) {
            return tile::Session::encrypted(requirement, rehearsal, permission(insecure));
          },
          arg("requirement"), arg("rehearsal"), arg("allow_insecure") = false, Unlocked())
      .def_static(
          "from_keys",
          [](const std::string& requirement, const std::optional<Source>& secret,
             const std::optional<Source>& evaluation, bool insecure) {
            return tile::Session::from_keys(requirement, secret.value_or(Path()), evaluation.value_or(Path()),
                                            permission(insecure));
          },
          arg("requirement"), arg("secret") = py::none(), arg("evaluation") = py::none(), arg("allow_insecure") = false,
          Unlocked())
      .def("save_keys", &tile::Session::save_keys, arg("secret"), arg("evaluation"), Unlocked())
      .def_property_readonly("slots", &tile::Session::slots)
      .def_property_readonly("max_level", &tile::Session::max_level,
                             "Products in sequence that a fresh tensor can take.")
      .def("cost", [](const tile::Session& session) { return session.cost(); })
      .def(
          "encrypt",
          [](const tile::Session& session, const tile::Shape& shape, const Array& values, int level) {
            const Dense dense(values);
            const py::gil_scoped_release released;
            return tile::encrypt(session, shape, dense.sizes, dense.elements, level);
          },
          arg("shape"), arg("values"), arg("level") = -1,
          "Encrypts an array. A level below the maximum (-1) makes everything that follows cheaper.")
      .def(
          "encrypt_filters",
          [](const tile::Session& session, const tile::Shape& image, const Array& filters, int level) {
            const Dense dense(filters);
            const py::gil_scoped_release released;
            return tile::encrypt_filters(session, image, dense.sizes, dense.elements, level);
          },
          arg("image"), arg("filters"), arg("level") = -1,
          "Filters [filters, channels, rows, columns] in the shape in which they meet images of this shape.")
      .def(
          "plain",
          [](const tile::Session& session, const tile::Shape& shape, const Array& values) {
            const Dense dense(values);
            return tile::Plain(session, shape, dense.sizes, dense.elements);
          },
          arg("shape"), arg("values"), "A tensor that is not encrypted, ready to meet encrypted ones.")
      .def("load", &tile::load, arg("path"), Unlocked());
}

}  // namespace

void bind_tiles(py::module_& core) {
  py::module_ tiles = core.def_submodule("tile", "Tensors cut into ciphertexts.");
  bind_shape(tiles);
  // Classes before the functions that name them in their signatures.
  py::class_<tile::Plain>(tiles, "Plain", "A tensor that is not encrypted.");
  TensorClass tensor(tiles, "Tensor",
                     "An encrypted tensor (in an encrypted session), or what the session makes of one.");
  bind_session(tiles);
  tensor.def_property_readonly("shape", &tile::Tensor::shape)
      .def_property_readonly("level", &tile::Tensor::level, "Products that it can still take.")
      .def_property_readonly("estimated_bytes", &tile::Tensor::estimated_bytes)
      .def(
          "decrypt",
          [](const tile::Tensor& held) {
            std::vector<double> values;
            {
              const py::gil_scoped_release released;
              values = held.decrypt();
            }
            const Sizes sizes = held.shape().sizes();
            return Array(sizes, values.data());
          },
          "Its elements, for the owner of the key.")
      .def("save", &tile::save, arg("path"), Unlocked())
      .def(
          "to_bytes",
          [](const tile::Tensor& self) { return saved_bytes([&](const Sink& sink) { tile::save(self, sink); }); },
          "The bytes that save() writes.")
      .def("__repr__", [](const tile::Tensor& held) {
        return "<tacit.tile.Tensor " + held.shape().to_string() + ", level " + std::to_string(held.level()) + ">";
      });
  bind_tile_operators(tensor);
  bind_tile_computations(tiles);
}

}  // namespace tacit::app::python

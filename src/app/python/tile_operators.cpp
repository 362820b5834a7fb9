#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <string>

#include "app/python/arrays.h"
#include "app/python/tiles.h"

namespace tacit::app::python {
namespace {

using tile::Fold;
using tile::Plain;
using tile::Shape;
using tile::Sizes;
using tile::Tensor;

/// The dimension that a @ b sums over: the one along which both have several elements.
int contracted_dimension(const Shape& a, const Shape& b) {
  const Sizes left = a.sizes(), right = b.sizes();
  std::string found;
  int dim = -1, count = 0;
  for (std::size_t d = 0; d < std::min(left.size(), right.size()); ++d)
    if (left[d] > 1 && right[d] > 1) {
      found += (count++ > 0 ? " and " : "") + std::to_string(d);
      dim = static_cast<int>(d);
    }
  if (count != 1)
    throw InputError("a @ b sums over the one dimension along which both have several elements; " + a.to_string() +
                     " and " + b.to_string() + (count == 0 ? " have none such" : " have dimensions " + found) +
                     ": say which with a.multiply_sum(b, dim)");
  return dim;
}

/// A matrix from the left: the elements of the result follow each other in tiles of one dimension.
Tensor matrix_from_the_left(const Tensor& a, const Array& matrix) {
  if (matrix.ndim() != 2)
    throw InputError("matrix @ tensor takes a matrix, and this array has " + std::to_string(matrix.ndim()) +
                     " dimensions");
  const Shape target("{" + std::to_string(matrix.shape(0)) + "|" + std::to_string(a.shape().slots()) + "}");
  const std::vector<double> elements = elements_of(matrix);
  const py::gil_scoped_release released;
  return tile::matrix_times(elements, a, target);
}

void bind_arithmetic(TensorClass& tensor) {
  const auto operators = [&](const char* name, const char* reflected, auto tensors, auto plains, auto numbers) {
    tensor.def(name, tensors, py::is_operator(), Unlocked());
    tensor.def(name, plains, py::is_operator(), Unlocked());
    tensor.def(name, numbers, py::is_operator(), Unlocked());
    tensor.def(reflected, plains, py::is_operator(), Unlocked());
    tensor.def(reflected, numbers, py::is_operator(), Unlocked());
  };
  operators(
      "__add__", "__radd__", [](const Tensor& a, const Tensor& b) { return tile::add(a, b); },
      [](const Tensor& a, const Plain& b) { return tile::add(a, b); },
      [](const Tensor& a, double b) { return tile::add(a, b); });
  operators(
      "__mul__", "__rmul__", [](const Tensor& a, const Tensor& b) { return tile::multiply(a, b); },
      [](const Tensor& a, const Plain& b) { return tile::multiply(a, b); },
      [](const Tensor& a, double b) { return tile::multiply(a, b); });
  tensor.def("__sub__", &tile::subtract, py::is_operator(), Unlocked())
      .def(
          "__sub__", [](const Tensor& a, double b) { return tile::add(a, -b); }, py::is_operator(), Unlocked())
      .def(
          "__matmul__",
          [](const Tensor& a, const Tensor& b) {
            return tile::multiply_sum(a, b, contracted_dimension(a.shape(), b.shape()));
          },
          py::is_operator(), Unlocked())
      .def("__rmatmul__", &matrix_from_the_left, py::is_operator());
  // NumPy leaves operators with an array on the left to this class.
  tensor.attr("__array_ufunc__") = py::none();
}

}  // namespace

void bind_tile_operators(TensorClass& tensor) {
  bind_arithmetic(tensor);
  tensor.def("sum", &tile::sum, arg("dim"), arg("fold") = Fold{}, Unlocked(), "Over a dimension without unknowns.")
      .def("multiply_sum", py::overload_cast<const Tensor&, const Tensor&, int, Fold>(&tile::multiply_sum),
           arg("other"), arg("dim"), arg("fold") = Fold{}, Unlocked(),
           "(a * b).sum(dim) with one relinearisation a result.")
      .def("multiply_sum", py::overload_cast<const Tensor&, const Plain&, int, Fold>(&tile::multiply_sum), arg("other"),
           arg("dim"), arg("fold") = Fold{}, Unlocked(), "(a * b).sum(dim) with one relinearisation a result.")
      .def("clear_unknowns", &tile::clear_unknowns, Unlocked(), "Zeros instead of unknowns: one level.")
      .def("replicate", &tile::replicate, arg("dim"), arg("fold") = Fold{}, Unlocked(),
           "One value into all places of a dimension.")
      .def("rotate", &tile::rotate, arg("dim"), arg("steps"), Unlocked(), "Element c + steps moves to c, cyclically.")
      .def("slice", &tile::slice, arg("dim"), arg("begin"), arg("count"), Unlocked())
      .def("concat", &tile::concat, arg("other"), arg("dim"), Unlocked())
      .def("reshard", &tile::reshard, arg("target"), Unlocked(), "The same elements in another shape.")
      .def("sum_into", &tile::sum_into, arg("dim"), arg("target"), Unlocked(),
           "Sum over a dimension straight into another shape: one level.")
      .def(
          "matrix_times",
          [](const Tensor& a, const Array& matrix, const Shape& target) {
            const std::vector<double> elements = elements_of(matrix);
            const py::gil_scoped_release released;
            return tile::matrix_times(elements, a, target);
          },
          arg("matrix"), arg("target"), "A plain matrix [rows, columns] times the elements: one level.")
      .def("convolve", py::overload_cast<const Tensor&, const Tensor&, std::int64_t, Fold>(&tile::convolve),
           arg("filters"), arg("stride") = 1, arg("fold") = Fold{}, Unlocked(),
           "Cross-correlation with filters [filters, channels, rows, columns], without padding: one level.")
      .def(
          "convolve",
          [](const Tensor& image, const Array& filters, std::int64_t stride, Fold fold) {
            const Sizes sizes(filters.shape(), filters.shape() + filters.ndim());
            const std::vector<double> elements = elements_of(filters);
            const py::gil_scoped_release released;
            return tile::convolve(image, sizes, elements, stride, fold);
          },
          arg("filters"), arg("stride") = 1, arg("fold") = Fold{},
          "Cross-correlation with filters [filters, channels, rows, columns], without padding: one level.");
}

}  // namespace tacit::app::python

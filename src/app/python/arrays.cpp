#include "app/python/arrays.h"

#include <tacit/error.h>

#include <algorithm>
#include <string>

namespace tacit::app::python {

std::vector<Tensors> rows_of(const std::vector<Array>& arrays) {
  if (arrays.empty()) return {};
  for (const Array& array : arrays) {
    if (array.ndim() != 2) throw InputError("an array of rows has two dimensions, not " + std::to_string(array.ndim()));
    if (array.shape(0) != arrays.front().shape(0))
      throw InputError("one input has " + std::to_string(arrays.front().shape(0)) + " rows and another " +
                       std::to_string(array.shape(0)) + ": give as many of each");
  }
  std::vector<Tensors> rows(static_cast<std::size_t>(arrays.front().shape(0)));
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (const Array& array : arrays) {
      const auto width = static_cast<std::size_t>(array.shape(1));
      const double* first = array.data() + row * width;
      rows[row].emplace_back(first, first + width);
    }
  return rows;
}

std::vector<Array> arrays_of(const std::vector<Tensors>& rows) {
  std::vector<Array> arrays;
  if (rows.empty()) return arrays;
  for (std::size_t output = 0; output < rows.front().size(); ++output) {
    const std::size_t width = rows.front()[output].size();
    Array array({rows.size(), width});
    double* to = array.mutable_data();
    for (const Tensors& row : rows) to = std::copy(row.at(output).begin(), row.at(output).end(), to);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<double> elements_of(const Array& array) { return {array.data(), array.data() + array.size()}; }

}  // namespace tacit::app::python

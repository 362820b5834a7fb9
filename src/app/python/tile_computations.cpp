#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <string>

#include "app/python/errors.h"
#include "app/python/tiles.h"

namespace tacit::app::python {
namespace {

using tile::PlanRequest;
using tile::Tensor;

PlanRequest::Objective objective_of(const std::string& name) {
  if (name == "latency") return PlanRequest::Objective::latency;
  if (name == "throughput") return PlanRequest::Objective::throughput;
  if (name == "memory") return PlanRequest::Objective::memory;
  throw InputError("objective '" + name + "' is none of 'latency', 'throughput' and 'memory'");
}

/// What a function of the caller's returned, as the type that is needed.
template <class Result>
Result returned_as(const py::object& returned, const char* wanted) {
  try {
    return returned.cast<Result>();
  } catch (const py::cast_error&) {
    const auto found = py::type::of(returned).attr("__name__").cast<std::string>();
    throw py::type_error(fmt::format("the function returned a value of type {}, and {} is needed", found, wanted));
  }
}

tile::Plan plan_packing(const std::string& requirement, int dims, const py::function& batch,
                        const std::string& objective, std::optional<double> latency, std::optional<double> memory,
                        int stages) {
  const PlanRequest request{objective_of(objective), latency, memory, stages};
  const py::gil_scoped_release released;
  return tile::plan(
      requirement, dims, request, [&](const tile::Session& session, const tile::Sizes& extents, tile::Fold fold) {
        const py::gil_scoped_acquire held;
        return with_input_errors(
            [&] { return returned_as<std::int64_t>(batch(session, extents, fold), "a number of items"); });
      });
}

/// Tensors that a function of the caller's returns: one, or a sequence of them.
std::vector<Tensor> tensors_of(const py::object& returned) {
  if (py::isinstance<Tensor>(returned)) return {returned.cast<Tensor>()};
  return returned_as<std::vector<Tensor>>(returned, "a tensor or a list of tensors");
}

CompiledModel record(const std::string& requirement, const std::string& name, const py::function& computation,
                     bool allow_insecure) {
  const py::gil_scoped_release released;
  return tile::record(
      requirement, name,
      [&](const tile::Session& session) {
        const py::gil_scoped_acquire held;
        return with_input_errors([&] { return tensors_of(computation(session)); });
      },
      permission(allow_insecure));
}

tile::Comparison validate(const std::string& name, const Tensor& result, const py::function& made_by,
                          const std::vector<Tensor>& tensors, const std::vector<tile::Plain>& plains,
                          std::int64_t length, double epsilon) {
  const py::gil_scoped_release released;
  return tile::validate(
      name, result, tensors, plains,
      [&](const std::vector<Tensor>& in_the_clear, const std::vector<tile::Plain>& messages) {
        const py::gil_scoped_acquire held;
        py::list operands;
        for (const Tensor& tensor : in_the_clear) operands.append(tensor);
        for (const tile::Plain& plain : messages) operands.append(plain);
        return with_input_errors([&] { return returned_as<Tensor>(made_by(*operands), "a tensor"); });
      },
      length, epsilon);
}

}  // namespace

void bind_tile_computations(py::module_& tiles) {
  py::class_<tile::PlannedPacking>(tiles, "PlannedPacking")
      .def_readonly("extents", &tile::PlannedPacking::extents, "Of the tiles, stage by stage.")
      .def_readonly("fold", &tile::PlannedPacking::fold)
      .def_readonly("latency", &tile::PlannedPacking::latency, "Seconds of one batch.")
      .def_readonly("amortised", &tile::PlannedPacking::amortised, "Seconds an item.")
      .def_readonly("memory", &tile::PlannedPacking::memory, "Bytes.")
      .def("__repr__", [](const tile::PlannedPacking& packing) {
        return fmt::format("<{}: {:f} ms>", fmt::join(packing.extents, " x "), packing.latency * 1e3);
      });
  py::class_<tile::Plan>(tiles, "Plan", "The best packings that a search found.")
      .def_readonly("best", &tile::Plan::best, "Up to ten, best first; empty if nothing keeps the bounds.")
      .def_readonly("priced", &tile::Plan::priced)
      .def_readonly("seconds", &tile::Plan::seconds, "That the search took.")
      .def_readonly("exhaustive", &tile::Plan::exhaustive);
  py::class_<tile::Comparison>(tiles, "Comparison", "A tensor beside its operator on decrypted operands.")
      .def_readonly("worst_error", &tile::Comparison::worst_error)
      .def_readonly("mean_error", &tile::Comparison::mean_error)
      .def_readonly("failed", &tile::Comparison::failed)
      .def_readonly("index", &tile::Comparison::index, "Of the first element that is off.")
      .def_readonly("encrypted", &tile::Comparison::encrypted, "That element.")
      .def_readonly("message", &tile::Comparison::message, "What it should be.")
      .def_readonly("text", &tile::Comparison::text, "Empty if nothing failed.");
  tiles.def("plan_packing", &plan_packing, arg("requirement"), arg("dims"), arg("batch"), py::kw_only(),
            arg("objective"), arg("latency"), arg("memory"), arg("stages"));
  tiles.def("record", &record, arg("requirement"), arg("name"), arg("computation"), py::kw_only(),
            arg("allow_insecure"));
  tiles.def("validate", &validate, arg("name"), arg("result"), arg("made_by"), arg("tensors"), arg("plains"),
            arg("length"), arg("epsilon"));
}

}  // namespace tacit::app::python

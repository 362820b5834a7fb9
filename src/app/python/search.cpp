#include "app/python/search.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <tacit/search.h>

#include "app/python/arrays.h"
#include "app/python/work.h"

namespace tacit::app::python {
namespace {

/// Records with memory of their own, so that Python may change its arrays meanwhile.
struct HeldRecords {
  HeldRecords(const Array& array, std::vector<std::int64_t> numbers, const std::string& bytes, std::size_t of_record,
              bool divide)
      : vectors(elements_of(array)), ids(std::move(numbers)), payload(bytes.begin(), bytes.end()) {
    records = {.vectors = vectors,
               .dimensions = array.ndim() == 2 ? static_cast<std::size_t>(array.shape(1)) : 0,
               .ids = ids,
               .payload = payload,
               .payload_bytes = of_record,
               .normalise = divide};
  }
  HeldRecords(const HeldRecords&) = delete;
  HeldRecords& operator=(const HeldRecords&) = delete;
  std::vector<double> vectors;
  std::vector<std::int64_t> ids;
  std::vector<std::uint8_t> payload;
  SearchRecords records;
};

}  // namespace

void bind_search(py::module_& core) {
  py::class_<SearchStore>(core, "SearchStore", "The facts of one version of a store.")
      .def_readonly("version", &SearchStore::version, "Counts from 1.")
      .def_readonly("records", &SearchStore::records, "Deleted ones included.")
      .def_readonly("dimensions", &SearchStore::dimensions)
      .def_readonly("metric", &SearchStore::metric)
      .def_readonly("root", &SearchStore::root, "Merkle root, which commits to every vector.");
  py::class_<SearchHit>(core, "SearchHit", "A record of an answer.")
      .def_readonly("id", &SearchHit::id)
      .def_readonly("record", &SearchHit::record, "Its number in the store.")
      .def_readonly("score", &SearchHit::score);
  core.def(
      "build_search_store",
      [](const Path& folder, const Array& vectors, const std::vector<std::int64_t>& ids, const py::bytes& payload,
         std::size_t payload_bytes, bool normalise, const std::string& metric, double largest_component,
         const py::object& report) {
        const HeldRecords held(vectors, ids, payload, payload_bytes, normalise);
        return result_of_work(report, [&](Progress& progress) {
          return build_search_store(folder, held.records, metric, largest_component, progress);
        });
      },
      arg("folder"), arg("vectors"), py::kw_only(), arg("ids"), arg("payload"), arg("payload_bytes"), arg("normalise"),
      arg("metric"), arg("largest_component"), arg("report"));
  core.def(
      "append_to_search_store",
      [](const Path& folder, const Array& vectors, const std::vector<std::int64_t>& ids, const py::bytes& payload,
         std::size_t payload_bytes, bool normalise, const py::object& report) {
        const HeldRecords held(vectors, ids, payload, payload_bytes, normalise);
        return result_of_work(
            report, [&](Progress& progress) { return append_to_search_store(folder, held.records, progress); });
      },
      arg("folder"), arg("vectors"), py::kw_only(), arg("ids"), arg("payload"), arg("payload_bytes"), arg("normalise"),
      arg("report"));
  core.def(
      "delete_from_search_store",
      [](const Path& folder, const std::vector<std::int64_t>& ids) { return delete_from_search_store(folder, ids); },
      arg("folder"), arg("ids"), Unlocked());
  core.def("search_store", &search_store, arg("folder"), Unlocked());
  core.def(
      "generate_search_keys",
      [](const Path& client, const Path& secret, const Path& evaluation) {
        generate_search_keys({client, secret}, evaluation);
      },
      arg("client"), arg("secret"), arg("evaluation"), Unlocked());
  core.def(
      "ask_scores",
      [](const Path& client, const Path& secret, const Array& queries, std::uint64_t top, const Path& output) {
        const std::vector<double> numbers = elements_of(queries);
        const py::gil_scoped_release unlocked;
        ask_scores({client, secret}, numbers, top, output);
      },
      arg("client"), arg("secret"), arg("queries"), arg("top"), arg("output"));
  core.def(
      "ask_records",
      [](const Path& client, const Path& secret, const std::vector<std::int64_t>& ids, const Path& output) {
        ask_records({client, secret}, ids, output);
      },
      arg("client"), arg("secret"), arg("ids"), arg("output"), Unlocked());
  core.def(
      "answer_questions",
      [](const Path& store, const Path& evaluation, const Path& question, const Path& answer, bool coarse,
         std::uint64_t memory, const py::object& report) {
        return result_of_work(report, [&](Progress& progress) {
          return answer_questions(store, evaluation, question, answer, coarse, memory, progress);
        });
      },
      arg("store"), arg("evaluation"), arg("question"), arg("answer"), py::kw_only(), arg("coarse"), arg("memory"),
      arg("report"));
  core.def(
      "read_scores",
      [](const Path& client, const Path& secret, const Path& question, const Path& answer) {
        return read_scores({client, secret}, question, answer);
      },
      arg("client"), arg("secret"), arg("question"), arg("answer"), Unlocked());
  core.def(
      "query_store",
      [](const Path& store, const Array& queries, std::uint64_t top) {
        const std::vector<double> numbers = elements_of(queries);
        const py::gil_scoped_release unlocked;
        return query_store(store, numbers, top);
      },
      arg("store"), arg("queries"), arg("top"));
  core.def(
      "read_records",
      [](const Path& client, const Path& secret, const Path& question, const Path& answer) {
        std::vector<std::string> records;
        {
          const py::gil_scoped_release unlocked;
          records = read_records({client, secret}, question, answer);
        }
        return std::vector<py::bytes>(records.begin(), records.end());
      },
      arg("client"), arg("secret"), arg("question"), arg("answer"));
}

}  // namespace tacit::app::python

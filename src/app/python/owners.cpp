#include "app/python/owners.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <tacit/owners.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/python/arrays.h"
#include "app/python/bytes.h"
#include "app/python/work.h"

namespace tacit::app::python {
namespace {

using Named = std::vector<std::pair<std::string, Source>>;

std::vector<NamedKey> keys_of(const Named& named) {
  std::vector<NamedKey> keys;
  for (const auto& [name, key] : named) keys.push_back({name, key});
  return keys;
}

void bind_group(py::module_& core) {
  core.def(
      "make_owner_key",
      [](const Source& client, const Sink& secret, const Sink& public_half, bool allow_insecure) {
        make_owner_key(client, secret, public_half, permission(allow_insecure));
      },
      arg("client"), arg("secret"), arg("public_half"), arg("allow_insecure"), Unlocked());
  core.def(
      "propose_group",
      [](const Source& client, const Named& owners, int threshold, const Named& receivers, double statistical_bits,
         double decryptions, const Sink& group, bool allow_insecure) {
        propose_group(client, {keys_of(owners), threshold, keys_of(receivers), statistical_bits, decryptions}, group,
                      permission(allow_insecure));
      },
      arg("client"), arg("owners"), arg("threshold"), arg("receivers"), arg("statistical_bits"), arg("decryptions"),
      arg("group"), arg("allow_insecure"), Unlocked());
  core.def(
      "agree_group",
      [](const Source& client, const Source& proposed, const std::vector<Source>& commitments, const Sink& agreed) {
        agree_group(client, proposed, commitments, agreed);
      },
      arg("client"), arg("proposed"), arg("commitments"), arg("agreed"), Unlocked());
}

void bind_owner(py::module_& core) {
  py::class_<GroupOwner>(core, "GroupOwner", "One owner of a group.")
      .def(py::init([](const Source& client, const Source& group, const Source& secret, bool allow_insecure) {
             const py::gil_scoped_release unlocked;
             return GroupOwner(client, group, secret, permission(allow_insecure));
           }),
           arg("client"), arg("group"), arg("secret"), arg("allow_insecure"))
      .def(
          "commit",
          [](const GroupOwner& owner, const Sink& to, std::uint64_t memory, const py::object& report) {
            work(report, [&](Progress& progress) { owner.commit(to, progress, memory); });
          },
          arg("to"), arg("memory"), arg("report"))
      .def(
          "first_part",
          [](const GroupOwner& owner, const Sink& to, std::uint64_t memory, const py::object& report) {
            work(report, [&](Progress& progress) { owner.first_part(to, progress, memory); });
          },
          arg("to"), arg("memory"), arg("report"))
      .def(
          "second_part",
          [](const GroupOwner& owner, const std::vector<Source>& first, const Sink& to, const py::object& report) {
            work(report, [&](Progress& progress) { owner.second_part(first, to, progress); });
          },
          arg("first"), arg("to"), arg("report"))
      .def(
          "share",
          [](const GroupOwner& owner, const Source& results, const Source& receiver, const Sink& to,
             const std::vector<Source>& receipts, const std::vector<Path>& signers, const py::object& report) {
            return result_of_work(report, [&](Progress& progress) {
              return owner.share(results, receiver, to, receipts, signers, progress);
            });
          },
          arg("results"), arg("receiver"), arg("to"), arg("receipts"), arg("signers"), arg("report"));
}

}  // namespace

void bind_owners(py::module_& core) {
  bind_group(core);
  bind_owner(core);
  core.def(
      "combine_keys",
      [](const Source& client, const Source& group, const std::vector<Source>& parts, const Sink& public_key,
         const Sink& evaluation, const py::object& report) {
        work(report, [&](Progress& progress) { combine_keys(client, group, parts, public_key, evaluation, progress); });
      },
      arg("client"), arg("group"), arg("parts"), arg("public_key"), arg("evaluation"), arg("report"));
  core.def(
      "encrypt_only",
      [](const Source& client, const Source& public_key, const std::vector<std::string>& names,
         const std::vector<Array>& inputs, const Sink& to, bool allow_insecure, const py::object& report) {
        const std::vector<Tensors> rows = rows_of(inputs);
        work(report, [&](Progress& progress) {
          encrypt_only(client, public_key, names, rows, to, progress, permission(allow_insecure));
        });
      },
      arg("client"), arg("public_key"), arg("names"), arg("inputs"), arg("to"), arg("allow_insecure"), arg("report"));
  core.def(
      "combine_questions",
      [](const Source& client, const std::vector<Source>& parts, const Sink& to, const std::optional<Source>& group,
         const py::object& report) {
        work(report,
             [&](Progress& progress) { combine_questions(client, parts, to, group.value_or(Source{}), progress); });
      },
      arg("client"), arg("parts"), arg("to"), arg("group"), arg("report"));
  core.def(
      "combine_shares",
      [](const Source& client, const Source& group, const Source& results, const Source& receiver,
         const std::vector<Source>& shares, const Sink& to, const py::object& report) {
        work(report,
             [&](Progress& progress) { combine_shares(client, group, results, receiver, shares, to, progress); });
      },
      arg("client"), arg("group"), arg("results"), arg("receiver"), arg("shares"), arg("to"), arg("report"));
  core.def(
      "decrypt_shared",
      [](const Source& client, const Source& secret, const Source& results, const std::optional<Source>& question) {
        std::vector<Tensors> rows;
        {
          const py::gil_scoped_release unlocked;
          rows = decrypt_shared(client, secret, results, question.value_or(Source{}));
        }
        return arrays_of(rows);
      },
      arg("client"), arg("secret"), arg("results"), arg("question"));
}

}  // namespace tacit::app::python

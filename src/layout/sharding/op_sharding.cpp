#include "layout/sharding/op_sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>
#include <vector>

#include "base/error.h"
#include "layout/text_cursor.h"

namespace tacit::layout {
namespace {

void put(std::map<int, ArraySharding>& shardings, const char* what, int index, ArraySharding sharding,
         const Mesh& mesh) {
  if (index < 0) base::refuse("operator sharding: {} {}; count from 0", what, index);
  if (sharding.mesh() != mesh)
    base::refuse(
        "operator sharding: {} {} lies on mesh {} and the operator runs on {}; reshard it to the operator's mesh", what,
        index, sharding.mesh().to_string(), mesh.to_string());
  shardings.insert_or_assign(index, std::move(sharding));
}

const ArraySharding& at(const std::map<int, ArraySharding>& shardings, const char* what, int index) {
  const auto found = shardings.find(index);
  if (found != shardings.end()) return found->second;
  base::refuse("operator sharding: nothing is known of {} {}; known are [{}]", what, index,
               fmt::join(shardings | std::views::keys, ", "));
}

std::string specs(const std::map<int, ArraySharding>& shardings) {
  std::vector<std::string> texts;
  for (const auto& [index, sharding] : shardings) texts.push_back(fmt::format("{}: {}", index, sharding.spec_text()));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

/// {0: {-1, y}, 1: {y, -1}}
std::map<int, ArraySharding> read_specs(TextCursor& reader, const Mesh& mesh) {
  constexpr Index kMostOperands = 1 << 16;
  std::map<int, ArraySharding> result;
  reader.list("{", ",", "}", [&] {
    const Index index = reader.number();
    if (index >= kMostOperands) reader.fail("expected the position of an operand");
    reader.expect(":");
    if (!result.emplace(static_cast<int>(index), ArraySharding::read_spec(reader, mesh)).second)
      reader.fail(fmt::format("operand {} comes twice", index));
  });
  return result;
}

}  // namespace

OpSharding OpSharding::parse(std::string_view text) {
  TextCursor reader("operator sharding", text);
  OpSharding result(Mesh::read_named(reader));
  reader.expect("inputs=");
  result.inputs_ = read_specs(reader, result.mesh_);
  reader.expect("outputs=");
  result.outputs_ = read_specs(reader, result.mesh_);
  reader.expect_end();
  return result;
}

void OpSharding::set_input(int index, ArraySharding sharding) {
  put(inputs_, "input", index, std::move(sharding), mesh_);
}
void OpSharding::set_output(int index, ArraySharding sharding) {
  put(outputs_, "output", index, std::move(sharding), mesh_);
}
const ArraySharding& OpSharding::input(int index) const { return at(inputs_, "input", index); }
const ArraySharding& OpSharding::output(int index) const { return at(outputs_, "output", index); }

std::string OpSharding::to_string() const {
  return fmt::format("mesh={} inputs={} outputs={}", mesh_.to_string(), specs(inputs_), specs(outputs_));
}

}  // namespace tacit::layout

#include "graph/serialize.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <utility>

#include "base/byte_fields.h"
#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/limits.h"
#include "graph/reference/run.h"

namespace tacit::graph {
namespace {

using base::ByteReader;
using base::ByteWriter;
using base::Of;

constexpr std::uint32_t kFormat = 0x54435003;  // "TCP" and the version
constexpr std::size_t kLongestText = 1 << 16;
constexpr std::int64_t kMostTensors = std::int64_t{1} << 24, kAnyInteger = std::numeric_limits<std::int64_t>::max();
/// Least bytes of an item: what a count may promise for the bytes that are left. A text without a letter has four.
constexpr std::size_t kTextBytes = 4, kIdBytes = 8, kRealBytes = 8, kInfoBytes = kTextBytes + 19, kConstantBytes = 25,
                      kNodeBytes = 2 * kTextBytes + 24, kAttributeBytes = kTextBytes + 5,
                      kClientNodeBytes = 2 * kTextBytes + 9;
constexpr const char* kUnknownType = "a tensor has an unknown type";

template <class Fields>
void fields(Fields& f, Of<Fields, std::int64_t>& value) {
  f.integer(value, -kAnyInteger - 1, kAnyInteger, "an integer");
}

/// Reals of a model may be infinite or no number (what an Imputer replaces).
template <class Fields>
void fields(Fields& f, Of<Fields, double>& value) {
  f.by(
      value, [](ByteWriter& to, double real) { to.u64(std::bit_cast<std::uint64_t>(real)); },
      [](ByteReader& from) { return std::bit_cast<double>(from.u64()); });
}

template <class Fields>
void fields(Fields& f, Of<Fields, std::string>& value) {
  f.by(
      value, [](ByteWriter& to, const std::string& text) { to.text(text); },
      [](ByteReader& from) { return from.text(kLongestText); });
}

template <class Fields>
void fields(Fields& f, Of<Fields, std::vector<std::int64_t>>& values) {
  f.indices(values);
}

template <class Fields>
void fields(Fields& f, Of<Fields, std::vector<double>>& values) {
  f.list(values, kRealBytes, [&](auto& value) { fields(f, value); });
}

template <class Fields>
void fields(Fields& f, Of<Fields, std::vector<std::string>>& values) {
  f.list(values, kTextBytes, [&](auto& value) { fields(f, value); });
}

template <class Fields>
void shape_fields(Fields& f, Of<Fields, Shape>& shape) {
  f.indices(shape);
  if constexpr (Fields::reads) element_count(shape);  // refuses too many
}

void check(const ByteReader& in, const Tensor& constant) {
  if (element_count(constant.shape) != constant.size()) in.fail("a constant does not fill its shape");
  if (constant.texts.empty()) return;
  for (const double at : constant.data)
    if (!(at >= 0 && at < static_cast<double>(constant.texts.size())) ||
        at != static_cast<double>(static_cast<std::size_t>(at)))
      in.fail("a text of a constant is missing");
}

template <class Fields>
void fields(Fields& f, Of<Fields, Tensor>& tensor) {
  shape_fields(f, tensor.shape);
  fields(f, tensor.data);
  f.flag(tensor.integral);
  fields(f, tensor.texts);
  if constexpr (Fields::reads) check(f.from, tensor);
}

template <class Fields>
void fields(Fields& f, Of<Fields, TensorInfo>& info) {
  fields(f, info.name);
  shape_fields(f, info.shape);
  auto kind = static_cast<std::uint8_t>((info.integral ? 1 : 0) | (info.text ? 2 : 0));
  f.by(
      kind, [](ByteWriter& to, std::uint8_t bits) { to.u8(bits); }, [](ByteReader& from) { return from.u8(); });
  f.require(kind <= 2, kUnknownType);
  if constexpr (Fields::reads) {
    info.integral = kind == 1;
    info.text = kind == 2;
  }
  f.choice(info.rounding, FloatFormat::bfloat16, kUnknownType);
  f.choice(info.integers, IntegerType::uint64, kUnknownType);
  f.integer(info.constant, -1, kMostTensors, "the number of a constant");
}

/// Of so many tensors; -1 stands for none.
template <class Fields>
void id_fields(Fields& f, Of<Fields, std::vector<TensorId>>& ids, std::int64_t least, std::size_t tensors) {
  f.list(ids, kIdBytes, [&](auto& id) {
    f.by(
        id, [](ByteWriter& to, TensorId one) { to.i64(one == kNoTensor ? -1 : static_cast<std::int64_t>(one)); },
        [&](ByteReader& from) {
          const auto one = from.i64(least, static_cast<std::int64_t>(tensors) - 1, "the number of a tensor");
          return one < 0 ? kNoTensor : static_cast<TensorId>(one);
        });
  });
}

template <class Fields>
void node_fields(Fields& f, Of<Fields, Node>& node, std::size_t tensors) {
  fields(f, node.op);
  fields(f, node.name);
  id_fields(f, node.inputs, -1, tensors);
  id_fields(f, node.outputs, -1, tensors);
  std::vector<std::pair<std::string, Attribute>> attributes(node.attributes.begin(), node.attributes.end());
  f.list(attributes, kAttributeBytes, [&](auto& named) {
    fields(f, named.first);
    f.alternative(named.second, 0, "an attribute has an unknown type", [&](auto& value) { fields(f, value); });
  });
  if constexpr (Fields::reads)
    for (auto& [name, attribute] : attributes) node.attributes[name] = std::move(attribute);
}

/// Refuses a graph whose parts do not fit together.
void check(const ByteReader& in, const Graph& graph) {
  std::vector<bool> made(graph.tensors.size(), false);
  const auto make = [&](TensorId id) {
    if (made[id]) in.fail(fmt::format("the tensor '{}' is made twice", graph.tensors[id].name));
    made[id] = true;
  };
  std::int64_t elements = 0;  // of all tensors that are no constants
  for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
    const TensorInfo& info = graph.tensors[id];
    if (info.constant >= 0) {
      if (info.constant >= static_cast<std::int64_t>(graph.constants.size())) in.fail("a constant is missing");
      if (graph.constants[static_cast<std::size_t>(info.constant)].shape != info.shape)
        in.fail("a constant has another shape than its tensor");
      made[id] = true;
      continue;
    }
    elements += element_count(info.shape);
    if (elements > kMostActivations)
      in.fail(fmt::format("its tensors up to one of shape {} have {} elements, and {} are the most of a client's part",
                          to_text(info.shape), elements, kMostActivations));
  }
  for (const TensorId id : graph.inputs) make(id);
  for (const Node& node : graph.nodes) {
    if (find_operator(node.op) == nullptr) in.fail(fmt::format("the operator '{}' is not known", node.op));
    for (const TensorId id : node.inputs)
      if (id != kNoTensor && !made[id]) in.fail(fmt::format("node '{}' reads a tensor before it is made", node.name));
    for (const TensorId id : node.outputs)
      if (id != kNoTensor) make(id);
  }
  for (const TensorId id : graph.outputs)
    if (!made[id]) in.fail("nothing makes an output");
}

template <class Fields>
void fields(Fields& f, Of<Fields, Graph>& graph) {
  fields(f, graph.name);
  f.list(graph.tensors, kInfoBytes, [&](auto& info) { fields(f, info); });
  f.list(graph.constants, kConstantBytes, [&](auto& constant) { fields(f, constant); });
  f.list(graph.nodes, kNodeBytes, [&](auto& node) { node_fields(f, node, graph.tensors.size()); });
  id_fields(f, graph.inputs, 0, graph.tensors.size());
  id_fields(f, graph.outputs, 0, graph.tensors.size());
  if constexpr (Fields::reads) check(f.from, graph);
}

/// Refuses kept tensors that are not handed from one part to the other.
void check_kept(const ByteReader& in, const ClientParts& parts) {
  const std::size_t made = parts.before.outputs.size(), read = parts.after.inputs.size();
  if (parts.kept > std::min(made, read)) in.fail("more tensors are kept than there are");
  for (std::size_t i = 1; i <= parts.kept; ++i) {
    const TensorInfo& from = parts.before.tensors[parts.before.outputs[made - i]];
    const TensorInfo& to = parts.after.tensors[parts.after.inputs[read - i]];
    if (from.shape != to.shape || from.text != to.text || from.integral != to.integral)
      in.fail(fmt::format("the kept tensor '{}' is another one after decryption", from.name));
  }
}

template <class Fields>
void fields(Fields& f, Of<Fields, ClientParts>& parts) {
  f.format(kFormat, "these bytes are not a client's part of this version; compile the model again");
  fields(f, parts.before);
  fields(f, parts.after);
  f.list(parts.nodes, kClientNodeBytes, [&](auto& node) {
    fields(f, node.name);
    fields(f, node.op);
    f.flag(node.before);
    fields(f, node.learned);
  });
  auto kept = static_cast<std::int64_t>(parts.kept);
  f.integer(kept, 0, kMostTensors, "the number of kept tensors");
  if constexpr (Fields::reads) {
    parts.kept = static_cast<std::size_t>(kept);
    check_kept(f.from, parts);
  }
}

/// Shapes that the file states and its operators do not make are the file's fault.
void run_on_zeros(const Graph& graph, const ByteReader& in) {
  std::vector<Tensor> zeros;
  for (const TensorId id : graph.inputs) {
    const TensorInfo& info = graph.tensors[id];
    zeros.push_back(
        {info.shape, std::vector<double>(static_cast<std::size_t>(element_count(info.shape))), info.integral});
    if (info.text) zeros.back().texts.emplace_back();
  }
  try {
    reference::run(graph, zeros);
  } catch (const base::InternalError& error) {
    in.fail(error.what());
  }
}

}  // namespace

base::Digest digest(const Graph& graph) {
  base::Sha256 hash;
  const auto add = [&](const auto& part) {
    base::FieldWriter out;
    fields(out, part);
    const std::vector<std::uint8_t> bytes = out.to.take();
    hash.update(std::as_bytes(std::span(bytes)));
  };
  // Constants one by one: all of them are as large as the model.
  for (const Tensor& constant : graph.constants) add(constant);
  add(Graph{graph.name, graph.tensors, {}, graph.nodes, graph.inputs, graph.outputs});
  return hash.finish();
}

std::vector<std::uint8_t> to_bytes(std::span<const Tensor> tensors) {
  base::FieldWriter out;
  const std::vector<Tensor> list(tensors.begin(), tensors.end());
  out.list(list, kConstantBytes, [&](auto& tensor) { fields(out, tensor); });
  return out.to.take();
}

std::vector<Tensor> tensors_from_bytes(std::span<const std::uint8_t> bytes) {
  base::FieldReader in{{bytes, "kept tensors"}};
  std::vector<Tensor> tensors;
  in.list(tensors, kConstantBytes, [&](auto& tensor) { fields(in, tensor); });
  in.from.expect_end();
  return tensors;
}

std::vector<std::uint8_t> to_bytes(const ClientParts& parts) {
  base::FieldWriter out;
  fields(out, parts);
  return out.to.take();
}

ClientParts client_parts_from_bytes(std::span<const std::uint8_t> bytes) {
  base::FieldReader in{{bytes, "the client's part of the model"}};
  ClientParts parts;
  fields(in, parts);
  in.from.expect_end();
  run_on_zeros(parts.before, in.from);
  run_on_zeros(parts.after, in.from);
  return parts;
}

}  // namespace tacit::graph

#include "graph/serialize.h"

#include <fmt/format.h>

#include <bit>

#include "base/byte_stream.h"
#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/limits.h"
#include "graph/reference/run.h"

namespace tacit::graph {
namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::uint32_t kFormat = 0x54435002;  // "TCP" and the version
constexpr std::size_t kLongestText = 1 << 16;
constexpr std::int64_t kMostTensors = std::int64_t{1} << 24;
/// Least bytes of an item: what a count may promise for the bytes that are left. A text without a letter has four.
constexpr std::size_t kTextBytes = 4, kIdBytes = 8, kRealBytes = 8, kInfoBytes = kTextBytes + 19, kConstantBytes = 25,
                      kNodeBytes = 2 * kTextBytes + 24, kAttributeBytes = kTextBytes + 5,
                      kClientNodeBytes = 2 * kTextBytes + 9;

/// Reals of a model may be infinite or no number (what an Imputer replaces).
void write_reals(ByteWriter& out, const std::vector<double>& values) {
  out.u64(values.size());
  for (const double value : values) out.u64(std::bit_cast<std::uint64_t>(value));
}

std::vector<double> read_reals(ByteReader& in) {
  std::vector<double> values(in.count(kRealBytes));
  for (double& value : values) value = std::bit_cast<double>(in.u64());
  return values;
}

void write_texts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.u64(texts.size());
  for (const std::string& text : texts) out.text(text);
}

std::vector<std::string> read_texts(ByteReader& in) {
  std::vector<std::string> texts(in.count(kTextBytes));
  for (std::string& text : texts) text = in.text(kLongestText);
  return texts;
}

Shape read_shape(ByteReader& in) {
  Shape shape = in.indices();
  element_count(shape);
  return shape;
}

void write_tensor(ByteWriter& out, const Tensor& tensor) {
  out.indices(tensor.shape);
  write_reals(out, tensor.data);
  out.u8(tensor.integral ? 1 : 0);
  write_texts(out, tensor.texts);
}

Tensor read_tensor(ByteReader& in) {
  Tensor tensor;
  tensor.shape = read_shape(in);
  tensor.data = read_reals(in);
  tensor.integral = in.u8() != 0;
  tensor.texts = read_texts(in);
  if (element_count(tensor.shape) != tensor.size()) in.fail("a constant does not fill its shape");
  if (!tensor.texts.empty())
    for (const double at : tensor.data)
      if (!(at >= 0 && at < static_cast<double>(tensor.texts.size())) ||
          at != static_cast<double>(static_cast<std::size_t>(at)))
        in.fail("a text of a constant is missing");
  return tensor;
}

struct AttributeWriter {
  ByteWriter& out;
  void operator()(std::int64_t value) const { out.i64(value); }
  void operator()(double value) const { out.u64(std::bit_cast<std::uint64_t>(value)); }
  void operator()(const std::string& value) const { out.text(value); }
  void operator()(const std::vector<std::int64_t>& values) const { out.indices(values); }
  void operator()(const std::vector<double>& values) const { write_reals(out, values); }
  void operator()(const std::vector<std::string>& values) const { write_texts(out, values); }
  void operator()(const Tensor& value) const { write_tensor(out, value); }
};

Attribute read_attribute(ByteReader& in) {
  switch (in.u8()) {
    case 0: return in.i64();
    case 1: return std::bit_cast<double>(in.u64());
    case 2: return in.text(kLongestText);
    case 3: return in.indices();
    case 4: return read_reals(in);
    case 5: return read_texts(in);
    case 6: return read_tensor(in);
    default: in.fail("an attribute has an unknown type");
  }
}

void write_ids(ByteWriter& out, const std::vector<TensorId>& ids) {
  out.u64(ids.size());
  for (const TensorId id : ids) out.i64(id == kNoTensor ? -1 : static_cast<std::int64_t>(id));
}

void write_graph(ByteWriter& out, const Graph& graph) {
  out.text(graph.name);
  out.u64(graph.tensors.size());
  for (const TensorInfo& info : graph.tensors) {
    out.text(info.name);
    out.indices(info.shape);
    out.u8(static_cast<std::uint8_t>((info.integral ? 1 : 0) | (info.text ? 2 : 0)));
    out.u8(static_cast<std::uint8_t>(info.rounding));
    out.u8(static_cast<std::uint8_t>(info.integers));
    out.i64(info.constant);
  }
  out.u64(graph.constants.size());
  for (const Tensor& constant : graph.constants) write_tensor(out, constant);
  out.u64(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    out.text(node.op);
    out.text(node.name);
    write_ids(out, node.inputs);
    write_ids(out, node.outputs);
    out.u64(node.attributes.size());
    for (const auto& [name, attribute] : node.attributes) {
      out.text(name);
      out.u8(static_cast<std::uint8_t>(attribute.index()));
      std::visit(AttributeWriter{out}, attribute);
    }
  }
  write_ids(out, graph.inputs);
  write_ids(out, graph.outputs);
}

class GraphReader {
 public:
  explicit GraphReader(ByteReader& in) : in_(in) {}

  Graph run() {
    graph_.name = in_.text(kLongestText);
    graph_.tensors.resize(in_.count(kInfoBytes));
    for (TensorInfo& info : graph_.tensors) read_info(info);
    graph_.constants.resize(in_.count(kConstantBytes));
    for (Tensor& constant : graph_.constants) constant = read_tensor(in_);
    made_.assign(graph_.tensors.size(), false);
    for (std::size_t id = 0; id < graph_.tensors.size(); ++id) check_constant(id);
    const std::size_t nodes = in_.count(kNodeBytes);
    std::vector<Node> read(nodes);
    for (Node& node : read) read_node(node);
    graph_.inputs = read_ids(false);
    for (const TensorId id : graph_.inputs) make(id);
    for (Node& node : read) check_node(node);
    graph_.nodes = std::move(read);
    graph_.outputs = read_ids(false);
    for (const TensorId id : graph_.outputs)
      if (!made_[id]) in_.fail("nothing makes an output");
    return std::move(graph_);
  }

 private:
  void read_info(TensorInfo& info) {
    info.name = in_.text(kLongestText);
    info.shape = read_shape(in_);
    const std::uint8_t flags = in_.u8();
    if (flags > 2) in_.fail("a tensor has an unknown type");
    info.integral = flags == 1;
    info.text = flags == 2;
    const std::uint8_t rounding = in_.u8();
    if (rounding > static_cast<std::uint8_t>(Rounding::bfloat16)) in_.fail("a tensor has an unknown type");
    info.rounding = static_cast<Rounding>(rounding);
    const std::uint8_t integers = in_.u8();
    if (integers > static_cast<std::uint8_t>(IntegerType::uint64)) in_.fail("a tensor has an unknown type");
    info.integers = static_cast<IntegerType>(integers);
    info.constant = in_.i64(-1, kMostTensors, "the number of a constant");
    if (info.constant >= 0) return;
    elements_ += element_count(info.shape);
    if (elements_ > kMostActivations)
      in_.fail(fmt::format("its tensors up to one of shape {} have {} elements, and {} are the most of a client's part",
                           to_text(info.shape), elements_, kMostActivations));
  }

  void check_constant(std::size_t id) {
    const TensorInfo& info = graph_.tensors[id];
    if (info.constant < 0) return;
    if (info.constant >= static_cast<std::int64_t>(graph_.constants.size())) in_.fail("a constant is missing");
    if (graph_.constants[static_cast<std::size_t>(info.constant)].shape != info.shape)
      in_.fail("a constant has another shape than its tensor");
    made_[id] = true;
  }

  std::vector<TensorId> read_ids(bool optional) {
    std::vector<TensorId> ids;
    const std::size_t count = in_.count(kIdBytes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t id =
          in_.i64(optional ? -1 : 0, static_cast<std::int64_t>(graph_.tensors.size()) - 1, "the number of a tensor");
      ids.push_back(id < 0 ? kNoTensor : static_cast<TensorId>(id));
    }
    return ids;
  }

  void read_node(Node& node) {
    node.op = in_.text(kLongestText);
    node.name = in_.text(kLongestText);
    node.inputs = read_ids(true);
    node.outputs = read_ids(true);
    const std::size_t attributes = in_.count(kAttributeBytes);
    for (std::size_t a = 0; a < attributes; ++a) {
      const std::string name = in_.text(kLongestText);
      node.attributes[name] = read_attribute(in_);
    }
  }

  void make(TensorId id) {
    if (made_[id]) in_.fail(fmt::format("the tensor '{}' is made twice", graph_.tensors[id].name));
    made_[id] = true;
  }

  void check_node(const Node& node) {
    if (find_operator(node.op) == nullptr) in_.fail(fmt::format("the operator '{}' is not known", node.op));
    for (const TensorId id : node.inputs)
      if (id != kNoTensor && !made_[id]) in_.fail(fmt::format("node '{}' reads a tensor before it is made", node.name));
    for (const TensorId id : node.outputs)
      if (id != kNoTensor) make(id);
  }

  ByteReader& in_;
  Graph graph_;
  std::vector<bool> made_;
  std::int64_t elements_ = 0;  ///< of all tensors that are no constants
};

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
  const auto add = [&](ByteWriter& part) {
    const std::vector<std::uint8_t> bytes = part.take();
    hash.update(std::as_bytes(std::span(bytes)));
  };
  // Constants one by one: all of them are as large as the model.
  for (const Tensor& constant : graph.constants) {
    ByteWriter out;
    write_tensor(out, constant);
    add(out);
  }
  ByteWriter out;
  write_graph(out, {graph.name, graph.tensors, {}, graph.nodes, graph.inputs, graph.outputs});
  add(out);
  return hash.finish();
}

std::vector<std::uint8_t> to_bytes(const ClientParts& parts) {
  ByteWriter out;
  out.u32(kFormat);
  write_graph(out, parts.before);
  write_graph(out, parts.after);
  out.u64(parts.nodes.size());
  for (const ClientNode& node : parts.nodes) {
    out.text(node.name);
    out.text(node.op);
    out.u8(node.before ? 1 : 0);
    out.i64(node.learned);
  }
  return out.take();
}

ClientParts client_parts_from_bytes(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes, "the client's part of the model");
  if (in.u32() != kFormat) in.fail("these bytes are not a client's part of this version");
  ClientParts parts;
  parts.before = GraphReader(in).run();
  parts.after = GraphReader(in).run();
  parts.nodes.resize(in.count(kClientNodeBytes));
  for (ClientNode& node : parts.nodes) {
    node.name = in.text(kLongestText);
    node.op = in.text(kLongestText);
    node.before = in.u8() != 0;
    node.learned = in.i64();
  }
  in.expect_end();
  run_on_zeros(parts.before, in);
  run_on_zeros(parts.after, in);
  return parts;
}

}  // namespace tacit::graph

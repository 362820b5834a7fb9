#include <fmt/format.h>

#include "graph/reference/gathered.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// The input as [batch, channels, height, width] with a block size that fits.
std::int64_t block_size(const Call& call) {
  if (call.input(0).shape.size() != 4)
    call.refuse(fmt::format("the input must have four axes, not {}", to_text(call.input(0).shape)));
  return integer_attribute(call.node, "blocksize");
}

/// Whether the position in a block stands before the channel in the depth (DCR) or behind it (CRD).
bool is_depth_first(const Call& call) { return text_attribute(call.node, "mode") == "DCR"; }

std::vector<Tensor> depth_to_space(const Call& call) {
  const Tensor& input = call.input(0);
  const std::int64_t block = block_size(call);
  const std::int64_t channels = input.shape[1] / (block * block);
  if (channels * block * block != input.shape[1])
    call.refuse(fmt::format("{} channels do not split into blocks of {} x {}", input.shape[1], block, block));
  const bool depth_first = is_depth_first(call);
  const auto strides = strides_of(input.shape);
  const Shape shape{input.shape[0], channels, input.shape[2] * block, input.shape[3] * block};
  return {gathered(call, input, shape, 0, [&](const std::vector<std::int64_t>& p) {
    const std::int64_t within = p[2] % block * block + p[3] % block;
    const std::int64_t channel = depth_first ? within * channels + p[1] : p[1] * block * block + within;
    return p[0] * strides[0] + channel * strides[1] + p[2] / block * strides[2] + p[3] / block;
  })};
}

std::vector<Tensor> space_to_depth(const Call& call) {
  const Tensor& input = call.input(0);
  const std::int64_t block = block_size(call);
  if (input.shape[2] % block != 0 || input.shape[3] % block != 0)
    call.refuse(fmt::format("a map {} does not split into blocks of {}", to_text(input.shape), block));
  const bool depth_first = is_depth_first(call);
  const auto strides = strides_of(input.shape);
  const Shape shape{input.shape[0], input.shape[1] * block * block, input.shape[2] / block, input.shape[3] / block};
  return {gathered(call, input, shape, 0, [&](const std::vector<std::int64_t>& p) {
    const std::int64_t within = depth_first ? p[1] / input.shape[1] : p[1] % (block * block);
    const std::int64_t channel = depth_first ? p[1] % input.shape[1] : p[1] / (block * block);
    return p[0] * strides[0] + channel * strides[1] + (p[2] * block + within / block) * strides[2] + p[3] * block +
           within % block;
  })};
}

constexpr AttributeDeclaration kBlocks[] = {required_integer("blocksize", 1, 1 << 15), text("mode", "DCR", "DCR, CRD")};

constexpr Declaration kOperators[] = {
    {"DepthToSpace", depth_to_space, 1, "x", Class::movement, kBlocks, kRowWise},
    {"SpaceToDepth", space_to_depth, 1, "x", Class::movement, kBlocks, kRowWise},
};

}  // namespace

std::span<const Declaration> block_operators() { return kOperators; }

}  // namespace tacit::graph::reference

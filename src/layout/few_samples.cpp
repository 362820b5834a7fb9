#include "layout/few_samples.h"

#include <algorithm>
#include <utility>

#include "layout/map_entries.h"
#include "layout/operators/repeated.h"

namespace tacit::layout {
namespace {

constexpr int kSamples = 0;  // the dimension

bool holds_samples(const Digit& digit) { return digit.dim == kSamples && digit.extent > 1; }

/// True if the places without a sample do not matter to the weights.
bool may_fill_places(const LinearMap& map, Index places) {
  return map.in.shape().front() == places || map.in.fill().front() == Fill::zero ||
         map.out.fill().front() == Fill::unknown;
}

}  // namespace

std::optional<FewSamples::Places> FewSamples::places_of(const Layout& layout, bool innermost) {
  const std::vector<Digit>& within = layout.within();
  if (within.empty() || std::ranges::count_if(within, holds_samples) != 1) return std::nullopt;
  const Digit& digit = innermost ? within.back() : within.front();
  if (!holds_samples(digit) || digit.stride != 1) return std::nullopt;
  Places places{innermost, 1, 1, 1};
  if (innermost) {
    places.within = digit.extent;
  } else {
    for (auto inner = within.begin() + 1; inner != within.end(); ++inner) places.within *= inner->extent;
    if (layout.copies_in_period().size() > 1) return std::nullopt;
  }
  if (!is_power_of_two(places.within)) return std::nullopt;
  bool found = false;
  for (const Digit& across : layout.across()) {
    if (across.dim == kReplica || across.extent == 1) continue;
    if (across.dim != kSamples) {
      if (found) places.inner *= across.extent;
      continue;
    }
    if (found || across.stride != digit.extent) return std::nullopt;
    found = true;
    places.blocks = across.extent;
  }
  return places;
}

Layout FewSamples::few_of(const Layout& layout, const Places& places) {
  Shape shape = layout.shape();
  std::vector<Digit> across = layout.across(), within = layout.within();
  std::erase_if(across, holds_samples);
  if (places.innermost) {
    shape.front() = 1;
    within.pop_back();
  } else {
    shape.front() = within.front().extent = 2;
  }
  return {std::move(shape), std::move(across), std::move(within), layout.fill()};
}

FewSamples::FewSamples(const LinearMap& map, LinearMap few, const Places& in, const Places& out)
    : frame_(frame_of(map)),
      few_(std::move(few)),
      in_(in),
      out_(out),
      inputs_(map.in.ciphertexts()),
      outputs_(map.out.ciphertexts()) {}

std::optional<FewSamples> FewSamples::of(const LinearMap& map) {
  const Shape &in_shape = map.in.shape(), &out_shape = map.out.shape();
  if (in_shape.size() < 2 || out_shape.size() < 2) return std::nullopt;
  const Index samples = in_shape.front();
  if (samples < 2 || out_shape.front() != samples) return std::nullopt;
  for (const bool innermost : {true, false}) {
    const std::optional<Places> in = places_of(map.in, innermost);
    const std::optional<Places> out = in ? places_of(map.out, innermost) : std::nullopt;
    if (!out || !in->alike(*out)) continue;
    const Index in_ciphertext = innermost ? in->within : map.in.slots() / in->within;
    if (!innermost && in_ciphertext * in->blocks == 2) continue;
    if (!may_fill_places(map, in_ciphertext * in->blocks)) continue;
    LinearOperatorPtr op = map.op->equal_part(samples);
    if (!op) return std::nullopt;
    if (!innermost) op = repeated(op, 2);
    return FewSamples(map, {few_of(map.in, *in), few_of(map.out, *out), std::move(op)}, *in, *out);
  }
  return std::nullopt;
}

Index FewSamples::diagonal_of(Index few) const {
  if (in_.innermost) return few * in_.within;
  return (few < in_.within ? few : few - 2 * in_.within) & (frame_.slots - 1);
}

DiagonalSet FewSamples::set_of(const DiagonalSet& few) const {
  DiagonalSet set = frame_;
  for (const Index diagonal : few.diagonals) set.diagonals.insert(diagonal_of(diagonal));
  set.blocks = few.blocks * in_.blocks;
  set.count = few.count;
  set.count.products *= in_.blocks;
  if (few.count.products == 0)
    set.count.density = frame_.count.density;
  else if (!in_.innermost)
    set.count.density *= static_cast<double>(few.slots) / static_cast<double>(set.slots);
  return set;
}

std::size_t FewSamples::size_of(const std::vector<double>& few) const {
  return in_.innermost && few.size() > 1 ? few.size() * static_cast<std::size_t>(in_.within) : few.size();
}

DiagonalSet FewSamples::set_of(const Diagonals& few) const {
  DiagonalSet set = set_of(few.set);
  double held = 0;
  for (const std::vector<DiagonalBlock>& row : few.blocks)
    for (const DiagonalBlock& block : row)
      for (const auto& [diagonal, weights] : block) held += static_cast<double>(size_of(weights));
  if (const auto products = static_cast<double>(few.set.count.products); products > 0)
    set.count.density = held / (products * static_cast<double>(set.slots));
  return set;
}

DiagonalBlock FewSamples::block_of(DiagonalBlock few) const {
  DiagonalBlock block;
  for (auto& [diagonal, weights] : few) {
    std::vector<double>& made = block[diagonal_of(diagonal)];
    const std::size_t size = size_of(weights);
    if (size == weights.size()) {
      made = std::move(weights);
      continue;
    }
    made.reserve(size);
    for (const double weight : weights) made.insert(made.end(), static_cast<std::size_t>(in_.within), weight);
  }
  return block;
}

Index FewSamples::few_output(Index output) const {
  return output / (out_.inner * out_.blocks) * out_.inner + output % out_.inner;
}

std::vector<DiagonalBlock> FewSamples::blocks_of(Index output, std::vector<DiagonalBlock> few) const {
  const Index block = output / out_.inner % out_.blocks;
  std::vector<DiagonalBlock> blocks(static_cast<std::size_t>(inputs_));
  for (std::size_t i = 0; i < few.size(); ++i)
    if (!few[i].empty())
      blocks[static_cast<std::size_t>(in_.ciphertext(static_cast<Index>(i), block))] = block_of(std::move(few[i]));
  return blocks;
}

std::vector<std::vector<Index>> FewSamples::inputs_of(const std::vector<std::vector<Index>>& few) const {
  std::vector<std::vector<Index>> inputs;
  for (Index output = 0; output < outputs_; ++output) {
    std::vector<Index>& made = inputs.emplace_back();
    for (const Index input : few[static_cast<std::size_t>(few_output(output))])
      made.push_back(in_.ciphertext(input, output / out_.inner % out_.blocks));
  }
  return inputs;
}

}  // namespace tacit::layout

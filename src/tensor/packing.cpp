#include "tensor/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <ranges>

#include "base/error.h"
#include "base/parse_number.h"

namespace tacit::tensor {
namespace {

using layout::TileDim;
using Extents = PackedComputation::Extents;
using Trace = PackedComputation::Trace;

constexpr Index kMostItems = Index{1} << 30, kLongestVector = 1 << 20;
constexpr std::size_t kMostMatrices = 16;
constexpr int kHoists = 3;
constexpr std::array kChanges{"clear", "reshard", "sum_into"};  // by Change
// Entries of linear maps that a search may look through, candidates that it prices nevertheless, and at most.
constexpr double kSearchedEntries = 1e8;
constexpr std::int64_t kFewestMoves = 20, kMostMoves = 4000;

TileDim sized(std::string name, Index size, Index tile) {
  return {.name = std::move(name), .size = size, .tile = tile};
}
TileDim copied(std::string name, Index tile) {
  return {.name = std::move(name), .size = 1, .tile = tile, .copies = tile};
}

void check_range(const char* what, Index value, Index most) {
  if (value < 1 || value > most) base::refuse("packing: {} of {} is outside 1 to {}", what, value, most);
}

/// The product of two tensors summed over a dimension.
TileTensor contracted(const TileTensor& a, const TileTensor& b, int dim, const PackingOptions& options,
                      const Trace& trace) {
  if (options.fused) return multiply_sum(a, b, dim, options.fold);
  const TileTensor product = multiply(a, b);
  if (trace) trace("product", product);
  return sum(product, dim, options.fold);
}

PackedComputation vectors(const std::string& name, Index n, Index d, bool shared_weights) {
  check_range("a number of items", n, kMostItems);
  check_range("a vector length", d, kLongestVector);
  PackedComputation c;
  c.name = fmt::format("{} {}x{}", name, n, d);
  c.dims = {"n", "d"};
  c.items = n;
  c.late = {0, 0};
  c.resized = [=](Index items) { return vectors(name, items, d, shared_weights); };
  c.shapes = [=](const Extents& extents) {
    const Index batch = std::min(n, extents[0]);
    const TileDim features = sized("d", d, extents[1]), rows = sized("n", batch, extents[0]);
    return std::vector<TileShape>{TileShape({rows, features}),
                                  TileShape({shared_weights ? copied("n", extents[0]) : rows, features})};
  };
  c.compute = [](const std::vector<TileTensor>& x, const PackingOptions& options, const Trace& trace) {
    TileTensor result = contracted(x[0], x[1], 1, options, trace);
    if (trace) trace("summed", result);
    return result;
  };
  return c;
}

/// Where matrix k of a chain lies: it contracts over dimension 0 for even k (the first product is that of matrices 0
/// and 1), over the last for odd. A stage ends with every second sum, which leaves unknowns.
TileShape chain_shape(const std::vector<Index>& sizes, std::size_t k, const Extents& all) {
  const std::size_t stage = k == 0 ? 0 : (k - 1) / 2;
  const auto extent = [&](std::size_t i) { return all[(3 * stage + i) % all.size()]; };
  const Extents extents{extent(0), extent(1), extent(2)};
  const auto name = [](std::size_t i) { return std::string(1, static_cast<char>('a' + i)); };
  if (k == 0)
    return TileShape({sized("b", sizes[1], extents[0]), sized("a", sizes[0], extents[1]), copied("c", extents[2])});
  const bool first = k % 2 == 1;  // the contraction with this matrix is over dimension 0
  const std::size_t at0 = first ? k : k + 1, at2 = first ? k + 1 : k;
  return TileShape(
      {sized(name(at0), sizes[at0], extents[0]), copied("a", extents[1]), sized(name(at2), sizes[at2], extents[2])});
}

/// What a sum over the last dimension must become to meet `next`, the following matrix.
TileShape operand_for(const TileShape& sum, const TileShape& next) {
  return TileShape({sized(sum.dim(0).name, sum.dim(0).size, next.dim(0).tile),
                    sized(sum.dim(1).name, sum.dim(1).size, next.dim(1).tile),
                    copied(sum.dim(2).name, next.dim(2).tile)});
}

std::vector<Index> numbers(std::string_view text, char separator) {
  std::vector<Index> result;
  for (const auto part : std::views::split(text, separator)) {
    const std::optional<Index> number = base::parse_number<Index>({part.begin(), part.end()});
    if (!number) return {};
    result.push_back(*number);
  }
  return result;
}

}  // namespace

const char* name_of(Change change) { return kChanges[static_cast<std::size_t>(change)]; }

PackedComputation regression(Index n, Index d) { return vectors("regression", n, d, true); }
PackedComputation inner_products(Index n, Index d) { return vectors("pairs", n, d, false); }

PackedComputation matrix_chain(std::vector<Index> sizes) {
  if (sizes.size() < 3 || sizes.size() > kMostMatrices + 1)
    base::refuse("packing: a chain of {} sizes; 3 to {} make 2 to {} matrices", sizes.size(), kMostMatrices + 1,
                 kMostMatrices);
  for (const Index size : sizes) check_range("a matrix size", size, kLongestVector);
  PackedComputation c;
  c.name = "chain";
  for (std::size_t i = 0; i < sizes.size(); ++i) c.name += fmt::format("{}{}", i == 0 ? ' ' : ',', sizes[i]);
  c.dims = {"first", "second", "third"};
  const std::size_t matrices = sizes.size() - 1;
  // Every product takes a level, and a sum over the last dimension one more to clear what it leaves if another follows.
  int depth = 0;
  c.late = {0};
  for (std::size_t k = 1; k < matrices; ++k) {
    c.late.push_back(depth);
    depth += 1 + (k % 2 == 0 && k + 1 < matrices ? 1 : 0);
  }
  c.depth = depth;
  c.stages = static_cast<int>(matrices / 2);
  c.shapes = [sizes, matrices](const Extents& extents) {
    std::vector<TileShape> shapes;
    for (std::size_t k = 0; k < matrices; ++k) shapes.push_back(chain_shape(sizes, k, extents));
    return shapes;
  };
  c.compute = [matrices](const std::vector<TileTensor>& x, const PackingOptions& options, const Trace& trace) {
    TileTensor result = x[0];
    const auto tell = [&](const std::string& what) {
      if (trace) trace(what, result);
    };
    std::string name = "M1";
    for (std::size_t k = 1; k < matrices; ++k) {
      name += trace ? fmt::format(" M{}", k + 1) : "";
      const int dim = k % 2 == 1 ? 0 : 2;
      const bool changes = dim == 2 && k + 1 < matrices;
      if (changes && options.change == Change::sum_into) {
        const TileTensor product = multiply(result, x[k]);
        result = sum_into(product, dim, operand_for(product.shape(), x[k + 1].shape()));
        tell(name + " summed into");
        continue;
      }
      result = contracted(result, x[k], dim, options, trace);
      tell(name + " summed");
      if (!changes) continue;
      if (options.change == Change::reshard) {
        result = reshard(result, operand_for(result.shape(), x[k + 1].shape()));
        tell(name + " resharded");
        continue;
      }
      if (result.shape().has_unknowns()) {
        result = clear_unknowns(result);
        tell(name + " cleared");
      }
      result = replicate(result, dim, options.fold);
      tell(name + " replicated");
    }
    return result;
  };
  return c;
}

PackedComputation parse_computation(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space != std::string_view::npos) {
    const std::string_view kind = text.substr(0, space), rest = text.substr(space + 1);
    if (kind == "chain") {
      if (std::vector<Index> sizes = numbers(rest, ','); !sizes.empty()) return matrix_chain(std::move(sizes));
    } else if (const std::vector<Index> pair = numbers(rest, 'x'); pair.size() == 2) {
      if (kind == "regression") return regression(pair[0], pair[1]);
      if (kind == "pairs") return inner_products(pair[0], pair[1]);
    }
  }
  base::refuse("'{}' is no computation; write 'regression 10000x100', 'pairs 10000x32' or 'chain 4,5,6,7,8'",
               text.substr(0, 100));
}

PackedComputation with_items(const PackedComputation& computation, Index items) {
  if (!computation.resized) base::refuse("'{}' has one result; it cannot be asked for {}", computation.name, items);
  return computation.resized(items);
}

std::vector<TileTensor> encrypt_inputs(const SessionPtr& session, const PackedComputation& computation,
                                       const Extents& extents, int level,
                                       const std::function<Dense(std::size_t, const Shape&)>& values) {
  const std::vector<TileShape> shapes = computation.shapes(extents);
  std::vector<TileTensor> inputs;
  inputs.reserve(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape sizes = shapes[i].sizes();
    inputs.push_back(
        encrypt(session, shapes[i], values ? values(i, sizes) : Dense{sizes, {}}, level - computation.late[i]));
  }
  return inputs;
}

program::CandidateCost price_packing(const std::shared_ptr<CostSession>& cost, const PackedComputation& computation,
                                     const Extents& extents, const PackingOptions& options, int level) {
  cost->restart();
  computation.compute(encrypt_inputs(cost, computation, extents, level, {}), options, {});
  const slots::Cost& read = cost->cost();
  return {read.seconds,
          read.seconds * static_cast<double>(computation.batches(extents)) / static_cast<double>(computation.items),
          cost->key_bytes() + read.peak_bytes};
}

Extents extents_of(const program::Candidate& candidate) {
  Extents extents;
  for (const int exponent : candidate.exponents) extents.push_back(Index{1} << exponent);
  return extents;
}

PackingOptions options_of(const program::Candidate& candidate) {
  return {{false, candidate.options.empty() ? 1 : candidate.options[0] + 1},
          true,
          candidate.options.size() < 2 ? Change::clear : static_cast<Change>(candidate.options[1])};
}

program::SearchResult plan_packing(const std::shared_ptr<CostSession>& cost, const PackedComputation& computation,
                                   const program::SearchRequest& request) {
  if (computation.depth > cost->max_level())
    base::refuse("'{}' needs a depth of {}, and the requirement has {}", computation.name, computation.depth,
                 cost->max_level());
  const auto price = [&](const program::Candidate& candidate) -> std::optional<program::CandidateCost> {
    try {
      return price_packing(cost, computation, extents_of(candidate), options_of(candidate), computation.depth);
    } catch (const base::InputError&) {
      return std::nullopt;  // the tensors do not fit these tiles
    }
  };
  const program::Stages stages{
      computation.stages, static_cast<int>(kChanges.size()), [&](const program::Candidate& best) {
        double entries = 1;
        for (const TileShape& shape : computation.shapes(extents_of(best)))
          entries = std::max(entries, static_cast<double>(layout::element_count(shape.sizes())));
        return std::clamp(static_cast<std::int64_t>(kSearchedEntries / entries), kFewestMoves, kMostMoves);
      }};
  return program::search_stages({static_cast<int>(computation.dims.size()),
                                 std::countr_zero(static_cast<std::uint64_t>(cost->slots())),
                                 {kHoists}},
                                stages, request, price);
}

}  // namespace tacit::tensor

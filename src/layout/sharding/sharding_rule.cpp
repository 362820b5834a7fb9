#include "layout/sharding/sharding_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/error.h"

namespace tacit::layout {
namespace {

std::string dim_text(const ShardingDim& dim, const std::vector<ShardingFactor>& factors) {
  if (dim.factors.empty()) return "-";
  const auto name = [&](int factor) { return factors[static_cast<std::size_t>(factor)].name; };
  std::string text = fmt::format("{}", fmt::join(dim.factors | std::views::transform(name), " "));
  if (dim.halo) text += fmt::format("/{}{:+}{:+}", dim.halo->stride, -dim.halo->before, dim.halo->after);
  return text;
}

std::string operands_text(const std::vector<ShardingOperand>& operands, const std::vector<ShardingFactor>& factors) {
  std::string text;
  for (const ShardingOperand& operand : operands) {
    const auto of = [&](const ShardingDim& dim) { return dim_text(dim, factors); };
    text += fmt::format(" [{}]", fmt::join(operand | std::views::transform(of), ", "));
  }
  return text;
}

}  // namespace

ShardingRule::ShardingRule(std::string op, std::vector<ShardingFactor> factors, std::vector<ShardingOperand> inputs,
                           std::vector<ShardingOperand> outputs)
    : op_(std::move(op)), factors_(std::move(factors)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  for (const auto* operands : {&inputs_, &outputs_})
    for (const ShardingOperand& operand : *operands)
      for (const ShardingDim& dim : operand)
        for (const int factor : dim.factors)
          if (factor < 0 || factor >= static_cast<int>(factors_.size()))
            throw base::InternalError(fmt::format("sharding rule of {}: it has no factor {}", op_, factor));
}

int ShardingRule::factor(std::string_view name) const {
  const auto found = std::ranges::find(factors_, name, &ShardingFactor::name);
  if (found != factors_.end()) return static_cast<int>(found - factors_.begin());
  base::refuse("sharding rule of {}: no dimension is called '{}'; split one of [{}]", op_, name.substr(0, 50),
               fmt::join(factors_ | std::views::transform(&ShardingFactor::name), ", "));
}

std::optional<base::Infeasible> ShardingRule::why_not_split(int factor, const Mesh& mesh,
                                                            const std::string& axis) const {
  const ShardingFactor& split = factors_[static_cast<std::size_t>(factor)];
  const Index parts = mesh.extent(axis);
  for (const auto* operands : {&inputs_, &outputs_})
    for (const ShardingOperand& operand : *operands)
      for (const ShardingDim& dim : operand) {
        const auto at = std::ranges::find(dim.factors, factor);
        if (at == dim.factors.end()) continue;
        if (at != dim.factors.begin())
          return base::infeasible(
              "sharding rule of {}: axis '{}' cannot split '{}', which lies inside '{}'; split that, or reshard around "
              "the operator",
              op_, axis, split.name, factors_[static_cast<std::size_t>(dim.factors.front())].name);
        if (dim.factors.size() > 1 && split.extent % parts != 0)
          return base::infeasible(
              "sharding rule of {}: {} blocks along axis '{}' do not divide the {} of '{}', so blocks of operands "
              "would not meet; take a divisor",
              op_, parts, axis, split.extent, split.name);
      }
  if (parts > split.extent)
    return base::infeasible("sharding rule of {}: axis '{}' has extent {} and '{}' has {}; take a smaller axis", op_,
                            axis, parts, split.name, split.extent);
  return std::nullopt;
}

OpSharding ShardingRule::sharded(const Mesh& mesh, const std::map<std::string, std::string>& axes) const {
  return possible(mesh, axes).or_refuse();
}

base::Feasible<OpSharding> ShardingRule::possible(const Mesh& mesh,
                                                  const std::map<std::string, std::string>& axes) const {
  std::map<int, int> axis_of;  // by factor
  for (const auto& [axis, name] : axes) {
    const auto at = static_cast<int>(mesh.index_of(axis));
    const int split = factor(name);
    if (auto why = why_not_split(split, mesh, axis)) return *std::move(why);
    if (!axis_of.emplace(split, at).second)
      return base::infeasible("sharding rule of {}: axes '{}' and '{}' both split '{}'; name one of them", op_,
                              mesh.axes()[static_cast<std::size_t>(axis_of[split])].name, axis, name);
  }
  OpSharding result(mesh);
  const auto sharding = [&](const ShardingOperand& operand) {
    ArraySharding::Spec spec;
    for (const ShardingDim& dim : operand) {
      const auto split = dim.factors.empty() ? axis_of.end() : axis_of.find(dim.factors.front());
      spec.push_back(split == axis_of.end() ? ArraySharding::kWhole : split->second);
    }
    return ArraySharding(mesh, std::move(spec));
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) result.set_input(static_cast<int>(i), sharding(inputs_[i]));
  for (std::size_t i = 0; i < outputs_.size(); ++i) result.set_output(static_cast<int>(i), sharding(outputs_[i]));
  return result;
}

std::vector<std::string> ShardingRule::violations(const OpSharding& sharding) const {
  std::vector<std::string> found;
  std::map<std::string, std::string> axes;  // to factors, as the operands have them
  const auto name = [&](int factor) { return factors_[static_cast<std::size_t>(factor)].name; };
  const auto look = [&](const std::map<int, ArraySharding>& shardings, const std::vector<ShardingOperand>& operands,
                        const char* what) {
    for (const auto& [index, array] : shardings) {
      if (index >= static_cast<int>(operands.size())) {
        found.push_back(fmt::format("{} has no {} {}", op_, what, index));
        continue;
      }
      const ShardingOperand& operand = operands[static_cast<std::size_t>(index)];
      if (array.spec().size() != operand.size()) {
        found.push_back(fmt::format("{} {} of {} has {} dimensions, and its spec {} {}", what, index, op_,
                                    operand.size(), array.spec_text(), array.spec().size()));
        continue;
      }
      for (std::size_t dim = 0; dim < operand.size(); ++dim) {
        if (array.spec()[dim] == ArraySharding::kWhole || array.parts(dim) == 1) continue;
        const std::string& axis = sharding.mesh().axes()[static_cast<std::size_t>(array.spec()[dim])].name;
        if (operand[dim].factors.empty()) {
          found.push_back(fmt::format("dimension {} of {} {} of {} must be whole", dim, what, index, op_));
          continue;
        }
        const std::string split = name(operand[dim].factors.front());
        const auto [known, fresh] = axes.try_emplace(axis, split);
        if (!fresh && known->second != split)
          found.push_back(fmt::format("axis '{}' splits '{}' and '{}' of {}", axis, known->second, split, op_));
      }
    }
  };
  look(sharding.inputs(), inputs_, "input");
  look(sharding.outputs(), outputs_, "output");
  if (!found.empty()) return found;
  // The operands must be split wherever they hold a factor that is.
  const base::Feasible<OpSharding> wanted = possible(sharding.mesh(), axes);
  if (!wanted) return {wanted.problem().sentence()};
  const auto compare = [&](const std::map<int, ArraySharding>& all, const std::map<int, ArraySharding>& given,
                           const char* what) {
    for (const auto& [index, array] : all) {
      const auto at = given.find(index);
      for (std::size_t dim = 0; dim < array.spec().size(); ++dim)
        if (array.parts(dim) != (at == given.end() ? 1 : at->second.parts(dim)))
          found.push_back(fmt::format("dimension {} of {} {} of {} is tied to others that are split along axis '{}'",
                                      dim, what, index, op_,
                                      sharding.mesh().axes()[static_cast<std::size_t>(array.spec()[dim])].name));
    }
  };
  compare(wanted->inputs(), sharding.inputs(), "input");
  compare(wanted->outputs(), sharding.outputs(), "output");
  return found;
}

std::vector<std::string> ShardingRule::reduced_axes(const OpSharding& sharding) const {
  std::vector<std::string> axes;
  for (const auto& [index, array] : sharding.inputs()) {
    const ShardingOperand& operand = inputs_.at(static_cast<std::size_t>(index));
    for (std::size_t dim = 0; dim < operand.size() && dim < array.spec().size(); ++dim) {
      if (array.parts(dim) == 1 || operand[dim].factors.empty()) continue;
      const ShardingFactor& split = factors_[static_cast<std::size_t>(operand[dim].factors.front())];
      const std::string& axis = sharding.mesh().axes()[static_cast<std::size_t>(array.spec()[dim])].name;
      if (split.role == ShardingFactor::Role::reduced && std::ranges::find(axes, axis) == axes.end())
        axes.push_back(axis);
    }
  }
  return axes;
}

PositionRange ShardingRule::read_by(PositionRange outputs, const Halo& halo, Index extent) {
  if (outputs.begin >= outputs.end) return {};
  const Index begin = std::clamp<Index>(halo.stride * outputs.begin - halo.before, 0, extent);
  const Index end = std::clamp<Index>(halo.stride * (outputs.end - 1) + halo.after + 1, begin, extent);
  return {begin, end};
}

std::string ShardingRule::to_string() const {
  std::vector<std::string> reduced;
  for (const ShardingFactor& factor : factors_)
    if (factor.role == ShardingFactor::Role::reduced) reduced.push_back(factor.name);
  std::string text =
      fmt::format("{}: inputs{} outputs{}", op_, operands_text(inputs_, factors_), operands_text(outputs_, factors_));
  if (!reduced.empty()) text += fmt::format(", reduced {}", fmt::join(reduced, " "));
  return text;
}

}  // namespace tacit::layout

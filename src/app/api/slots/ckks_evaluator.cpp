#include <algorithm>
#include <cmath>
#include <utility>

#include "app/api/slots/ckks_impl.h"
#include "base/error.h"

namespace tacit::ckks {

struct EvaluatorImpl {
  Context context;
  inner::Encoder encoder;
  inner::Evaluator value;
  runtime::KeySetId key_set;

  /// The content of a ciphertext that belongs to the keys.
  const inner::Ciphertext& open(const Ciphertext& ciphertext, const char* operation) const {
    check_key_set(key_set, Access::impl(ciphertext).key_set, operation);
    return Access::impl(ciphertext).value;
  }

  Ciphertext wrap(inner::Ciphertext result) const {
    return Access::make<Ciphertext>(context_of(context), std::move(result), key_set);
  }

  void check_level_to_spend(const inner::Ciphertext& a, const char* operation) const {
    if (a.level < 1)
      base::refuse(
          "{}: the ciphertext is at level 0, no level is left to spend; encrypt at a higher level or take a parameter "
          "set with more levels than {}'s {}",
          operation, context.parameters().name(), context.parameters().max_level());
  }

  /// a times values at the scale of a, one level down.
  inner::Ciphertext scaled_product(const inner::Ciphertext& a, std::span<const double> values, double scale,
                                   const char* operation) const {
    check_level_to_spend(a, operation);
    inner::Ciphertext product = value.multiply_plain_rescale(
        a, encoder.encode(values, a.level, scale / a.scale * context_of(context)->parameters().prime(a.level)));
    product.scale = scale;  // but for the rounding of three floating-point operations it is that already
    return product;
  }

  inner::Ciphertext adjust(const inner::Ciphertext& a, int level, double scale, const char* operation) const {
    if (a.level == level && a.scale == scale) return a;
    if (level < 0 || level >= a.level)
      base::refuse("{}: a change of scale costs a level, so level {} must lie below the ciphertext's {}", operation,
                   level, a.level);
    const std::vector<double> ones(context.parameters().slots(), 1.0);
    return scaled_product(value.drop_to_level(a, level + 1), ones, scale, operation);
  }

  /// At the set's scale, and a level to bootstrap from.
  inner::Ciphertext refreshable(const Ciphertext& x, int level) const;

  template <class Operation>
  Ciphertext sum(const Ciphertext& left, const Ciphertext& right, const char* name, Operation&& operation) const {
    const inner::Ciphertext& a = open(left, name);
    const inner::Ciphertext& b = open(right, name);
    if (a.level > b.level) return wrap(operation(adjust(a, b.level, b.scale, name), b));
    if (a.level < b.level) return wrap(operation(a, adjust(b, a.level, a.scale, name)));
    return wrap(operation(a, b));
  }
};

Evaluator::Evaluator(const Context& context, const EvaluationKeys& keys)
    : Handle([&] {
        const auto& owned = Access::impl(keys);
        return std::make_shared<const Impl>(Impl{context, inner::Encoder(context_of(context)),
                                                 inner::Evaluator(context_of(context), owned.value), owned.key_set});
      }()) {}

Ciphertext Evaluator::add(const Ciphertext& a, const Ciphertext& b) const {
  return impl_->sum(a, b, "add", [&](const auto& x, const auto& y) { return impl_->value.add(x, y); });
}

Ciphertext Evaluator::sub(const Ciphertext& a, const Ciphertext& b) const {
  return impl_->sum(a, b, "sub", [&](const auto& x, const auto& y) { return impl_->value.sub(x, y); });
}

Ciphertext Evaluator::negate(const Ciphertext& a) const {
  return impl_->wrap(impl_->value.negate(impl_->open(a, "negate")));
}

Ciphertext Evaluator::multiply(const Ciphertext& a, const Ciphertext& b) const {
  const inner::Ciphertext& x = impl_->open(a, "multiply");
  const inner::Ciphertext& y = impl_->open(b, "multiply");
  if (x.level > y.level) return impl_->wrap(impl_->value.multiply(impl_->value.drop_to_level(x, y.level), y));
  if (x.level < y.level) return impl_->wrap(impl_->value.multiply(x, impl_->value.drop_to_level(y, x.level)));
  return impl_->wrap(impl_->value.multiply(x, y));
}

Ciphertext Evaluator::square(const Ciphertext& a) const {
  return impl_->wrap(impl_->value.square(impl_->open(a, "square")));
}

Ciphertext Evaluator::add_plain(const Ciphertext& a, const Plaintext& b) const {
  return impl_->wrap(impl_->value.add_plain(impl_->open(a, "add_plain"), Access::impl(b).value));
}

Ciphertext Evaluator::add_plain(const Ciphertext& a, std::span<const double> values) const {
  const inner::Ciphertext& x = impl_->open(a, "add_plain");
  return impl_->wrap(impl_->value.add_plain(x, impl_->encoder.encode(values, x.level, x.scale)));
}

Ciphertext Evaluator::sub_plain(const Ciphertext& a, std::span<const double> values) const {
  std::vector<double> negated(values.begin(), values.end());
  for (double& value : negated) value = -value;
  return add_plain(a, negated);
}

Ciphertext Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& b) const {
  return impl_->wrap(impl_->value.multiply_plain(impl_->open(a, "multiply_plain"), Access::impl(b).value));
}

Ciphertext Evaluator::multiply_plain(const Ciphertext& a, std::span<const double> values) const {
  const inner::Ciphertext& x = impl_->open(a, "multiply_plain");
  return impl_->wrap(impl_->scaled_product(x, values, x.scale, "multiply_plain"));
}

Ciphertext Evaluator::multiply_scalar(const Ciphertext& a, double factor) const {
  return multiply_plain(a, std::vector<double>(impl_->context.parameters().slots(), factor));
}

Ciphertext Evaluator::rescale(const Ciphertext& a) const {
  return impl_->wrap(impl_->value.rescale(impl_->open(a, "rescale")));
}

Ciphertext Evaluator::drop_to_level(const Ciphertext& a, int level) const {
  return impl_->wrap(impl_->value.drop_to_level(impl_->open(a, "drop_to_level"), level));
}

Ciphertext Evaluator::adjust(const Ciphertext& a, int level, double scale) const {
  return impl_->wrap(impl_->adjust(impl_->open(a, "adjust"), level, scale, "adjust"));
}

Ciphertext Evaluator::rotate(const Ciphertext& a, std::int64_t steps) const {
  return impl_->wrap(impl_->value.rotate(impl_->open(a, "rotate"), steps));
}

std::vector<Ciphertext> Evaluator::rotate(const Ciphertext& a, std::span<const std::int64_t> steps) const {
  std::vector<Ciphertext> rotated;
  for (inner::Ciphertext& value : impl_->value.rotate_hoisted(impl_->open(a, "rotate"), steps))
    rotated.push_back(impl_->wrap(std::move(value)));
  return rotated;
}

Ciphertext Evaluator::conjugate(const Ciphertext& a) const {
  return impl_->wrap(impl_->value.conjugate(impl_->open(a, "conjugate")));
}

Ciphertext Evaluator::sum_slots(const Ciphertext& a) const {
  inner::Ciphertext sum = impl_->open(a, "sum_slots");
  for (auto steps = static_cast<std::int64_t>(impl_->context.parameters().slots() / 2); steps > 0; steps /= 2)
    impl_->value.add_in_place(sum, impl_->value.rotate(sum, steps));
  return impl_->wrap(std::move(sum));
}

Ciphertext Evaluator::apply(const LinearTransform& transform, const Ciphertext& x) const {
  const auto& map = Access::impl(transform);
  const inner::Ciphertext& operand = impl_->open(x, "apply");
  if (operand.level < map.matrix.level)
    base::refuse(
        "apply: the transform was prepared for level {}, the ciphertext is at {}; prepare it for that level or a lower "
        "one",
        map.matrix.level, operand.level);
  // The map is linear, so a ciphertext of any scale may pass under the scale that the matrix was encoded for.
  inner::Ciphertext input = impl_->value.drop_to_level(operand, map.matrix.level);
  input.scale = map.matrix.in_scale;
  const std::vector<std::vector<const inner::DiagonalMatrix*>> blocks{{&map.matrix}};
  std::vector<inner::Ciphertext> result = impl_->value.linear({&input, 1}, blocks, map.schedule);
  result.front().scale = operand.scale;
  return impl_->wrap(std::move(result.front()));
}

Ciphertext Evaluator::polynomial(const Ciphertext& x, std::span<const double> coefficients) const {
  if (coefficients.empty()) throw InputError("polynomial: no coefficients were given");
  const inner::Ciphertext& operand = impl_->open(x, "polynomial");
  const auto schedule = params::PolynomialSchedule::choose(static_cast<int>(coefficients.size()) - 1);
  return impl_->wrap(impl_->value.polynomial(operand, coefficients, schedule, operand.scale));
}

Bootstrapping::Bootstrapping(const Context& context, Form form, std::optional<int> output_level)
    : Handle([&] {
        const inner::ContextPtr& inside = context_of(context);
        const auto schedule = params::plan_bootstrap(
            inside->parameters().literal(),
            {.form = form == Form::linear ? params::BootstrapForm::linear : params::BootstrapForm::folded,
             .output_level = output_level.value_or(-1)});
        return std::make_shared<const Impl>(Impl{inner::Bootstrapper(inside, schedule)});
      }()) {}

int Bootstrapping::input_level() const { return impl_->value.schedule().chain.input; }
int Bootstrapping::output_level() const { return impl_->value.schedule().output_level; }
double Bootstrapping::result(double z) const { return impl_->value.schedule().result(z); }
double Bootstrapping::inverse(double result) const { return impl_->value.schedule().inverse(result); }

inner::Ciphertext EvaluatorImpl::refreshable(const Ciphertext& x, int level) const {
  const inner::Ciphertext& a = open(x, "bootstrap");
  const double scale = context.parameters().scale();
  return std::abs(a.scale / scale - 1) < 0x1p-30 ? a : adjust(a, std::min(level, a.level - 1), scale, "bootstrap");
}

Ciphertext Evaluator::bootstrap(const Bootstrapping& how, const Ciphertext& x) const {
  const inner::Bootstrapper& bootstrapper = Access::impl(how).value;
  return impl_->wrap(bootstrapper.bootstrap(impl_->value, impl_->refreshable(x, how.input_level())));
}

Ciphertext Evaluator::bootstrap_twice(const Bootstrapping& how, const Ciphertext& x) const {
  const inner::Bootstrapper& bootstrapper = Access::impl(how).value;
  return impl_->wrap(bootstrapper.bootstrap_twice(impl_->value, impl_->refreshable(x, how.input_level())));
}

std::pair<Ciphertext, Ciphertext> Evaluator::bootstrap(const Bootstrapping& how, const Ciphertext& x,
                                                       const Ciphertext& y) const {
  const inner::Bootstrapper& bootstrapper = Access::impl(how).value;
  auto [a, b] = bootstrapper.bootstrap_pair(impl_->value, impl_->refreshable(x, how.input_level()),
                                            impl_->refreshable(y, how.input_level()));
  return std::pair{impl_->wrap(std::move(a)), impl_->wrap(std::move(b))};
}

}  // namespace tacit::ckks

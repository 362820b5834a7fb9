#include <bit>

#include "app/api/insecure.h"
#include "app/api/integers/tfhe_impl.h"
#include "params/tfhe_solver.h"
#include "runtime/integers/prepared_integers.h"

namespace tacit::tfhe {
namespace {

std::vector<std::vector<inner::Torus>> values_of(const inner::Context& context,
                                                 std::span<const Table::Function> functions) {
  const int bits = context.parameters().bits();
  std::vector<std::vector<inner::Torus>> values;
  for (const Table::Function& function : functions) {
    auto& of = values.emplace_back();
    for (std::int64_t m = 0; m < std::int64_t{1} << bits; ++m) of.push_back(inner::encode(function(m), bits));
  }
  return values;
}

Parameters checked(const params::TfheLiteral& literal, InsecureParameters insecure) {
  params::TfheParameters set = params::TfheParameters::check(literal);
  app::api::require_permitted(set.identity(), insecure);
  return Access::make<Parameters>(inner::Context::make(std::move(set)));
}

}  // namespace

Parameters Parameters::named(std::string_view name) {
  return checked(params::named_tfhe_literal(name), InsecureParameters::refuse);
}

std::vector<std::string> Parameters::names() { return params::named_tfhe_literals(); }

Parameters Parameters::choose(const Requirement& requirement) {
  if (requirement.tables < 1 || !std::has_single_bit(static_cast<unsigned>(requirement.tables)))
    throw InputError("choose: " + std::to_string(requirement.tables) + " tables are no power of two");
  if (requirement.bits < 1 || requirement.bits > 8)
    throw InputError("choose: " + std::to_string(requirement.bits) + " bits are not 1 to 8");
  params::LookupRequirement asked;
  asked.layer = "choose";
  asked.bits = requirement.bits;
  asked.norm2 = requirement.norm2;
  asked.log2_failure = requirement.log2_failure;
  asked.log_tables = std::countr_zero(static_cast<unsigned>(requirement.tables));
  return checked(params::solve(asked), InsecureParameters::refuse);
}

Parameters Parameters::from_json(std::string_view literal, InsecureParameters insecure) {
  return checked(params::tfhe_literal_from_json(literal), insecure);
}

std::string Parameters::to_json() const { return params::to_json(impl_->context->parameters().literal()); }
std::string Parameters::name() const { return impl_->context->parameters().literal().name; }
int Parameters::bits() const { return impl_->context->parameters().bits(); }
double Parameters::norm2() const { return impl_->context->parameters().literal().norm2; }
int Parameters::tables() const { return 1 << impl_->context->parameters().literal().log_tables; }
double Parameters::log2_failure() const { return impl_->context->parameters().log2_failure(); }
int Parameters::security_bits() const { return impl_->context->parameters().security_bits(); }
double Parameters::key_bytes() const { return runtime::key_bytes(impl_->context->parameters()); }
double Parameters::ciphertext_bytes() const { return impl_->context->parameters().ciphertext_bytes(); }

Table::Table(const Parameters& parameters, const Function& function) : Table(parameters, {&function, 1}) {}

Table::Table(const Parameters& parameters, std::span<const Function> functions)
    : Handle([&] {
        const inner::Context& context = *context_of(parameters);
        return std::make_shared<const Impl>(Impl{inner::LookupTable(context, values_of(context, functions))});
      }()) {}

std::size_t Table::functions() const { return impl_->value.functions(); }

}  // namespace tacit::tfhe

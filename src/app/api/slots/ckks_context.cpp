#include <utility>

#include "app/api/insecure.h"
#include "app/api/slots/ckks_impl.h"

namespace tacit::ckks {

Parameters Parameters::named(std::string_view name) {
  return Access::make<Parameters>(params::CkksParameters::check(params::named_literal(name)));
}

std::vector<std::string> Parameters::names() {
  std::vector<std::string> names = params::named_literals();
  for (std::string& name : params::bootstrapping_literals()) names.push_back(std::move(name));
  return names;
}

Parameters Parameters::from_json(std::string_view literal, InsecureParameters insecure) {
  return Access::make<Parameters>(app::api::permitted(params::literal_from_json(literal), insecure));
}

std::string Parameters::to_json() const { return params::to_json(impl_->value.literal()); }
std::string Parameters::name() const { return impl_->value.literal().name; }
int Parameters::log_n() const { return impl_->value.log_n(); }
std::size_t Parameters::slots() const { return impl_->value.slots(); }
int Parameters::max_level() const { return impl_->value.max_level(); }
double Parameters::scale() const { return impl_->value.scale(); }
double Parameters::log_qp() const { return impl_->value.log_qp(); }
int Parameters::security_bits() const { return impl_->value.security_bits(); }

Context::Context(const Parameters& parameters)
    : Handle(std::make_shared<const Impl>(Impl{parameters, inner::Context::make(Access::impl(parameters).value)})) {}

const Parameters& Context::parameters() const { return impl_->parameters; }

}  // namespace tacit::ckks

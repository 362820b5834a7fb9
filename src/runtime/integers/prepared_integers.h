#pragma once

#include <vector>

#include "program/integers/bootstraps.h"
#include "program/integers/weight_rows.h"
#include "scheme/tfhe/context.h"
#include "scheme/tfhe/lookup_table.h"

namespace tacit::runtime {

/// A program on integers with its tables as polynomials and its weights as lists. Holds no keys: any number of clients
/// and threads share it. Immutable.
class PreparedIntegers {
 public:
  /// Throws InputError where the parameters do not hold for the program.
  PreparedIntegers(scheme::tfhe::ContextPtr context, integers::Program program);

  const scheme::tfhe::ContextPtr& context() const { return context_; }
  const integers::Program& program() const { return program_; }
  /// Of a linear instruction, by term.
  const std::vector<integers::WeightRows>& weights(integers::ValueId id) const { return weights_[id]; }
  /// Of a lookup: the bootstraps at its turn, and the tables of each of their sets.
  const integers::Bootstraps& bootstraps(integers::ValueId id) const { return bootstraps_[id]; }
  const std::vector<scheme::tfhe::LookupTable>& tables(integers::ValueId id) const { return tables_[id]; }
  const std::vector<integers::ValueId>& last_uses() const { return last_uses_; }

 private:
  scheme::tfhe::ContextPtr context_;
  integers::Program program_;
  std::vector<std::vector<integers::WeightRows>> weights_;
  std::vector<integers::Bootstraps> bootstraps_;
  std::vector<std::vector<scheme::tfhe::LookupTable>> tables_;
  std::vector<integers::ValueId> last_uses_;
};

/// Bytes of ciphertexts that are held together at most by one run: values that are still read.
double value_bytes(const integers::Program& program, const params::TfheParameters& parameters);
/// Of the lists of weights.
double weight_bytes(const integers::Program& program);
/// Of the tables of a program as polynomials.
double table_bytes(const integers::Program& program, const params::TfheParameters& parameters);
/// Of the expanded evaluation keys.
double key_bytes(const params::TfheParameters& parameters);
/// What one client's runs need: keys, tables, weights and ciphertexts together.
double memory_need(const integers::Program& program, const params::TfheParameters& parameters);

}  // namespace tacit::runtime

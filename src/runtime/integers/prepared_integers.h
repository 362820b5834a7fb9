#pragma once

#include <vector>

#include "program/integers/bootstraps.h"
#include "program/integers/weight_rows.h"
#include "scheme/tfhe/context.h"
#include "scheme/tfhe/lookup_table.h"

namespace tacit::runtime {

class Communicator;

/// A program on integers with its tables as polynomials and its weights as lists. It holds no keys: any number of
/// clients and threads share it. Immutable.
class PreparedIntegers {
 public:
  /// Throws InputError if the parameters are not sufficient for the program. `ranks` carry out every run together, and
  /// must outlive this object; null stands for this process by itself.
  PreparedIntegers(scheme::tfhe::ContextPtr context, integers::Program program, Communicator* ranks = nullptr);

  const scheme::tfhe::ContextPtr& context() const { return context_; }
  const integers::Program& program() const { return program_; }
  /// The weights of a linear instruction, by term.
  const std::vector<integers::WeightRows>& weights(integers::ValueId id) const { return weights_[id]; }
  /// The bootstraps that run at the turn of a lookup. `tables` returns the tables of each of their sets.
  const integers::Bootstraps& bootstraps(integers::ValueId id) const { return bootstraps_[id]; }
  const std::vector<scheme::tfhe::LookupTable>& tables(integers::ValueId id) const { return tables_[id]; }
  /// Null if one process carries out a run.
  Communicator* ranks() const { return ranks_; }

 private:
  scheme::tfhe::ContextPtr context_;
  integers::Program program_;
  std::vector<std::vector<integers::WeightRows>> weights_;
  std::vector<integers::Bootstraps> bootstraps_;
  std::vector<std::vector<scheme::tfhe::LookupTable>> tables_;
  Communicator* ranks_;
};

/// Returns the most bytes of ciphertexts that one run holds at the same time: values that later instructions read.
double value_bytes(const integers::Program& program, const params::TfheParameters& parameters);
/// Returns the bytes of the lists of weights.
double weight_bytes(const integers::Program& program);
/// Returns the bytes of the tables of a program as polynomials.
double table_bytes(const integers::Program& program, const params::TfheParameters& parameters);
/// Returns the bytes of the expanded evaluation keys.
double key_bytes(const params::TfheParameters& parameters);
/// Returns the bytes for one client's runs: keys, tables, weights and ciphertexts together.
double memory_need(const integers::Program& program, const params::TfheParameters& parameters);

}  // namespace tacit::runtime

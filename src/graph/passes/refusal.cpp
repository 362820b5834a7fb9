#include "graph/passes/refusal.h"

#include <map>

#include "graph/attribute.h"

namespace tacit::graph::passes {
namespace {

const std::map<std::string, std::string> kNearest = {
    {"MaxPool", "replace MaxPool by AveragePool and retrain"},
    {"GlobalMaxPool", "replace GlobalMaxPool by GlobalAveragePool and retrain"},
    {"ReduceMax", "replace ReduceMax by ReduceMean and retrain"},
    {"ReduceMin", "replace ReduceMin by ReduceMean and retrain"},
    {"LpPool", "norms of orders 1 and 2 are supported"},
    {"GlobalLpPool", "norms of orders 1 and 2 are supported"},
    {"Max", "Max and Min of one encrypted value and a constant are supported"},
    {"Min", "Max and Min of one encrypted value and a constant are supported"},
    {"MatMul", "MatMul with a constant on one side is supported"},
    {"Gemm", "Gemm with a constant matrix on one side is supported"},
    {"Conv", "Conv with constant weights is supported"},
    {"PRelu", "PRelu with constant slopes is supported"},
    {"ThresholdedRelu", "ThresholdedRelu with alpha = 0, a Relu, is supported"},
    {"Shrink", "Shrink with a bias equal to lambd is supported"},
    {"Softmax", "Softmax is supported behind the last encrypted operator, where the client runs it"},
    {"LogSoftmax", "LogSoftmax is supported behind the last encrypted operator, where the client runs it"},
    {"ArgMax", "ArgMax is supported behind the last encrypted operator, where the client runs it"},
    {"LayerNormalization", "replace LayerNormalization by BatchNormalization and retrain"},
    {"InstanceNormalization", "replace InstanceNormalization by BatchNormalization and retrain"},
    {"Cast", "casts to a floating-point type are supported"},
};

}  // namespace

void refuse_operator(const Node& node, const std::string& reason) {
  std::string message = reason.empty() ? "this operator has no encrypted form" : reason + " has no encrypted form";
  if (const auto found = kNearest.find(node.op); found != kNearest.end()) message += "; " + found->second;
  refuse(node, message);
}

}  // namespace tacit::graph::passes

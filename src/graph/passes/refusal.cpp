#include "graph/passes/refusal.h"

#include <map>

#include "graph/attribute.h"

namespace tacit::graph::passes {
namespace {

const std::map<std::string, std::string> kNearest = {
    {"MaxPool", "MaxPool of real numbers, without the positions of the maxima, is supported"},
    {"GlobalMaxPool", "GlobalMaxPool of real numbers is supported"},
    {"ReduceMax", "ReduceMax of real numbers is supported"},
    {"ReduceMin", "ReduceMin of real numbers is supported"},
    {"LpPool", "norms of orders 1 and 2 are supported"},
    {"GlobalLpPool", "norms of orders 1 and 2 are supported"},
    {"Max", "Max and Min of real numbers are supported"},
    {"Min", "Max and Min of real numbers are supported"},
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

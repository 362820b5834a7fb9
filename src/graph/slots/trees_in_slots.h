#pragma once

namespace tacit::graph::passes {

struct SlotsDraft;

/// Replaces trees by affine maps and products of bits. The client compares its features with a public grid and encrypts
/// the bits (thermometer.h). The grid is the one of the integers' compiler (quant/feature_grids.h): operators on single
/// features in front of trees are part of its borders, and decoys hide the thresholds among others.
///
/// A way of a tree (tree_ways.h) is a product of factors. Each factor is a function of one feature's box. It is
/// therefore a linear map of this feature's bits b_1 >= b_2 >= ..., namely h_0 + sum over k of (h_k - h_(k-1)) b_k.
/// Here h_k is its value in box k. A grid of more than 63 borders has two digits (BoxBits): its comparisons are
/// products of digits, which are made first and take two levels. All factors are one value, in which the d-th factors
/// of all ways are part d. The parts are multiplied (PartsProduct). A single score is the sum of products whose first
/// factors have the weights of the leaves. Several scores are one linear map of the products. A forest whose longest
/// way has F factors takes 1 + ceil(log2 F) levels for one score, and one more for several, whatever the number and the
/// shape of its trees.
///
/// Scores that are whole numbers and are decrypted are rounded by the client, so that equal votes stay equal.
///
/// After the pass, the encrypted model reads bits, and one node (kGridPointsOp) makes features of them for the model's
/// own operators. Samples are bits as well. Without samples the ranges are known: bits and factors are 0 or 1.
///
/// Throws InputError naming the node if trees read features that the server computes, if nothing is to be compared, or
/// if trees are too deep or have too many leaves.
void put_trees_in_slots(SlotsDraft& draft);

/// True if the program reads nothing but the bits of features.
bool encrypts_bits_alone(const SlotsDraft& draft);

}  // namespace tacit::graph::passes

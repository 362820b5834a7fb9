#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::graph {

/// The bounds of models. They are checked before anything is computed, so that a small file takes neither minutes nor
/// the memory. They are beyond all models that anyone would encrypt.

/// The most elements of one tensor: 2 GiB of doubles. The weights of a file may have as many.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

/// The most elements of one tensor that depends on an input. 64 channels of 256 x 256 are as many; VGG-16 has 3.2
/// million.
inline constexpr std::int64_t kMostActivation = std::int64_t{1} << 22;

/// The most elements of all such tensors together. The bound grows with the bytes of a file. ResNet-152 has 70 million
/// elements in a file of 240 MB. Networks without many weights (SqueezeNet: 5 MB) have a few per byte.
inline constexpr std::int64_t kMostActivations = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostActivationsPerByte = 8;

/// The most multiplications of weights with tensors that depend on an input. The bound grows with the bytes of a file.
/// ResNet-50 has 4.1e9 in 100 MB, MobileNet 3e8 in 14 MB, ResNet-20 for CIFAR-10 4.1e7 in 1 MB.
inline constexpr double kMostWork = 0x1p30;
inline constexpr double kMostWorkPerByte = 0x1p10;

/// The most elements of constants that are computed from constants, such as masks and positions. The bound grows with
/// the number of weights.
inline constexpr std::int64_t kMostFoldedElements = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostFoldedPerWeight = 4;

/// The most multiplications, or steps of similar cost, to compute constants from constants.
inline constexpr double kMostFoldingWork = 0x1p27;
inline constexpr double kMostFoldingWorkPerByte = 0x1p8;

/// The most entries of a matrix that is held as a list: half a GiB at its peak. Only few operators are held so
/// (ConvTranspose, Resize and Einsum).
inline constexpr double kMostHeldEntries = 0x1p24;

/// The most multiplications to find the matrix of an operator by unit vectors (Resize and Einsum).
inline constexpr double kMostProbing = 0x1p30;

/// The most bytes of a model's name, which every message and instruction holds, and of the name of a node or a tensor.
inline constexpr std::size_t kLongestModelName = std::size_t{1} << 12;
inline constexpr std::size_t kLongestName = std::size_t{1} << 16;

}  // namespace tacit::graph

#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::graph {

/// What a model may ask for, all of it checked before anything is computed, so that a small file takes neither minutes
/// nor the memory. The bounds are beyond what models are that anyone would encrypt.

/// Elements of one tensor: 2 GiB of doubles. The weights of a file may have as many.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

/// Elements of one tensor that depends on an input. 64 channels of 256 x 256 are as many; VGG-16 has 3.2 million.
inline constexpr std::int64_t kMostActivation = std::int64_t{1} << 22;

/// Elements of all such tensors together: this, and more the more weights a file holds. ResNet-152 has 70 million in a
/// file of 240 MB; networks without many weights (SqueezeNet: 5 MB) have a few for every byte.
inline constexpr std::int64_t kMostActivations = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostActivationsPerByte = 8;

/// Multiplications of weights with what depends on an input: this, and more for every byte of the file. ResNet-50 has
/// 4.1e9 in 100 MB, MobileNet 3e8 in 14 MB, ResNet-20 for CIFAR-10 4.1e7 in 1 MB.
inline constexpr double kMostWork = 0x1p30;
inline constexpr double kMostWorkPerByte = 0x1p10;

/// Elements of constants that are computed from constants, such as masks and positions: this, and a few times the
/// weights.
inline constexpr std::int64_t kMostFoldedElements = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostFoldedPerWeight = 4;

/// Multiplications, or steps of like cost, by which constants are computed from constants.
inline constexpr double kMostFoldingWork = 0x1p27;
inline constexpr double kMostFoldingWorkPerByte = 0x1p8;

/// Entries of a matrix that is held as a list: half a GiB at its peak. Most operators are not (ConvTranspose, Resize
/// and Einsum are).
inline constexpr double kMostHeldEntries = 0x1p24;

/// Multiplications by which an operator is run on unit vectors to find its matrix (Resize and Einsum).
inline constexpr double kMostProbing = 0x1p30;

/// Bytes of a model's name, which every message and every instruction holds, and of a node's or a tensor's.
inline constexpr std::size_t kLongestModelName = std::size_t{1} << 12;
inline constexpr std::size_t kLongestName = std::size_t{1} << 16;

}  // namespace tacit::graph

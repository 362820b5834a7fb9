#include "graph/onnx/tensor_proto.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/half.h"
#include "graph/attribute.h"
#include "graph/integers.h"
#include "graph/reference/rounding.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

/// Element types that are younger than the packaged library.
constexpr int kUint4 = 21, kInt4 = 22;

double from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

/// The values as they lie in raw_data, or as the typed field holds them.
template <typename Value, typename Field, typename Convert>
void read(const TensorProto& proto, const Field& field, std::size_t count, const std::string& what,
          std::vector<double>& out, Convert convert) {
  const bool raw = proto.has_raw_data();
  const std::size_t held = raw ? proto.raw_data().size() / sizeof(Value) : static_cast<std::size_t>(field.size());
  if (held != count || (raw && proto.raw_data().size() % sizeof(Value) != 0))
    base::refuse("{} has {} elements but holds data for {}", what, count, held);
  out.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Value value;
    if (raw) {
      std::memcpy(&value, proto.raw_data().data() + i * sizeof(Value), sizeof(Value));
    } else {
      value = static_cast<Value>(field.Get(static_cast<int>(i)));
    }
    out[i] = convert(value);
  }
}

/// Two elements a byte, the first in the low half.
void read_halves(const TensorProto& proto, std::size_t count, const std::string& what, IntegerType type,
                 std::vector<double>& out) {
  std::vector<double> bytes;
  read<std::uint8_t>(proto, proto.int32_data(), (count + 1) / 2, what, bytes,
                     [](std::uint8_t byte) { return static_cast<double>(byte); });
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<std::uint64_t>(bytes[i / 2]);
    out.push_back(wrapped(i % 2 == 0 ? byte : byte >> 4, type));
  }
}

}  // namespace

bool is_real(int element_type) { return reference::real_type(element_type).has_value(); }

bool is_integral(int element_type) { return integer_type(element_type).has_value(); }

std::size_t bytes_of_element(int element_type) {
  if (const auto real = reference::real_type(element_type))
    return *real == FloatFormat::float64 ? 8 : *real == FloatFormat::float32 ? 4 : 2;
  const auto integer = integer_type(element_type);
  if (!integer || bits_of_type(*integer) == 4) return 0;
  return static_cast<std::size_t>(bits_of_type(*integer) + 7) / 8;
}

std::string type_name(int element_type) {
  return TensorProto::DataType_IsValid(element_type)
             ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(element_type))
             : fmt::format("number {}", element_type);
}

Tensor to_tensor(const TensorProto& proto, const std::string& what, bool nan) {
  if (proto.data_location() == TensorProto::EXTERNAL || proto.external_data_size() > 0)
    base::refuse("{} keeps its data in another file; save the model with the weights inside", what);
  if (proto.has_segment()) base::refuse("{} is stored in segments, which is not supported", what);
  const int type = proto.data_type();
  Tensor tensor;
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  tensor.integral = is_integral(type);
  const auto count = static_cast<std::size_t>(element_count(tensor.shape));
  const auto integer = [](auto value) { return held(static_cast<std::int64_t>(value)); };
  const auto real = [](auto value) { return static_cast<double>(value); };
  switch (type) {
    case TensorProto::FLOAT: read<float>(proto, proto.float_data(), count, what, tensor.data, real); break;
    case TensorProto::DOUBLE: read<double>(proto, proto.double_data(), count, what, tensor.data, real); break;
    case TensorProto::FLOAT16:
      read<std::uint16_t>(proto, proto.int32_data(), count, what, tensor.data, base::from_half);
      break;
    case TensorProto::BFLOAT16:
      read<std::uint16_t>(proto, proto.int32_data(), count, what, tensor.data, from_bfloat);
      break;
    case TensorProto::BOOL:
      read<std::uint8_t>(proto, proto.int32_data(), count, what, tensor.data,
                         [](std::uint8_t value) { return value != 0 ? 1.0 : 0.0; });
      break;
    case TensorProto::INT8: read<std::int8_t>(proto, proto.int32_data(), count, what, tensor.data, integer); break;
    case TensorProto::INT16: read<std::int16_t>(proto, proto.int32_data(), count, what, tensor.data, integer); break;
    case TensorProto::INT32: read<std::int32_t>(proto, proto.int32_data(), count, what, tensor.data, integer); break;
    case TensorProto::INT64: read<std::int64_t>(proto, proto.int64_data(), count, what, tensor.data, integer); break;
    case kInt4: read_halves(proto, count, what, IntegerType::int4, tensor.data); break;
    case kUint4: read_halves(proto, count, what, IntegerType::uint4, tensor.data); break;
    case TensorProto::UINT8: read<std::uint8_t>(proto, proto.int32_data(), count, what, tensor.data, integer); break;
    case TensorProto::UINT16: read<std::uint16_t>(proto, proto.int32_data(), count, what, tensor.data, integer); break;
    case TensorProto::UINT32: read<std::uint32_t>(proto, proto.uint64_data(), count, what, tensor.data, integer); break;
    case TensorProto::UINT64:
      read<std::uint64_t>(proto, proto.uint64_data(), count, what, tensor.data,
                          [](std::uint64_t value) { return held(value); });
      break;
    case TensorProto::STRING: {
      const std::vector<std::string> texts(proto.string_data().begin(), proto.string_data().end());
      if (texts.size() != count) base::refuse("{} has {} elements but holds data for {}", what, count, texts.size());
      return text_tensor(tensor.shape, texts);
    }
    default: base::refuse("{} has the element type {}, which is not supported", what, type_name(type));
  }
  for (const double value : tensor.data) {
    if (!nan && std::isnan(value)) base::refuse("{} holds a value that is not a number (NaN)", what);
  }
  return tensor;
}

bool to_proto(const Tensor& tensor, int element_type, TensorProto& proto) {
  proto.Clear();
  proto.set_data_type(element_type);
  for (const std::int64_t extent : tensor.shape) proto.add_dims(extent);
  for (const double value : tensor.data) {
    switch (element_type) {
      case TensorProto::FLOAT: proto.add_float_data(static_cast<float>(value)); break;
      case TensorProto::DOUBLE: proto.add_double_data(value); break;
      case TensorProto::INT32:
      case TensorProto::BOOL: proto.add_int32_data(static_cast<std::int32_t>(value)); break;
      case TensorProto::INT64: proto.add_int64_data(static_cast<std::int64_t>(value)); break;
      default: return false;
    }
  }
  return true;
}

}  // namespace tacit::graph::onnx

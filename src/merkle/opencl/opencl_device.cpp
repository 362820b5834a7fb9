#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>
#include <type_traits>

#include "base/error.h"
#include "merkle/accelerators.h"

namespace tacit::merkle {
namespace {

constexpr char kPrelude[] =
    "#define WORD ulong\n#define DEVICE static inline\n#define TABLE __constant\n#define mul_high(a, b) mul_hi(a, b)\n";
constexpr char kSource[] =
#include <opencl_source.inc>
    ;

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY ||
      status == CL_INVALID_BUFFER_SIZE)
    base::refuse("the OpenCL device has too little memory for this tree ({}); use the processor", what);
  throw base::InternalError(fmt::format("OpenCL: {} failed with status {}", what, status));
}

template <auto kRelease>
struct Release {
  void operator()(auto handle) const { kRelease(handle); }
};
/// An OpenCL object that is released with its owner.
template <class Handle, auto kRelease>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<kRelease>>;
using Context = Owned<cl_context, clReleaseContext>;
using Queue = Owned<cl_command_queue, clReleaseCommandQueue>;
using Program = Owned<cl_program, clReleaseProgram>;
using Kernel = Owned<cl_kernel, clReleaseKernel>;
using Buffer = Owned<cl_mem, clReleaseMemObject>;
using Event = Owned<cl_event, clReleaseEvent>;

std::string device_text(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  clGetDeviceInfo(device, what, size, text.data(), nullptr);
  return text.c_str();
}

class OpenClDevice final : public Device {
 public:
  explicit OpenClDevice(cl_device_id device) : device_(device), name_(device_text(device, CL_DEVICE_NAME)) {
    cl_int status = CL_SUCCESS;
    context_ = Context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    check(status, "clCreateContext");
    queue_ = Queue(clCreateCommandQueue(context_.get(), device, CL_QUEUE_PROFILING_ENABLE, &status));
    check(status, "clCreateCommandQueue");
    const char* sources[] = {kPrelude, kSource};
    program_ = Program(clCreateProgramWithSource(context_.get(), 2, sources, nullptr, &status));
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_.get(), 1, &device, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = Kernel(clCreateKernel(program_.get(), "build_levels", &status));
    check(status, "clCreateKernel");
    std::size_t items = 0;
    check(clGetKernelWorkGroupInfo(kernel_.get(), device, CL_KERNEL_WORK_GROUP_SIZE, sizeof items, &items, nullptr),
          "clGetKernelWorkGroupInfo");
    cl_ulong memory = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof memory, &memory, nullptr), "clGetDeviceInfo");
    largest_ = std::bit_floor(std::min<std::uint64_t>(std::max<std::size_t>(items, 1), memory / kLocalBytes));
    largest_ = std::clamp<std::uint64_t>(largest_, 1, 1 << 16);
  }
  std::string kind() const override { return "opencl"; }
  std::string name() const override { return name_; }
  std::uint64_t largest_group() const override { return largest_; }

  void run(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves, std::span<Digest> nodes,
           std::span<const Dispatch> plan, RunRecord* record) override {
    if (plan.empty()) return;
    require_groups(*this, plan);
    std::vector<std::uint64_t> table = kernel_table(scheme);
    const bool count = record != nullptr && record->writes != nullptr;
    std::vector<std::uint32_t> writes(count ? nodes.size() : 1);
    const Buffer leaf_buffer = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, leaves.size_bytes(), leaves.data());
    const Buffer table_buffer =
        buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, table.size() * sizeof table[0], table.data());
    const Buffer write_buffer =
        buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, writes.size() * sizeof writes[0], writes.data());
    const Buffer node_buffer = buffer(CL_MEM_READ_WRITE, nodes.size_bytes(), nullptr);
    set(0, leaf_buffer.get());
    set(1, node_buffer.get());
    set(2, table_buffer.get());
    set(4, write_buffer.get());
    set(5, static_cast<cl_int>(count));
    set(6, static_cast<cl_int>(scheme.variant == Variant::c));
    std::vector<Event> events;
    for (const Dispatch& dispatch : plan) events.push_back(start(shape, dispatch));
    check(clFinish(queue_.get()), "clFinish");
    for (const Dispatch& dispatch : plan)
      for (unsigned level = 0; level < dispatch.levels; ++level) {
        const std::uint64_t slot = shape.first_slot(dispatch.height + level);
        read(node_buffer, slot * sizeof(Digest), shape.nodes_at(dispatch.height + level) * sizeof(Digest),
             &nodes[slot]);
      }
    if (record == nullptr) return;
    for (const Event& event : events) record->seconds.push_back(seconds(event));
    if (count) read(write_buffer, 0, writes.size() * sizeof writes[0], record->writes->data());
  }

 private:
  /// Local memory a work-item: its node, and half a node for the turn of the level above.
  static constexpr std::uint64_t kLocalBytes = sizeof(Digest) * 3 / 2;

  Buffer buffer(cl_mem_flags flags, std::size_t bytes, const void* content) const {
    cl_int status = CL_SUCCESS;
    Buffer made(clCreateBuffer(context_.get(), flags, bytes, const_cast<void*>(content), &status));
    check(status, "clCreateBuffer");
    return made;
  }
  template <class T>
  void set(cl_uint index, const T& value) const {
    check(clSetKernelArg(kernel_.get(), index, sizeof value, &value), "clSetKernelArg");
  }
  Event start(const TreeShape& shape, const Dispatch& dispatch) const {
    check(clSetKernelArg(kernel_.get(), 3, std::max<std::size_t>(kLocalBytes * dispatch.group, sizeof(Digest) * 2),
                         nullptr),
          "clSetKernelArg");
    set(7, static_cast<cl_int>(dispatch.height == 1));
    set(8, static_cast<cl_int>(dispatch.levels));
    set(9, static_cast<cl_ulong>(shape.first_slot(dispatch.height)));
    set(10, static_cast<cl_ulong>(dispatch.items));
    set(11, static_cast<cl_ulong>(shape.nodes_at(dispatch.height - 1)));
    const std::size_t group = dispatch.group, all = (dispatch.items + group - 1) / group * group;
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue_.get(), kernel_.get(), 1, nullptr, &all, &group, 0, nullptr, &event),
          "clEnqueueNDRangeKernel");
    return Event(event);
  }
  void read(const Buffer& from, std::size_t offset, std::size_t bytes, void* to) const {
    check(clEnqueueReadBuffer(queue_.get(), from.get(), CL_TRUE, offset, bytes, to, 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }
  static double seconds(const Event& event) {
    cl_ulong begin = 0, end = 0;
    check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr), "timing");
    check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), "timing");
    return static_cast<double>(end - begin) * 1e-9;
  }

  cl_device_id device_;
  std::string name_;
  std::uint64_t largest_ = 1;
  Context context_;
  Queue queue_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

FoundDevices opencl_devices() {
  FoundDevices all;
  // Drivers read the machine's topology there, and end the process where they cannot.
  constexpr const char* kTopology = "/sys/devices/system/cpu";
  if (!std::filesystem::exists(kTopology)) {
    all.left_out.push_back(
        fmt::format("OpenCL devices are left out: their drivers need {}, which is absent", kTopology));
    return all;
  }
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return all;  // no driver installed
  std::vector<cl_platform_id> platforms(count);
  if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return all;
  for (const cl_platform_id platform : platforms) {
    cl_uint found = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &found) != CL_SUCCESS || found == 0) continue;
    std::vector<cl_device_id> ids(found);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, ids.data(), nullptr) != CL_SUCCESS) continue;
    for (const cl_device_id id : ids) {
      try {
        all.devices.push_back(std::make_unique<OpenClDevice>(id));
      } catch (const base::Error& error) {  // a device without a compiler, say: the others still serve
        all.left_out.push_back(fmt::format("an OpenCL device is left out: {}", error.what()));
      }
    }
  }
  return all;
}

}  // namespace tacit::merkle

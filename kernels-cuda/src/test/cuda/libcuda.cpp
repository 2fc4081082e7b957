// A stand-in for libcuda.so.1 over host memory: the driver calls that org.dtorch.cuda makes, with the driver's checks, and
// the kernels of pointwise.cu compiled for the host. For tests only.
//
// Device addresses carry the device in their upper bits, so that host code which reads one crashes, and a kernel or copy
// that is given another device's address fails. DOUBLE_INIT is what cuInit returns, DOUBLE_DEVICES the number of devices;
// each has DEVICE_BYTES of memory.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

struct Index {
    unsigned int x;
};
static thread_local Index blockIdx, threadIdx, blockDim, gridDim;
#define __device__
#define __global__
#define __grid_constant__
#include "../../main/cuda/pointwise.cu"

namespace {
constexpr int SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
              INVALID_CONTEXT = 201, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700;
constexpr size_t DEVICE_BYTES = 1 << 20;
constexpr int DEVICE_SHIFT = 48;

struct Device {
    std::map<uint64_t, size_t> blocks;  // by device address
    size_t used = 0;
};

std::mutex lock;
Device devices[64];
char contexts[64];  // their addresses are the contexts
thread_local int current = -1;

using Kernel = void (*)(Arguments);
const std::map<std::string, Kernel> kernels = {
    {"dtorch_pointwise_float32", [](Arguments a) { dtorch_pointwise_float32(a); }},
    {"dtorch_pointwise_float64", [](Arguments a) { dtorch_pointwise_float64(a); }},
    {"dtorch_pointwise_int64", [](Arguments a) { dtorch_pointwise_int64(a); }},
};

int setting(const char* name, int absent) {
    const char* text = std::getenv(name);
    return text ? std::atoi(text) : absent;
}

int deviceCount() {
    return setting("DOUBLE_DEVICES", 2);
}

int deviceOf(const void* context) {
    return static_cast<int>(static_cast<const char*>(context) - contexts);
}

// The host address of [address, address + bytes) when it lies in one block of the device, else null.
char* host(int device, uint64_t address, size_t bytes) {
    std::lock_guard<std::mutex> held(lock);
    auto after = devices[device].blocks.upper_bound(address);
    if (after == devices[device].blocks.begin()) return nullptr;
    auto block = std::prev(after);
    if (address + bytes > block->first + block->second) return nullptr;
    return reinterpret_cast<char*>(address - (static_cast<uint64_t>(device + 1) << DEVICE_SHIFT));
}

bool translate(Term& term) {
    if (term.dtype == NUMBER) return true;
    char* at = host(current, term.address, 1);
    term.address = reinterpret_cast<uint64_t>(at);
    return at != nullptr;
}
}  // namespace

extern "C" {
int cuInit(unsigned int) {
    return setting("DOUBLE_INIT", SUCCESS);
}

int cuDeviceGetCount(int* count) {
    *count = deviceCount();
    return SUCCESS;
}

int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return ordinal < deviceCount() ? SUCCESS : INVALID_DEVICE;
}

int cuDeviceGetName(char* name, int length, int device) {
    std::snprintf(name, static_cast<size_t>(length), "Double %d", device);
    return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t* bytes, int) {
    *bytes = DEVICE_BYTES;
    return SUCCESS;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
    switch (attribute) {
        case 75: *value = 9; return SUCCESS;  // compute capability, major
        case 76: *value = 0; return SUCCESS;  // minor
        case 16: *value = 2; return SUCCESS;  // multiprocessors
        default: return INVALID_VALUE;
    }
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
    *context = &contexts[device];
    return SUCCESS;
}

int cuCtxSetCurrent(void* context) {
    current = deviceOf(context);
    return SUCCESS;
}

int cuCtxSynchronize() {
    return current < 0 ? INVALID_CONTEXT : SUCCESS;
}

int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
    if (current < 0) return INVALID_CONTEXT;
    if (bytes == 0) return INVALID_VALUE;
    std::lock_guard<std::mutex> held(lock);
    Device& device = devices[current];
    if (bytes > DEVICE_BYTES - device.used) return OUT_OF_MEMORY;
    void* block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(block, 0xcd, bytes);
    *address = reinterpret_cast<uint64_t>(block) + (static_cast<uint64_t>(current + 1) << DEVICE_SHIFT);
    device.blocks[*address] = bytes;
    device.used += bytes;
    return SUCCESS;
}

int cuMemFree_v2(uint64_t address) {
    if (current < 0) return INVALID_CONTEXT;
    std::lock_guard<std::mutex> held(lock);
    Device& device = devices[current];
    auto block = device.blocks.find(address);
    if (block == device.blocks.end()) return INVALID_VALUE;
    device.used -= block->second;
    device.blocks.erase(block);
    std::free(reinterpret_cast<void*>(address - (static_cast<uint64_t>(current + 1) << DEVICE_SHIFT)));
    return SUCCESS;
}

int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
    if (current < 0) return INVALID_CONTEXT;
    char* target = host(current, to, bytes);
    if (!target) return INVALID_VALUE;
    std::memcpy(target, from, bytes);
    return SUCCESS;
}

int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
    if (current < 0) return INVALID_CONTEXT;
    char* source = host(current, from, bytes);
    if (!source) return INVALID_VALUE;
    std::memcpy(to, source, bytes);
    return SUCCESS;
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
    if (current < 0) return INVALID_CONTEXT;
    char* source = host(current, from, bytes);
    char* target = host(current, to, bytes);
    if (!source || !target) return INVALID_VALUE;
    std::memmove(target, source, bytes);
    return SUCCESS;
}

int cuMemcpyPeer(uint64_t to, void* toContext, uint64_t from, void* fromContext, size_t bytes) {
    char* source = host(deviceOf(fromContext), from, bytes);
    char* target = host(deviceOf(toContext), to, bytes);
    if (!source || !target) return INVALID_VALUE;
    std::memcpy(target, source, bytes);
    return SUCCESS;
}

int cuModuleLoadData(void** module, const void* image) {
    if (current < 0) return INVALID_CONTEXT;
    if (!std::strstr(static_cast<const char*>(image), ".target sm_75")) return INVALID_IMAGE;
    *module = strdup(static_cast<const char*>(image));
    return SUCCESS;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
    auto kernel = kernels.find(name);
    std::string entry = ".entry " + std::string(name) + "(";
    if (kernel == kernels.end() || !std::strstr(static_cast<const char*>(module), entry.c_str())) return NOT_FOUND;
    *function = reinterpret_cast<void*>(kernel->second);
    return SUCCESS;
}

int cuLaunchKernel(void* function, unsigned int blocks, unsigned int blocksY, unsigned int blocksZ, unsigned int threads,
                   unsigned int threadsY, unsigned int threadsZ, unsigned int sharedBytes, void* stream,
                   void** parameters, void** extra) {
    if (current < 0) return INVALID_CONTEXT;
    if (blocks == 0 || blocksY != 1 || blocksZ != 1 || threads == 0 || threads > 1024 || threadsY != 1 || threadsZ != 1 ||
        sharedBytes != 0 || stream || extra) {
        return INVALID_VALUE;
    }
    Arguments arguments;
    std::memcpy(&arguments, parameters[0], sizeof arguments);
    bool legal = translate(arguments.out) && translate(arguments.a) &&
                 (arguments.function != ADD || translate(arguments.b));
    if (!legal) return ILLEGAL_ADDRESS;
    blockDim.x = threads;
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) {
            reinterpret_cast<Kernel>(function)(arguments);
        }
    }
    return SUCCESS;
}
}

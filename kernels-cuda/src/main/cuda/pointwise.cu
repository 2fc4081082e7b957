// Pointwise copy, fill and add over strided operands: out[i] = a[i], or a[i] + b[i]; a term may be a number.
//
// nvcc compiles this to PTX (compile.sh); the tests compile it for the host as well, so it uses no header of CUDA's.
// PointwiseArguments.java packs Arguments byte for byte.

constexpr int MAX_RANK = 16;

// The order of org.dtorch.values.DType.
enum DType { BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, NUMBER };

enum Function { COPY, ADD };

// A tensor, or a number (dtype NUMBER), whose bits lie in `address`: a double in floating compute, else a long long.
struct Term {
    unsigned long long address;
    long long strides[MAX_RANK];  // bytes
    int dtype;
    int unused;
};

struct Arguments {
    long long numel;
    long long sizes[MAX_RANK];
    int rank;
    int function;
    Term out, a, b;
};

static_assert(sizeof(Term) == 144 && sizeof(Arguments) == 576, "PointwiseArguments.java knows this layout");

union Bits {
    float f;
    unsigned int u;
};

union WideBits {
    unsigned long long u;
    double d;
    long long i;
};

__device__ inline float fromFloat16(unsigned short bits) {
    unsigned int sign = (bits & 0x8000u) << 16;
    unsigned int exponent = (bits >> 10) & 0x1f;
    unsigned int mantissa = bits & 0x3ff;
    Bits result;
    if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, exact
        result.f = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
        result.u |= sign;
    } else {
        result.u = sign | ((exponent == 0x1f ? 0xff : exponent + 112) << 23) | (mantissa << 13);
    }
    return result.f;
}

// Half to even.
__device__ inline unsigned short toFloat16(float value) {
    Bits in;
    in.f = value;
    unsigned int sign = (in.u >> 16) & 0x8000;
    unsigned int magnitude = in.u & 0x7fffffff;
    if (magnitude > 0x7f800000) {
        return static_cast<unsigned short>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));  // NaN
    }
    if (magnitude >= 0x477ff000) {
        return static_cast<unsigned short>(sign | 0x7c00);  // 65520 and above
    }
    if (magnitude < 0x38800000) {  // below 2^-14: the addition of 0.5 rounds to multiples of 2^-24
        Bits shifted;
        shifted.u = magnitude;
        shifted.f += 0.5f;
        return static_cast<unsigned short>(sign | (shifted.u - 0x3f000000));
    }
    unsigned int odd = (magnitude >> 13) & 1;
    return static_cast<unsigned short>(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

__device__ inline float fromBfloat16(unsigned short bits) {
    Bits result;
    result.u = static_cast<unsigned int>(bits) << 16;
    return result.f;
}

// Half to even; NaN becomes 0x7fc0.
__device__ inline unsigned short toBfloat16(float value) {
    if (value != value) {
        return 0x7fc0;
    }
    Bits in;
    in.f = value;
    return static_cast<unsigned short>((in.u + 0x7fff + ((in.u >> 16) & 1)) >> 16);
}

// What does not fit, and NaN, becomes the smallest integer, as on the CPU.
__device__ inline long long toInt64(double value) {
    return value >= -9223372036854775808.0 && value < 9223372036854775808.0 ? static_cast<long long>(value)
                                                                            : -9223372036854775807LL - 1;
}

__device__ inline long long toInt64(long long value) {
    return value;
}

__device__ inline int toInt32(double value) {
    return value > -2147483649.0 && value < 2147483648.0 ? static_cast<int>(value) : -2147483647 - 1;
}

__device__ inline int toInt32(long long value) {
    return static_cast<int>(value);
}

template <typename C>
__device__ inline C fromReal(double value) {
    return static_cast<C>(value);
}

template <>
__device__ inline long long fromReal<long long>(double value) {
    return toInt64(value);
}

template <typename C>
__device__ inline C number(const Term& term) {
    WideBits bits;
    bits.u = term.address;
    return static_cast<C>(bits.d);
}

template <>
__device__ inline long long number<long long>(const Term& term) {
    WideBits bits;
    bits.u = term.address;
    return bits.i;
}

template <typename C>
__device__ inline C load(const Term& term, long long offset) {
    const char* at = reinterpret_cast<const char*>(term.address) + offset;
    switch (term.dtype) {
        case BOOL: return static_cast<C>(*at != 0 ? 1 : 0);
        case UINT8: return static_cast<C>(*reinterpret_cast<const unsigned char*>(at));
        case INT8: return static_cast<C>(*reinterpret_cast<const signed char*>(at));
        case INT16: return static_cast<C>(*reinterpret_cast<const short*>(at));
        case INT32: return static_cast<C>(*reinterpret_cast<const int*>(at));
        case INT64: return static_cast<C>(*reinterpret_cast<const long long*>(at));
        case FLOAT16: return fromReal<C>(fromFloat16(*reinterpret_cast<const unsigned short*>(at)));
        case BFLOAT16: return fromReal<C>(fromBfloat16(*reinterpret_cast<const unsigned short*>(at)));
        case FLOAT32: return fromReal<C>(*reinterpret_cast<const float*>(at));
        case FLOAT64: return fromReal<C>(*reinterpret_cast<const double*>(at));
        default: return number<C>(term);
    }
}

template <typename C>
__device__ inline void store(const Term& term, long long offset, C value) {
    char* at = reinterpret_cast<char*>(term.address) + offset;
    switch (term.dtype) {
        case BOOL: *at = value != 0 ? 1 : 0; break;
        case UINT8:
        case INT8: *at = static_cast<char>(toInt32(value)); break;
        case INT16: *reinterpret_cast<short*>(at) = static_cast<short>(toInt32(value)); break;
        case INT32: *reinterpret_cast<int*>(at) = toInt32(value); break;
        case INT64: *reinterpret_cast<long long*>(at) = toInt64(value); break;
        case FLOAT16: *reinterpret_cast<unsigned short*>(at) = toFloat16(static_cast<float>(value)); break;
        case BFLOAT16: *reinterpret_cast<unsigned short*>(at) = toBfloat16(static_cast<float>(value)); break;
        case FLOAT32: *reinterpret_cast<float*>(at) = static_cast<float>(value); break;
        case FLOAT64: *reinterpret_cast<double*>(at) = static_cast<double>(value); break;
    }
}

// Bool and integer sums wrap.
__device__ inline float add(float a, float b) {
    return a + b;
}

__device__ inline double add(double a, double b) {
    return a + b;
}

__device__ inline long long add(long long a, long long b) {
    return static_cast<long long>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
}

template <typename C>
__device__ inline void pointwise(const Arguments& arguments) {
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < arguments.numel; i += step) {
        long long rest = i;
        long long out = 0;
        long long a = 0;
        long long b = 0;
        for (int d = arguments.rank - 1; d >= 0; d--) {
            long long next = rest / arguments.sizes[d];
            long long index = rest - next * arguments.sizes[d];
            out += index * arguments.out.strides[d];
            a += index * arguments.a.strides[d];
            b += index * arguments.b.strides[d];
            rest = next;
        }
        C value = load<C>(arguments.a, a);
        if (arguments.function == ADD) {
            value = add(value, load<C>(arguments.b, b));
        }
        store<C>(arguments.out, out, value);
    }
}

extern "C" __global__ void dtorch_pointwise_float32(const __grid_constant__ Arguments arguments) {
    pointwise<float>(arguments);
}

extern "C" __global__ void dtorch_pointwise_float64(const __grid_constant__ Arguments arguments) {
    pointwise<double>(arguments);
}

extern "C" __global__ void dtorch_pointwise_int64(const __grid_constant__ Arguments arguments) {
    pointwise<long long>(arguments);
}

package org.dtorch.ffi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.dtorch.values.DTorchError;

/**
 * Matrix products of OpenBLAS, row-major, each call on the calling thread alone.
 *
 * <p>Source: the {@code cblas.h} of OpenBLAS 0.3.31. Matrices lie in native memory and are given by address,
 * and the caller keeps them alive; sizes and leading dimensions are in elements. The library is found by
 * {@link OpenBlasLibrary} when this class is first used.
 *
 * <p>Every function throws a {@link DTorchError} of kind RUNTIME that says what to install when there is no library.
 */
public final class OpenBlas {
    private static final int ROW_MAJOR = 101;
    private static final int NO_TRANS = 111;
    private static final int TRANS = 112;

    private static final SymbolLookup LIBRARY;
    /** Why there is no library; every call then says so. */
    private static final DTorchError ABSENCE;

    static {
        SymbolLookup library = null;
        DTorchError absence = null;
        try {
            library = OpenBlasLibrary.load();
        } catch (DTorchError e) {
            absence = e;
        }
        LIBRARY = library;
        ABSENCE = absence;
    }

    private static final MethodHandle SGEMM = gemm("cblas_sgemm", JAVA_FLOAT);
    private static final MethodHandle DGEMM = gemm("cblas_dgemm", JAVA_DOUBLE);
    private static final MethodHandle SGEMV = gemv("cblas_sgemv", JAVA_FLOAT);
    private static final MethodHandle DGEMV = gemv("cblas_dgemv", JAVA_DOUBLE);

    static {
        // The threads are ours: one call uses one core, callers split large products.
        MethodHandle setThreads = downcall("openblas_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT));
        if (setThreads != null) {
            try {
                setThreads.invokeExact(1);
            } catch (Throwable t) {
                throw ForeignCall.failure("openblas_set_num_threads", t);
            }
        }
    }

    private OpenBlas() {}

    /** {@code c[m,n] = alpha * op(a)[m,k] * op(b)[k,n] + beta * c} in float32; op transposes where the flag says so. */
    public static void sgemm(
            boolean transA,
            boolean transB,
            int m,
            int n,
            int k,
            float alpha,
            long a,
            int lda,
            long b,
            int ldb,
            float beta,
            long c,
            int ldc) {
        requirePresent();
        try {
            SGEMM.invokeExact(
                    ROW_MAJOR,
                    transA ? TRANS : NO_TRANS,
                    transB ? TRANS : NO_TRANS,
                    m,
                    n,
                    k,
                    alpha,
                    a,
                    lda,
                    b,
                    ldb,
                    beta,
                    c,
                    ldc);
        } catch (Throwable t) {
            throw ForeignCall.failure("cblas_sgemm", t);
        }
    }

    /** {@code c[m,n] = alpha * op(a)[m,k] * op(b)[k,n] + beta * c} in float64; op transposes where the flag says so. */
    public static void dgemm(
            boolean transA,
            boolean transB,
            int m,
            int n,
            int k,
            double alpha,
            long a,
            int lda,
            long b,
            int ldb,
            double beta,
            long c,
            int ldc) {
        requirePresent();
        try {
            DGEMM.invokeExact(
                    ROW_MAJOR,
                    transA ? TRANS : NO_TRANS,
                    transB ? TRANS : NO_TRANS,
                    m,
                    n,
                    k,
                    alpha,
                    a,
                    lda,
                    b,
                    ldb,
                    beta,
                    c,
                    ldc);
        } catch (Throwable t) {
            throw ForeignCall.failure("cblas_dgemm", t);
        }
    }

    /** {@code y = op(a[m,n]) * x + beta * y} in float32, with the distances between the elements of x and of y. */
    public static void sgemv(
            boolean trans, int m, int n, long a, int lda, long x, int incX, float beta, long y, int incY) {
        requirePresent();
        try {
            SGEMV.invokeExact(ROW_MAJOR, trans ? TRANS : NO_TRANS, m, n, 1f, a, lda, x, incX, beta, y, incY);
        } catch (Throwable t) {
            throw ForeignCall.failure("cblas_sgemv", t);
        }
    }

    /** {@code y = op(a[m,n]) * x + beta * y} in float64, with the distances between the elements of x and of y. */
    public static void dgemv(
            boolean trans, int m, int n, long a, int lda, long x, int incX, double beta, long y, int incY) {
        requirePresent();
        try {
            DGEMV.invokeExact(ROW_MAJOR, trans ? TRANS : NO_TRANS, m, n, 1d, a, lda, x, incX, beta, y, incY);
        } catch (Throwable t) {
            throw ForeignCall.failure("cblas_dgemv", t);
        }
    }

    private static void requirePresent() {
        if (ABSENCE != null) {
            throw new DTorchError(ABSENCE.kind(), ABSENCE.getMessage(), ABSENCE);
        }
    }

    // Pointers are declared as 64-bit integers: a call then pays for no liveness check per argument.
    private static MethodHandle gemm(String symbol, ValueLayout real) {
        return downcall(
                symbol,
                FunctionDescriptor.ofVoid(
                        JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, real, JAVA_LONG, JAVA_INT,
                        JAVA_LONG, JAVA_INT, real, JAVA_LONG, JAVA_INT));
    }

    private static MethodHandle gemv(String symbol, ValueLayout real) {
        return downcall(
                symbol,
                FunctionDescriptor.ofVoid(
                        JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, real, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, real,
                        JAVA_LONG, JAVA_INT));
    }

    private static MethodHandle downcall(String symbol, FunctionDescriptor descriptor) {
        return LIBRARY == null ? null : Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(symbol), descriptor);
    }
}

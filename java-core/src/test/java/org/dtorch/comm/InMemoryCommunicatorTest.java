package org.dtorch.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.placement.ReduceOp;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class InMemoryCommunicatorTest {
    private final RecordedCommunicator communicator =
            new RecordedCommunicator(new InMemoryCommunicator(new org.dtorch.backend.cpu.CpuBackend()));
    private final CommunicationRecord record = communicator.record();

    private static Group group(int size) {
        int[] ids = new int[size];
        Arrays.setAll(ids, i -> 10 + i);
        return new Group(ids, "tp");
    }

    /** An operand with random strides: dimensions in random order of memory, gaps between them. */
    private static Operand operand(Random random, DType dtype, long... sizes) {
        int rank = sizes.length;
        Integer[] order = new Integer[rank];
        Arrays.setAll(order, i -> i);
        if (random.nextBoolean()) {
            java.util.Collections.shuffle(Arrays.asList(order), random);
        }
        long[] strides = new long[rank];
        long step = random.nextInt(3) == 0 ? 2 : 1;
        for (int i = rank - 1; i >= 0; i--) {
            strides[order[i]] = step;
            step = step * Math.max(1, sizes[order[i]]) + (random.nextInt(3) == 0 ? 3 : 0);
        }
        long offset = random.nextInt(4);
        MemorySegment segment = Arena.ofAuto().allocate((offset + step + 1) * dtype.bytes(), 64);
        return new Operand(new Memory(segment, 0), offset, dtype, sizes, strides);
    }

    private static long position(Operand operand, long index) {
        long at = operand.offset();
        long rest = index;
        for (int d = operand.rank() - 1; d >= 0; d--) {
            at += rest % operand.sizes()[d] * operand.strides()[d];
            rest /= operand.sizes()[d];
        }
        return at * operand.dtype().bytes();
    }

    private static double get(Operand operand, long index) {
        MemorySegment segment = operand.memory().segment();
        long at = position(operand, index);
        return switch (operand.dtype()) {
            case BOOL, INT8 -> segment.get(ValueLayout.JAVA_BYTE, at);
            case UINT8 -> segment.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
            case INT16 -> segment.get(ValueLayout.JAVA_SHORT, at);
            case INT32 -> segment.get(ValueLayout.JAVA_INT, at);
            case INT64 -> segment.get(ValueLayout.JAVA_LONG, at);
            case FLOAT16 -> Float.float16ToFloat(segment.get(ValueLayout.JAVA_SHORT, at));
            case BFLOAT16 -> Float.intBitsToFloat(segment.get(ValueLayout.JAVA_SHORT, at) << 16);
            case FLOAT32 -> segment.get(ValueLayout.JAVA_FLOAT, at);
            case FLOAT64 -> segment.get(ValueLayout.JAVA_DOUBLE, at);
        };
    }

    private static void set(Operand operand, long index, double value) {
        MemorySegment segment = operand.memory().segment();
        long at = position(operand, index);
        switch (operand.dtype()) {
            case BOOL, INT8, UINT8 -> segment.set(ValueLayout.JAVA_BYTE, at, (byte) (int) value);
            case INT16 -> segment.set(ValueLayout.JAVA_SHORT, at, (short) value);
            case INT32 -> segment.set(ValueLayout.JAVA_INT, at, (int) value);
            case INT64 -> segment.set(ValueLayout.JAVA_LONG, at, (long) value);
            case FLOAT16 -> segment.set(ValueLayout.JAVA_SHORT, at, Float.floatToFloat16((float) value));
            case BFLOAT16 ->
                segment.set(ValueLayout.JAVA_SHORT, at, (short) (Float.floatToRawIntBits((float) value) >>> 16));
            case FLOAT32 -> segment.set(ValueLayout.JAVA_FLOAT, at, (float) value);
            case FLOAT64 -> segment.set(ValueLayout.JAVA_DOUBLE, at, value);
        }
    }

    private static Operand filled(Operand operand, IntToDoubleFunction values) {
        for (int i = 0; i < operand.numel(); i++) {
            set(operand, i, values.applyAsDouble(i));
        }
        return operand;
    }

    private static double[] values(Operand operand) {
        double[] values = new double[(int) operand.numel()];
        Arrays.setAll(values, i -> get(operand, i));
        return values;
    }

    /** Uneven sizes that add up to {@code total}, empty ones among them. */
    private static long[] cut(Random random, int parts, long total) {
        long[] sizes = new long[parts];
        for (long i = 0; i < total; i++) {
            sizes[random.nextInt(parts)]++;
        }
        return sizes;
    }

    /** Element of the whole tensor (sizes 5, 7, 6) at the given indices. */
    private static double whole(long i, long j, long k) {
        return (i * 7 + j) * 6 + k - 100;
    }

    private static double[] wholeValues() {
        double[] values = new double[210];
        Arrays.setAll(values, i -> whole(i / 42, i / 6 % 7, i % 6));
        return values;
    }

    /** The piece of the whole tensor that starts at {@code start} along {@code dim}. */
    private static double[] piece(int dim, long start, long size) {
        long[] sizes = {5, 7, 6};
        sizes[dim] = size;
        double[] values = new double[(int) (sizes[0] * sizes[1] * sizes[2])];
        Arrays.setAll(values, i -> {
            long[] at = {i / (sizes[1] * sizes[2]), i / sizes[2] % sizes[1], i % sizes[2]};
            at[dim] += start;
            return whole(at[0], at[1], at[2]);
        });
        return values;
    }

    private static long[] sizes(int dim, long size) {
        long[] sizes = {5, 7, 6};
        sizes[dim] = size;
        return sizes;
    }

    private static Operand[] pieces(Random random, DType dtype, int dim, long[] parts) {
        Operand[] pieces = new Operand[parts.length];
        long start = 0;
        for (int r = 0; r < parts.length; r++) {
            double[] values = piece(dim, start, parts[r]);
            pieces[r] = filled(operand(random, dtype, sizes(dim, parts[r])), i -> values[i]);
            start += parts[r];
        }
        return pieces;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void gatherAndExchangeUnevenStridedPieces(long seed) {
        Random random = new Random(seed);
        int n = 1 + random.nextInt(5);
        DType dtype = new DType[] {DType.FLOAT32, DType.INT64, DType.INT16, DType.FLOAT64}[random.nextInt(4)];
        int dim = random.nextInt(3);
        long[] parts = cut(random, n, sizes(0, 5)[dim]);
        Operand[] in = pieces(random, dtype, dim, parts);
        Operand[] out = new Operand[n];
        Arrays.setAll(out, r -> operand(random, dtype, 5, 7, 6));
        communicator.allGather(group(n), dim, in, out);
        for (Operand each : out) {
            assertThat(values(each)).as("seed %d", seed).isEqualTo(wholeValues());
        }

        int toDim = (dim + 1 + random.nextInt(2)) % 3;
        long[] toParts = cut(random, n, sizes(0, 5)[toDim]);
        Operand[] exchanged = new Operand[n];
        Arrays.setAll(exchanged, r -> operand(random, dtype, sizes(toDim, toParts[r])));
        communicator.allToAll(group(n), dim, toDim, in, exchanged);
        long start = 0;
        for (int r = 0; r < n; r++) {
            assertThat(values(exchanged[r])).as("seed %d", seed).isEqualTo(piece(toDim, start, toParts[r]));
            start += toParts[r];
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void reduceUnevenStridedPieces(long seed) {
        Random random = new Random(seed);
        int n = 2 + random.nextInt(4);
        int dim = random.nextInt(3);
        ReduceOp op = ReduceOp.values()[random.nextInt(5)];
        double[] wanted = new double[210];
        Operand[] in = new Operand[n];
        double[][] terms = new double[n][];
        for (int r = 0; r < n; r++) {
            terms[r] = random.ints(210, -3, 4).asDoubleStream().toArray();
            double[] mine = terms[r];
            in[r] = filled(operand(random, DType.FLOAT32, 5, 7, 6), i -> mine[i]);
        }
        Arrays.setAll(wanted, i -> {
            float result = (float) terms[0][i];
            for (int r = 1; r < n; r++) {
                float next = (float) terms[r][i];
                result = switch (op) {
                    case SUM, AVG -> result + next;
                    case PRODUCT -> result * next;
                    case MAX -> Math.max(result, next);
                    case MIN -> Math.min(result, next);
                };
            }
            return op == ReduceOp.AVG ? result / n : result;
        });
        Operand[] out = new Operand[n];
        Arrays.setAll(out, r -> operand(random, DType.FLOAT32, 5, 7, 6));
        communicator.allReduce(group(n), op, in, out);
        for (Operand each : out) {
            assertThat(values(each)).as("seed %d", seed).isEqualTo(wanted);
        }

        long[] parts = cut(random, n, sizes(0, 5)[dim]);
        Operand[] scattered = new Operand[n];
        Arrays.setAll(scattered, r -> operand(random, DType.FLOAT32, sizes(dim, parts[r])));
        communicator.reduceScatter(group(n), dim, op, in, scattered);
        long start = 0;
        for (int r = 0; r < n; r++) {
            Operand part = HostMath.slice(out[0], dim, start, parts[r]);
            assertThat(values(scattered[r])).as("seed %d", seed).isEqualTo(values(part));
            start += parts[r];
        }
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void sumsInEveryDtype(DType dtype) {
        Random random = new Random(3);
        Operand[] in = new Operand[3];
        Arrays.setAll(
                in, r -> filled(operand(random, dtype, 4, 3), i -> dtype == DType.BOOL ? i % (r + 2) & 1 : i + r));
        communicator.allReduce(group(3), ReduceOp.SUM, in, in); // in place
        for (Operand each : in) {
            for (int i = 0; i < 12; i++) {
                double wanted = dtype == DType.BOOL ? Math.min(1, (i % 2 & 1) + (i % 3 & 1) + (i % 4 & 1)) : 3 * i + 3;
                assertThat(get(each, i)).isEqualTo(wanted);
            }
        }
    }

    @Test
    void integersWrapAndUnsignedOnesCompareAsSuch() {
        Random random = new Random(4);
        Operand[] in = {
            filled(operand(random, DType.UINT8, 2), i -> i == 0 ? 200 : 100),
            filled(operand(random, DType.UINT8, 2), i -> i == 0 ? 100 : 255)
        };
        Operand[] sum = {operand(random, DType.UINT8, 2), null};
        communicator.allReduce(group(2), ReduceOp.SUM, in, sum);
        assertThat(values(sum[0])).containsExactly(44, 99);
        communicator.allReduce(group(2), ReduceOp.MAX, in, sum);
        assertThat(values(sum[0])).containsExactly(200, 255);
    }

    @Test
    void sixteenBitSumsAreRoundedOnce() {
        Random random = new Random(5);
        // in float16, 2048 + 1 rounds to 2048, and again; in float32 it is 2050 first
        for (DType dtype : new DType[] {DType.FLOAT16, DType.BFLOAT16}) {
            double large = dtype == DType.FLOAT16 ? 2048 : 256;
            Operand[] in = new Operand[3];
            Arrays.setAll(in, r -> filled(operand(random, dtype, 1), i -> r == 0 ? large : 1));
            communicator.allReduce(group(3), ReduceOp.SUM, in, in);
            assertThat(get(in[2], 0)).isEqualTo(large + 2);
        }
    }

    @Test
    void nanWins() {
        Random random = new Random(6);
        for (ReduceOp op : new ReduceOp[] {ReduceOp.MAX, ReduceOp.MIN}) {
            Operand[] in = {
                filled(operand(random, DType.BFLOAT16, 1), i -> 1),
                filled(operand(random, DType.BFLOAT16, 1), i -> Double.NaN)
            };
            communicator.allReduce(group(2), op, in, in);
            assertThat(get(in[0], 0)).isNaN();
        }
    }

    @Test
    void largeOperandsAreSplitAmongWorkers() {
        int n = 700_001;
        Operand[] in = new Operand[2];
        for (int r = 0; r < 2; r++) {
            int member = r;
            in[r] = filled(
                    new Operand(
                            new Memory(Arena.ofAuto().allocate(4L * n, 64), 0),
                            0,
                            DType.FLOAT32,
                            new long[] {n},
                            new long[] {1}),
                    i -> (i % 1000) * (member + 1));
        }
        Operand[] all = {
            new Operand(
                    new Memory(Arena.ofAuto().allocate(8L * n, 64), 0),
                    0,
                    DType.FLOAT32,
                    new long[] {2L * n},
                    new long[] {1}),
            null
        };
        communicator.allGather(group(2), 0, in, all);
        for (int i = 0; i < n; i += 997) {
            assertThat(get(all[0], i)).isEqualTo(i % 1000);
            assertThat(get(all[0], n + i)).isEqualTo(i % 1000 * 2);
        }
        communicator.allReduce(group(2), ReduceOp.SUM, in, in);
        for (int i = 0; i < n; i += 997) {
            assertThat(get(in[1], i)).isEqualTo(i % 1000 * 3);
        }
    }

    @Test
    void oneOutputForAllIsFilledOnceAndCountsForAll() {
        Random random = new Random(7);
        Operand[] in = {
            filled(operand(random, DType.FLOAT32, 2), i -> i), filled(operand(random, DType.FLOAT32, 2), i -> i)
        };
        Operand shared = operand(random, DType.FLOAT32, 4);
        communicator.allGather(group(2), 0, in, new Operand[] {shared, shared});
        assertThat(values(shared)).containsExactly(0, 1, 0, 1);
        assertThat(record.calls().getFirst().bytes()).containsExactly(8, 8);
    }

    @Test
    void theRecordCountsBytesReceived() {
        Random random = new Random(8);
        Group three = group(3);
        Operand[] thirds = {
            operand(random, DType.FLOAT32, 2), operand(random, DType.FLOAT32, 2), operand(random, DType.FLOAT32, 1)
        };
        Operand[] full = new Operand[3];
        Arrays.setAll(full, r -> operand(random, DType.FLOAT32, 5));
        communicator.allGather(three, 0, thirds, full);
        communicator.reduceScatter(three, 0, ReduceOp.SUM, full, thirds);
        Operand[] six = new Operand[3];
        Arrays.setAll(six, r -> operand(random, DType.FLOAT32, 6));
        communicator.allReduce(three, ReduceOp.SUM, six, six);
        communicator.broadcast(three, 1, new Operand[] {null, full[1], null}, full);
        communicator.move(three, new Communicator.Move[] {
            new Communicator.Move(0, 2, full[0], full[2]), new Communicator.Move(1, 1, full[1], full[0])
        });
        Operand[] rows = new Operand[3];
        Operand[] columns = new Operand[3];
        Arrays.setAll(rows, r -> operand(random, DType.FLOAT32, 1, 6));
        Arrays.setAll(columns, r -> operand(random, DType.FLOAT32, 3, 2));
        communicator.allToAll(three, 0, 1, rows, columns);
        assertThat(record.calls().stream().map(CommunicationRecord.Call::toString))
                .containsExactly(
                        "all-gather tp[10, 11, 12] [12, 12, 16]",
                        "reduce-scatter tp[10, 11, 12] [16, 16, 8]",
                        "all-reduce tp[10, 11, 12] [32, 32, 32]",
                        "broadcast tp[10, 11, 12] [20, 0, 20]",
                        "send/recv tp[10, 11, 12] [0, 0, 20]",
                        "all-to-all tp[10, 11, 12] [16, 16, 16]");
        assertThat(record.count()).isEqualTo(6);
        assertThat(record.count(Collective.MOVE)).isEqualTo(1);
        assertThat(record.bytes(12)).isEqualTo(16 + 8 + 32 + 20 + 20 + 16);
        assertThat(record.totalBytes())
                .isEqualTo(record.bytesByDevice().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
        record.reset();
        assertThat(record.count()).isZero();
        assertThat(record.totalBytes()).isZero();
    }

    @Test
    void operandsThatDoNotFitAreRefusedBeforeAnythingIsWritten() {
        Random random = new Random(9);
        Group two = group(2);
        Operand[] in = {operand(random, DType.FLOAT32, 3), operand(random, DType.FLOAT32, 4)};
        Operand[] out = {filled(operand(random, DType.FLOAT32, 3), i -> 7), operand(random, DType.FLOAT32, 3)};
        assertThatThrownBy(() -> communicator.allReduce(two, ReduceOp.SUM, in, out))
                .isInstanceOf(DTorchError.class)
                .hasMessage(
                        "all-reduce on tp[10, 11]: input of member 1 is float32[4], while input of member 0 is float32[3]");
        assertThatThrownBy(() -> communicator.allGather(two, 0, in, out))
                .hasMessageContaining("output of member 0 is float32[3]")
                .hasMessageContaining("size 7 along dim 0 is needed");
        Operand[] wrong = {operand(random, DType.FLOAT32, 3), operand(random, DType.FLOAT64, 3)};
        assertThatThrownBy(() -> communicator.allReduce(two, ReduceOp.SUM, wrong, out))
                .hasMessageContaining("float64[3]");
        assertThatThrownBy(() -> communicator.broadcast(two, 1, in, out)).hasMessageContaining("output of member 0");
        assertThatThrownBy(() ->
                        communicator.move(two, new Communicator.Move[] {new Communicator.Move(1, 0, in[1], in[0])}))
                .hasMessage("send/recv on tp[10, 11]: member 1 sends float32[4], member 0 expects float32[3]");
        assertThatThrownBy(() -> communicator.reduceScatter(two, 0, ReduceOp.SUM, new Operand[] {in[1], in[1]}, out))
                .hasMessageContaining("add up to 6");
        assertThatThrownBy(() -> communicator.allToAll(
                        two,
                        0,
                        1,
                        new Operand[] {operand(random, DType.FLOAT32, 1, 4), operand(random, DType.FLOAT32, 1, 4)},
                        new Operand[] {operand(random, DType.FLOAT32, 2, 2), operand(random, DType.FLOAT32, 3, 2)}))
                .hasMessageContaining("output of member 1 is float32[3, 2]");
        assertThatThrownBy(() -> communicator.allReduce(two, ReduceOp.SUM, new Operand[] {in[0], null}, out))
                .hasMessageContaining("member 1 belongs to another process");
        Operand[] whole = {operand(random, DType.INT32, 3), operand(random, DType.INT32, 3)};
        assertThatThrownBy(() -> communicator.allReduce(two, ReduceOp.AVG, whole, whole))
                .hasMessageContaining("floating dtype");
        assertThat(values(out[0])).containsExactly(7, 7, 7);
        assertThat(record.count()).isZero();
    }

    @Test
    void theRecordIsBounded() {
        Group one = group(1);
        for (int i = 0; i < CommunicationRecord.MOST_CALLS + 5; i++) {
            record.add(Collective.ALL_REDUCE, one, new long[] {1});
        }
        assertThat(record.calls()).hasSize(CommunicationRecord.MOST_CALLS);
        assertThat(record.count()).isEqualTo(CommunicationRecord.MOST_CALLS + 5);
    }
}

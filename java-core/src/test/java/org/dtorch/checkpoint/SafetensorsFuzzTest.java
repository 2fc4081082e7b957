package org.dtorch.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broken file loads or raises {@link DTorchError}; it never does anything else, nor asks for much memory. */
class SafetensorsFuzzTest {
    private static final int MUTATIONS = 5_000;
    private static final long MAX_ALLOCATED_BYTES = 4 << 20;
    private static final long SEED = 20_260_101;

    private static final String[] TOKENS = {
        "-1",
        "0",
        "9223372036854775807",
        "18446744073709551615",
        "4611686018427387904",
        "1e3",
        "null",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"F32\"",
        "\"F8_E5M2\"",
        "\"__metadata__\"",
        "\\u0000",
        "\\ud800",
        ",",
        ":",
        "]",
        "}",
        "[[[[[[[[",
        "{{"
    };

    @TempDir
    private Path folder;

    @Test
    void mutatedFilesLoadOrAreRefused() throws IOException {
        byte[] valid = Files.readAllBytes(SafetensorsFileTest.golden(folder));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Path path = folder.resolve("mutated.safetensors");
        Random random = new Random(SEED);
        int loaded = 0;
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = mutated(valid, random);
            Files.write(path, bytes);
            long before = threads.getCurrentThreadAllocatedBytes();
            try (SafetensorsFile file = SafetensorsFile.open(path)) {
                readAll(file);
                loaded++;
            } catch (DTorchError e) {
                assertThat(e).hasMessageStartingWith(path.toString());
                refused++;
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                fail("mutation " + i + " of seed " + SEED + ": " + Arrays.toString(bytes), e);
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("mutation %d of seed %d", i, SEED).isLessThan(MAX_ALLOCATED_BYTES);
        }
        assertThat(loaded).isGreaterThan(MUTATIONS / 50);
        assertThat(refused).isGreaterThan(MUTATIONS / 2);
    }

    private static void readAll(SafetensorsFile file) {
        for (String name : file.names()) {
            SafetensorsFile.Entry entry = file.entry(name);
            byte[] values = new byte[(int) entry.data().byteSize()];
            long[] offsets = new long[entry.shape().rank()];
            entry.copyPart(offsets, entry.shape().toArray(), MemorySegment.ofArray(values));
        }
    }

    private static byte[] mutated(byte[] valid, Random random) {
        int headerBytes =
                (int) ByteBuffer.wrap(valid).order(ByteOrder.LITTLE_ENDIAN).getLong();
        byte[] header = Arrays.copyOfRange(valid, 8, 8 + headerBytes);
        byte[] data = Arrays.copyOfRange(valid, 8 + headerBytes, valid.length);
        long length = headerBytes;
        int changes = 1 + random.nextInt(3);
        for (int change = 0; change < changes; change++) {
            switch (random.nextInt(7)) {
                case 0 -> header[random.nextInt(header.length)] = (byte) random.nextInt(256);
                case 1 -> header = spliced(header, random, TOKENS[random.nextInt(TOKENS.length)]);
                case 2 -> header = numberReplaced(header, random);
                case 3 -> header = swapped(header, random);
                case 4 -> data = Arrays.copyOf(data, random.nextInt(2 * data.length));
                case 5 -> length = random.nextBoolean() ? random.nextLong() : random.nextInt(2 * valid.length);
                default -> data[random.nextInt(data.length)]++;
            }
            if (data.length == 0) {
                data = new byte[1];
            }
        }
        if (length == headerBytes && random.nextInt(8) != 0) {
            length = header.length; // keep the prefix right, so that the header itself is tried
        }
        byte[] all = ByteBuffer.allocate(8 + header.length + data.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(length)
                .put(header)
                .put(data)
                .array();
        return random.nextInt(10) == 0 ? Arrays.copyOf(all, random.nextInt(all.length)) : all;
    }

    /** Puts a token at a random place, over some of what stood there. */
    private static byte[] spliced(byte[] header, Random random, String token) {
        int from = random.nextInt(header.length);
        int to = Math.min(header.length, from + random.nextInt(6));
        return joined(header, from, to, token);
    }

    private static byte[] numberReplaced(byte[] header, Random random) {
        int from = random.nextInt(header.length);
        while (from < header.length && !Character.isDigit(header[from])) {
            from++;
        }
        int to = from;
        while (to < header.length && Character.isDigit(header[to])) {
            to++;
        }
        String number = random.nextBoolean() ? TOKENS[random.nextInt(6)] : String.valueOf(random.nextInt(100));
        return joined(header, from, to, number);
    }

    /** Doubles or moves a stretch of text. */
    private static byte[] swapped(byte[] header, Random random) {
        int from = random.nextInt(header.length);
        int to = Math.min(header.length, from + random.nextInt(80));
        int at = random.nextInt(header.length);
        return joined(header, at, at, new String(header, from, to - from, StandardCharsets.ISO_8859_1));
    }

    private static byte[] joined(byte[] header, int from, int to, String middle) {
        String text = new String(header, StandardCharsets.ISO_8859_1);
        return (text.substring(0, from) + middle + text.substring(to)).getBytes(StandardCharsets.ISO_8859_1);
    }
}

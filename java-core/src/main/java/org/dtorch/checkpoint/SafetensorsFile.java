package org.dtorch.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * A safetensors file, mapped into memory for reading and checked as a whole when opened.
 *
 * <p>Values are little-endian. The file's bytes may be read by any number of threads until it is closed. Source: the
 * format description of the safetensors project.
 */
public final class SafetensorsFile implements AutoCloseable {
    /** The longest header that is accepted, as in the format's own reader. */
    public static final long MAX_HEADER_BYTES = 100_000_000;

    private static final int PREFIX_BYTES = 8;

    private final Path path;
    private final Arena arena;
    private final Map<String, Entry> entries;
    private final Map<String, String> metadata;

    private SafetensorsFile(Path path, Arena arena, Map<String, Entry> entries, Map<String, String> metadata) {
        this.path = path;
        this.arena = arena;
        this.entries = Collections.unmodifiableMap(entries);
        this.metadata = Collections.unmodifiableMap(metadata);
    }

    /**
     * One tensor of a file.
     *
     * @param data the values, dense and row-major; not necessarily aligned; gone when the file is closed
     */
    public record Entry(String name, DType dtype, Shape shape, MemorySegment data) {

        /**
         * Copies a rectangular part, dense and row-major, to the beginning of {@code destination}; the rest is not
         * read.
         *
         * @throws DTorchError of kind INDEX if the part does not lie within the tensor, VALUE if it does not fit
         */
        public void copyPart(long[] offsets, long[] sizes, MemorySegment destination) {
            Rectangle part = new Rectangle("tensor '" + name + "'", shape, offsets, sizes);
            long bytes = dtype.bytes();
            if (destination.byteSize() < part.elements() * bytes) {
                throw DTorchError.value(
                        "tensor '%s': a part of %d bytes does not fit into %d bytes",
                        name, part.elements() * bytes, destination.byteSize());
            }
            part.forEachRun((inTensor, inPart, elements) ->
                    MemorySegment.copy(data, inTensor * bytes, destination, inPart * bytes, elements * bytes));
        }
    }

    /**
     * Opens and checks a file.
     *
     * @throws DTorchError of kind IO if the file cannot be read or ends too early, VALUE if it is not a safetensors
     *     file
     */
    @SuppressWarnings("MustBeClosedChecker") // the file owns the arena and closes it in close()
    public static SafetensorsFile open(Path path) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = channel.size();
            SafetensorsHeader header;
            byte[] json = readHeader(path, channel, size);
            long dataBegin = PREFIX_BYTES + json.length;
            header = SafetensorsHeader.parse(path, json, size - dataBegin);
            Arena arena = Arena.ofShared();
            try {
                MemorySegment data = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena)
                        .asSlice(dataBegin);
                Map<String, Entry> entries = new LinkedHashMap<>();
                for (SafetensorsHeader.Slot slot : header.tensors().values()) {
                    MemorySegment values = data.asSlice(slot.begin(), slot.end() - slot.begin());
                    entries.put(slot.name(), new Entry(slot.name(), slot.dtype(), slot.shape(), values));
                }
                return new SafetensorsFile(path, arena, entries, header.metadata());
            } catch (IOException | RuntimeException e) {
                arena.close();
                throw e;
            }
        } catch (NoSuchFileException e) {
            throw new DTorchError(DTorchError.Kind.IO, path + ": no such file", e);
        } catch (IOException e) {
            throw new DTorchError(DTorchError.Kind.IO, path + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static byte[] readHeader(Path path, FileChannel channel, long size) throws IOException {
        if (size < PREFIX_BYTES) {
            throw new DTorchError(
                    DTorchError.Kind.IO,
                    "%s: %d bytes are too few for a safetensors file: truncated?".formatted(path, size));
        }
        long length = read(channel, 0, PREFIX_BYTES).getLong();
        if (length < 0 || length > MAX_HEADER_BYTES) {
            throw DTorchError.value(
                    "%s: a header of %s bytes is longer than the %d allowed: not a safetensors file?",
                    path, Long.toUnsignedString(length), MAX_HEADER_BYTES);
        }
        if (length > size - PREFIX_BYTES) {
            throw DTorchError.value(
                    "%s: a header of %d bytes does not fit into a file of %d bytes: truncated or not a safetensors"
                            + " file?",
                    path, length, size);
        }
        return read(channel, PREFIX_BYTES, (int) length).array();
    }

    private static ByteBuffer read(FileChannel channel, long position, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, position + buffer.position()) < 0) {
                throw new IOException("the file ended while it was read");
            }
        }
        return buffer.flip();
    }

    public Path path() {
        return path;
    }

    /** The tensors' names in the order of the header. */
    public Set<String> names() {
        return entries.keySet();
    }

    /** The free texts of the header. */
    public Map<String, String> metadata() {
        return metadata;
    }

    /**
     * The tensor called {@code name}.
     *
     * @throws DTorchError of kind KEY if the file has none
     */
    public Entry entry(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw DTorchError.key("tensor '%s' is not in %s", name, path);
        }
        return entry;
    }

    /** Unmaps the file; its entries cannot be read from then on. Closing again does nothing. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}

package org.dtorch.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * Writes a safetensors file beside its final place and moves it there when it is complete.
 *
 * <p>The tensors are declared first and may then be written in any order and in parts. Equal declarations give equal
 * bytes, those of the safetensors project's own writer: wider dtypes first, then by name, data aligned to eight bytes.
 */
public final class SafetensorsWriter implements AutoCloseable {
    private static final int ALIGNMENT = 8;
    private static final int CHUNK_BYTES = 1 << 20;

    private final Path target;
    private final Path partial;
    private final FileChannel channel;
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES); // a channel takes no array of numbers
    private final Map<String, Slot> slots = new LinkedHashMap<>();
    private boolean finished;

    /** A tensor that a file will hold. */
    public record Declaration(String name, DType dtype, Shape shape) {}

    private static final class Slot {
        private final Declaration declaration;
        private final long position;
        private long bytesMissing;

        Slot(Declaration declaration, long position, long bytes) {
            this.declaration = declaration;
            this.position = position;
            this.bytesMissing = bytes;
        }
    }

    /**
     * Begins a file.
     *
     * @param metadata free texts for the header; none are written if it is empty
     * @throws DTorchError of kind VALUE if a name occurs twice or is reserved, IO if the folder cannot be written
     */
    public SafetensorsWriter(Path target, Collection<Declaration> tensors, Map<String, String> metadata) {
        this.target = target.toAbsolutePath();
        List<Declaration> ordered = new ArrayList<>(tensors);
        ordered.sort(Comparator.comparingInt((Declaration d) -> StoredDType.rank(d.dtype))
                .thenComparing(Declaration::name));
        ByteBuffer header = header(ordered, metadata);
        this.partial = this.target.resolveSibling(this.target.getFileName() + "." + UUID.randomUUID() + ".partial");
        try {
            this.channel = FileChannel.open(partial, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        } catch (IOException e) {
            throw failed(e);
        }
        try {
            write(header, 0);
        } catch (IOException e) {
            close();
            throw failed(e);
        }
    }

    /** Writes a whole tensor from the first bytes of {@code values}, dense and row-major. */
    public void write(String name, MemorySegment values) {
        Shape shape = slot(name).declaration.shape;
        writePart(name, new long[shape.rank()], shape.toArray(), values);
    }

    /**
     * Writes a rectangular part of a tensor from the first bytes of {@code values}, dense and row-major.
     *
     * @throws DTorchError of kind KEY, INDEX or VALUE if tensor, part or bytes do not fit the declaration
     */
    public void writePart(String name, long[] offsets, long[] sizes, MemorySegment values) {
        Slot slot = slot(name);
        long bytes = slot.declaration.dtype.bytes();
        Rectangle part = new Rectangle("tensor '" + name + "'", slot.declaration.shape, offsets, sizes);
        if (values.byteSize() < part.elements() * bytes) {
            throw DTorchError.value(
                    "tensor '%s': a part of %d bytes was given only %d",
                    name, part.elements() * bytes, values.byteSize());
        }
        try {
            part.forEachRun((inTensor, inPart, elements) ->
                    write(values.asSlice(inPart * bytes, elements * bytes), slot.position + inTensor * bytes));
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        }
        slot.bytesMissing -= part.elements() * bytes;
    }

    /**
     * Moves the complete file to its place, replacing what was there.
     *
     * @throws DTorchError of kind VALUE if a tensor was not written, or parts of it more than once
     */
    public void finish() {
        for (Slot slot : slots.values()) {
            if (slot.bytesMissing != 0) {
                throw DTorchError.value(
                        "%s: tensor '%s' was written %s (%d bytes)",
                        target,
                        slot.declaration.name,
                        slot.bytesMissing > 0 ? "incompletely" : "more than once",
                        Math.abs(slot.bytesMissing));
            }
        }
        try {
            channel.force(true);
            channel.close();
            try {
                Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw failed(e);
        }
        finished = true;
    }

    /** Drops what was written, unless {@link #finish} came before. */
    @Override
    public void close() {
        if (finished) {
            return;
        }
        try {
            channel.close();
            Files.deleteIfExists(partial);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private ByteBuffer header(List<Declaration> ordered, Map<String, String> metadata) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        Map<String, Long> begins = new LinkedHashMap<>();
        long end = 0;
        try (JsonGenerator generator = new JsonFactory().createGenerator(json)) {
            generator.writeStartObject();
            if (!metadata.isEmpty()) {
                generator.writeObjectFieldStart(SafetensorsHeader.METADATA);
                for (Map.Entry<String, String> text : new TreeMap<>(metadata).entrySet()) {
                    generator.writeStringField(text.getKey(), text.getValue());
                }
                generator.writeEndObject();
            }
            for (Declaration tensor : ordered) {
                if (tensor.name.equals(SafetensorsHeader.METADATA) || begins.put(tensor.name, end) != null) {
                    throw DTorchError.value("%s: tensor name '%s' is reserved or used twice", target, tensor.name);
                }
                long begin = end;
                end = Math.addExact(end, bytes(tensor));
                generator.writeObjectFieldStart(tensor.name);
                generator.writeStringField("dtype", StoredDType.nameOf(tensor.dtype));
                generator.writeFieldName("shape");
                long[] sizes = tensor.shape.toArray();
                generator.writeArray(sizes, 0, sizes.length);
                generator.writeFieldName("data_offsets");
                generator.writeArray(new long[] {begin, end}, 0, 2);
                generator.writeEndObject();
            }
            generator.writeEndObject();
        } catch (IOException e) {
            throw failed(e);
        }
        int padded = (json.size() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (padded > SafetensorsFile.MAX_HEADER_BYTES) {
            throw DTorchError.value(
                    "%s: a header of %d bytes exceeds the %d that readers accept",
                    target, padded, SafetensorsFile.MAX_HEADER_BYTES);
        }
        long data = Long.BYTES + padded;
        for (Declaration tensor : ordered) {
            slots.put(tensor.name, new Slot(tensor, data + begins.get(tensor.name), bytes(tensor)));
        }
        ByteBuffer header = ByteBuffer.allocate(Long.BYTES + padded).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(padded).put(json.toByteArray());
        while (header.hasRemaining()) {
            header.put((byte) ' ');
        }
        return header.flip();
    }

    private static long bytes(Declaration tensor) {
        return Math.multiplyExact(tensor.shape.numel(), tensor.dtype.bytes());
    }

    private Slot slot(String name) {
        Slot slot = slots.get(name);
        if (slot == null) {
            throw DTorchError.key("tensor '%s' was not declared for %s", name, target);
        }
        return slot;
    }

    private void write(MemorySegment values, long position) {
        try {
            for (long done = 0; done < values.byteSize(); done += CHUNK_BYTES) {
                long bytes = Math.min(CHUNK_BYTES, values.byteSize() - done);
                chunk.clear().limit((int) bytes);
                MemorySegment.copy(values, done, MemorySegment.ofBuffer(chunk), 0, bytes);
                write(chunk, position + done);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(ByteBuffer buffer, long position) throws IOException {
        long at = position;
        while (buffer.hasRemaining()) {
            at += channel.write(buffer, at);
        }
    }

    private DTorchError failed(IOException e) {
        return new DTorchError(DTorchError.Kind.IO, target + ": cannot be written: " + e.getMessage(), e);
    }
}

package org.dtorch.tokenizer;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.dtorch.values.DTorchError;

/**
 * Turns text into token ids and back, by a model's {@code tokenizer.json}.
 *
 * <p>The work is done by Hugging Face's own library through DJL, whose native code comes with its Maven artifact; it is
 * unpacked and loaded when the first tokenizer is opened. Nothing is downloaded or reported anywhere. Several threads
 * may use one tokenizer.
 */
public final class Tokenizer implements AutoCloseable {
    /** The file that a model's folder has. */
    public static final String FILE = "tokenizer.json";

    /** DJL's switch against downloads and telemetry; it must be set before its native library is loaded. */
    private static final String DJL_OFFLINE = "ai.djl.offline";

    /** Texts are neither cut nor padded; DJL's default would cut them at 512 tokens. */
    private static final Map<String, String> OPTIONS = Map.of("truncation", "do_not_truncate", "padding", "do_not_pad");

    private final Path path;
    private final HuggingFaceTokenizer delegate;
    private final SpecialTokens specialTokens;

    private Tokenizer(Path path, HuggingFaceTokenizer delegate, SpecialTokens specialTokens) {
        this.path = path;
        this.delegate = delegate;
        this.specialTokens = specialTokens;
    }

    /**
     * Opens a file, or {@link #FILE} of a folder; the ids of special tokens come from {@code tokenizer_config.json} or
     * {@code config.json} beside it.
     *
     * @throws DTorchError of kind IO if the file cannot be read, VALUE if it is not a tokenizer
     */
    public static Tokenizer open(Path path) {
        Path file = Files.isDirectory(path) ? path.resolve(FILE) : path;
        byte[] json;
        try {
            json = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new DTorchError(DTorchError.Kind.IO, file + ": no such file", e);
        } catch (IOException e) {
            throw new DTorchError(DTorchError.Kind.IO, file + ": cannot be read: " + e.getMessage(), e);
        }
        SpecialTokens specialTokens = SpecialTokens.read(file, json);
        System.setProperty(DJL_OFFLINE, "true");
        try {
            HuggingFaceTokenizer delegate = HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(json), OPTIONS);
            return new Tokenizer(file, delegate, specialTokens);
        } catch (IOException | RuntimeException e) {
            throw new DTorchError(DTorchError.Kind.VALUE, file + ": not a tokenizer: " + e.getMessage(), e);
        }
    }

    /** The ids of {@code text}; with special tokens only those that the tokenizer's post-processor adds. */
    public long[] encode(String text, boolean addSpecialTokens) {
        return delegate.encode(wellFormed(text), addSpecialTokens, false).getIds();
    }

    /**
     * The ids of {@code text} as a model expects a prompt: with special tokens, and begun by {@link #bosId} if known.
     */
    public long[] encodePrompt(String text) {
        long[] ids = encode(text, true);
        OptionalLong bos = bosId();
        if (bos.isEmpty() || (ids.length > 0 && ids[0] == bos.getAsLong())) {
            return ids;
        }
        long[] begun = new long[ids.length + 1];
        begun[0] = bos.getAsLong();
        System.arraycopy(ids, 0, begun, 1, ids.length);
        return begun;
    }

    /** The ids of several texts, each of its own length. */
    public List<long[]> encodeBatch(List<String> texts, boolean addSpecialTokens) {
        List<long[]> ids = new ArrayList<>();
        List<String> wellFormed = texts.stream().map(Tokenizer::wellFormed).toList();
        for (Encoding encoding : delegate.batchEncode(wellFormed, addSpecialTokens, false)) {
            ids.add(encoding.getIds());
        }
        return ids;
    }

    /**
     * The text of {@code ids}.
     *
     * @throws DTorchError of kind INDEX if an id is negative or above the range of the library
     */
    public String decode(long[] ids, boolean skipSpecialTokens) {
        requireIds(ids);
        return delegate.decode(ids, skipSpecialTokens);
    }

    /** The texts of several lists of ids. */
    public List<String> decodeBatch(List<long[]> ids, boolean skipSpecialTokens) {
        ids.forEach(this::requireIds);
        return List.of(delegate.batchDecode(ids.toArray(long[][]::new), skipSpecialTokens));
    }

    /** The number of different tokens, added ones included. */
    public int vocabularySize() {
        return specialTokens.vocabularySize();
    }

    /** The id that begins a text, if the model's files name one. */
    public OptionalLong bosId() {
        return specialTokens.bos();
    }

    /** The id that ends a text, if the model's files name one. */
    public OptionalLong eosId() {
        return specialTokens.eos();
    }

    @Override
    public void close() {
        delegate.close();
    }

    /** Puts U+FFFD for halves of characters: the library would garble the whole text over one. */
    private static String wellFormed(String text) {
        return StandardCharsets.UTF_16BE
                .decode(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_16BE)))
                .toString();
    }

    /** The library takes what it does not know for nothing, but cannot take what does not fit 32 bits. */
    private void requireIds(long[] ids) {
        for (long id : ids) {
            if (id < 0 || id > 0xffffffffL) {
                throw DTorchError.index("%s: token id %d is out of range [0, %d)", path, id, vocabularySize());
            }
        }
    }
}

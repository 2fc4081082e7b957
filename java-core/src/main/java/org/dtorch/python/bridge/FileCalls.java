package org.dtorch.python.bridge;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.dtorch.api.Tensor;
import org.dtorch.checkpoint.Checkpoint;
import org.dtorch.checkpoint.ModelConfig;
import org.dtorch.checkpoint.SafetensorsFile;
import org.dtorch.tokenizer.Tokenizer;
import org.dtorch.values.DType;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;

/** Checkpoints and tokenizers. */
public final class FileCalls {
    private final Bridge bridge;

    FileCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    /** The text of a model's {@code config.json}, checked to be one JSON object. */
    @HostAccess.Export
    public String config(String path) {
        try {
            Path given = Path.of(path);
            ModelConfig.read(given);
            return Files.readString(Files.isDirectory(given) ? given.resolve(ModelConfig.FILE) : given);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Checkpoint checkpoint(String path) {
        try {
            return Checkpoint.open(Path.of(path));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** The names of a checkpoint's tensors. */
    @HostAccess.Export
    public String[] names(Checkpoint checkpoint) {
        return checkpoint.names().toArray(new String[0]);
    }

    /** A tensor of a checkpoint, in memory only as far as it is read. */
    @HostAccess.Export
    public SafetensorsFile.Entry entry(Checkpoint checkpoint, String name) {
        try {
            return checkpoint.entry(name);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Value shape(SafetensorsFile.Entry entry) {
        return bridge.guest().size(entry.shape());
    }

    @HostAccess.Export
    public Value dtype(SafetensorsFile.Entry entry) {
        return bridge.guest().dtype(entry.dtype());
    }

    /** The whole tensor, of the stored dtype unless another is asked for. */
    @HostAccess.Export
    public Tensor tensor(SafetensorsFile.Entry entry, Creation creation) {
        try {
            Tensor stored = creation.owner().fromSegment(entry.data(), entry.shape(), entry.dtype(), creation.layout());
            DType wanted = creation.dtype();
            if (wanted == null || wanted == entry.dtype()) {
                return stored;
            }
            try (stored) {
                return creation.owner().call(org.dtorch.op.OpTable.get("cast"), stored, wanted)[0];
            }
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public void close(Checkpoint checkpoint) {
        checkpoint.close();
    }

    @HostAccess.Export
    public Tokenizer tokenizer(String path) {
        try {
            return Tokenizer.open(Path.of(path));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public long[] encode(Tokenizer tokenizer, String text, boolean addSpecialTokens) {
        try {
            return tokenizer.encode(text, addSpecialTokens);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public String decode(Tokenizer tokenizer, long[] ids, boolean skipSpecialTokens) {
        try {
            return tokenizer.decode(ids, skipSpecialTokens);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public int vocabularySize(Tokenizer tokenizer) {
        return tokenizer.vocabularySize();
    }

    /** Begin and end of text, -1 where the tokenizer has none. */
    @HostAccess.Export
    public long[] boundaries(Tokenizer tokenizer) {
        List<Long> ids = new ArrayList<>();
        ids.add(tokenizer.bosId().orElse(-1));
        ids.add(tokenizer.eosId().orElse(-1));
        return ids.stream().mapToLong(Long::longValue).toArray();
    }
}

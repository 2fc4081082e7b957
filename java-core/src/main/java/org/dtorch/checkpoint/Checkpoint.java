package org.dtorch.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.dtorch.values.DTorchError;

/**
 * The weights of a model: one safetensors file, or several with an index that says which holds what.
 *
 * <p>Files are opened when a tensor in them is first asked for. Several threads may read at once.
 */
public final class Checkpoint implements AutoCloseable {
    /** The file that a folder with all weights in one file has. */
    public static final String SINGLE = "model.safetensors";

    /** The file that a folder with weights in several files has. */
    public static final String INDEX = "model.safetensors.index.json";

    private final Path location;
    private final Map<String, Path> fileOf;
    private final Map<Path, SafetensorsFile> open = new HashMap<>();

    private Checkpoint(Path location, Map<String, Path> fileOf) {
        this.location = location;
        this.fileOf = Collections.unmodifiableMap(fileOf);
    }

    /**
     * Opens a safetensors file, an index, or a folder with either; the single file goes before the index.
     *
     * @throws DTorchError of kind IO if there is none or it cannot be read, VALUE if it is malformed
     */
    public static Checkpoint open(Path path) {
        if (!Files.isDirectory(path)) {
            return path.getFileName().toString().endsWith(".json") ? indexed(path) : single(path);
        }
        Path single = path.resolve(SINGLE);
        if (Files.exists(single)) {
            return single(single);
        }
        Path index = path.resolve(INDEX);
        if (Files.exists(index)) {
            return indexed(index);
        }
        throw new DTorchError(DTorchError.Kind.IO, "%s holds neither %s nor %s".formatted(path, SINGLE, INDEX));
    }

    private static Checkpoint single(Path path) {
        SafetensorsFile file = SafetensorsFile.open(path);
        Map<String, Path> fileOf = new LinkedHashMap<>();
        file.names().forEach(name -> fileOf.put(name, path));
        Checkpoint checkpoint = new Checkpoint(path, fileOf);
        checkpoint.open.put(path, file);
        return checkpoint;
    }

    private static Checkpoint indexed(Path index) {
        if (!(JsonFile.read(index).get("weight_map") instanceof ObjectNode map)) {
            throw DTorchError.value("%s: has no object 'weight_map'", index);
        }
        Path folder = index.toAbsolutePath().getParent();
        Map<String, Path> fileOf = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> weight : map.properties()) {
            String name = weight.getValue().textValue();
            if (name == null || !isPlainFileName(name)) {
                throw DTorchError.value(
                        "%s: the file of tensor '%s' must be a plain file name, but is %s",
                        index, weight.getKey(), weight.getValue());
            }
            fileOf.put(weight.getKey(), folder.resolve(name));
        }
        return new Checkpoint(index, fileOf);
    }

    /** An index must not reach outside of its folder. */
    private static boolean isPlainFileName(String name) {
        return !List.of("", ".", "..").contains(name) && name.chars().noneMatch(c -> c == '/' || c == '\\' || c == 0);
    }

    /** The names of all tensors, in the order of the file or index. */
    public Set<String> names() {
        return fileOf.keySet();
    }

    public boolean contains(String name) {
        return fileOf.containsKey(name);
    }

    /**
     * The tensor called {@code name}; its file is opened if it was not.
     *
     * @throws DTorchError of kind KEY if there is no such tensor or its file lacks it, IO if the file is absent; both
     *     name tensor and file
     */
    public synchronized SafetensorsFile.Entry entry(String name) {
        Path path = fileOf.get(name);
        if (path == null) {
            throw DTorchError.key("tensor '%s' is not in %s", name, location);
        }
        SafetensorsFile file = open.get(path);
        if (file == null) {
            if (!Files.exists(path)) {
                throw new DTorchError(
                        DTorchError.Kind.IO,
                        "%s: the file that %s names for tensor '%s' does not exist".formatted(path, location, name));
            }
            file = SafetensorsFile.open(path);
            open.put(path, file);
        }
        if (!file.names().contains(name)) {
            throw DTorchError.key("tensor '%s' is not in %s, where %s says it is", name, path, location);
        }
        return file.entry(name);
    }

    /** Closes the files; entries cannot be read from then on. */
    @Override
    public synchronized void close() {
        open.values().forEach(SafetensorsFile::close);
        open.clear();
    }
}

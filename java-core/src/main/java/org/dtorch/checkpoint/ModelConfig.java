package org.dtorch.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.dtorch.values.DTorchError;

/**
 * The settings of a model, read from its {@code config.json}.
 *
 * <p>A key whose value is null counts as absent. A missing key is an error of kind KEY, a value of another type one of
 * kind TYPE; both name the key and the file.
 */
public final class ModelConfig {
    /** The file that a model's folder has. */
    public static final String FILE = "config.json";

    private final Path path;
    private final ObjectNode values;

    private ModelConfig(Path path, ObjectNode values) {
        this.path = path;
        this.values = values;
    }

    /**
     * Reads a file, or {@link #FILE} of a folder.
     *
     * @throws DTorchError of kind IO if it cannot be read, VALUE if it is not one JSON object
     */
    public static ModelConfig read(Path path) {
        Path file = Files.isDirectory(path) ? path.resolve(FILE) : path;
        return new ModelConfig(file, JsonFile.read(file));
    }

    /** The keys that have a value, in the order of the file. */
    public Set<String> keys() {
        Set<String> keys = new LinkedHashSet<>();
        values.properties().forEach(entry -> {
            if (!entry.getValue().isNull()) {
                keys.add(entry.getKey());
            }
        });
        return keys;
    }

    public boolean has(String key) {
        return values.hasNonNull(key);
    }

    public int intValue(String key) {
        JsonNode value = required(key);
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw mismatch(key, value, "an integer");
        }
        return value.intValue();
    }

    public int intValue(String key, int absent) {
        return has(key) ? intValue(key) : absent;
    }

    public long longValue(String key) {
        JsonNode value = required(key);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw mismatch(key, value, "an integer");
        }
        return value.longValue();
    }

    public long longValue(String key, long absent) {
        return has(key) ? longValue(key) : absent;
    }

    public double doubleValue(String key) {
        JsonNode value = required(key);
        if (!value.isNumber()) {
            throw mismatch(key, value, "a number");
        }
        return value.doubleValue();
    }

    public double doubleValue(String key, double absent) {
        return has(key) ? doubleValue(key) : absent;
    }

    public boolean booleanValue(String key) {
        JsonNode value = required(key);
        if (!value.isBoolean()) {
            throw mismatch(key, value, "true or false");
        }
        return value.booleanValue();
    }

    public boolean booleanValue(String key, boolean absent) {
        return has(key) ? booleanValue(key) : absent;
    }

    public String text(String key) {
        JsonNode value = required(key);
        if (!value.isTextual()) {
            throw mismatch(key, value, "a string");
        }
        return value.textValue();
    }

    public String text(String key, String absent) {
        return has(key) ? text(key) : absent;
    }

    /** An object within this one, for example {@code rope_scaling}. */
    public ModelConfig nested(String key) {
        JsonNode value = required(key);
        if (value instanceof ObjectNode object) {
            return new ModelConfig(path, object);
        }
        throw mismatch(key, value, "an object");
    }

    private JsonNode required(String key) {
        if (!has(key)) {
            throw DTorchError.key("'%s' is missing in %s", key, path);
        }
        return values.get(key);
    }

    private DTorchError mismatch(String key, JsonNode value, String expected) {
        return DTorchError.type("'%s' in %s must be %s, but is %s", key, path, expected, value);
    }

    @Override
    public String toString() {
        return path + " " + values;
    }
}

package org.dtorch.nn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.runtime.Settings;
import org.dtorch.values.Shape;

/** What {@code conformance/record/record_modules.py} recorded from PyTorch, and the formulas it uses. */
final class Goldens {
    static final JsonNode ALL = read();
    static final long SEED = ALL.get("seed").asLong();

    private Goldens() {}

    private static JsonNode read() {
        try (InputStream in = Goldens.class.getResourceAsStream("/goldens/modules.json")) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(String name) {
        return ALL.get("texts").get(name).asText();
    }

    static double[] doubles(JsonNode values) {
        double[] numbers = new double[values.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = values.get(i).asDouble();
        }
        return numbers;
    }

    static long[] longs(JsonNode values) {
        if (!values.isArray()) {
            return new long[] {values.asLong()};
        }
        long[] numbers = new long[values.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = values.get(i).asLong();
        }
        return numbers;
    }

    /** Element i is ((37 i) mod 101 - 50) / 25. */
    static Tensor ramp(DTorch dt, long... shape) {
        float[] values = new float[Math.toIntExact(Shape.of(shape).numel())];
        for (int i = 0; i < values.length; i++) {
            values[i] = ((37 * i) % 101 - 50) / 25f;
        }
        return dt.tensor(values, shape);
    }

    /** One context that shares replicas and one in which every simulated device is on its own. */
    static List<DTorch> contexts() {
        List<DTorch> contexts = new ArrayList<>();
        for (String isolate : List.of("0", "1")) {
            contexts.add(DTorch.open(Settings.fromEnvironment(Map.of("DTORCH_ISOLATE", isolate)), () -> ""));
        }
        return contexts;
    }

    static DeviceMesh mesh(String names, int... shape) {
        return DeviceMesh.init(DeviceType.CPU, shape, List.of(names.split(",")));
    }
}

package org.dtorch.python.bridge;

import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.dtorch.api.DTorch;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.graalvm.polyglot.Value;

/**
 * The Python objects that stand for Java values, each made once: handing out one that is there is much cheaper than
 * letting Python read a Java sequence.
 */
final class Guest {
    private static final int MOST_INTERNED = 4096;

    private final Map<String, Value> makers = new LinkedHashMap<>();
    private final Map<DType, Value> dtypes = new EnumMap<>(DType.class);
    private final Map<Shape, Value> sizes = new LinkedHashMap<>();
    private final Map<DeviceMesh, Value> meshes = new LinkedHashMap<>();
    private final Map<List<Placement>, Value> placements = new LinkedHashMap<>();
    private final Map<DTorch, Value> graphs = new IdentityHashMap<>();
    private final Function<Throwable, RuntimeException> failures;

    Guest(Function<Throwable, RuntimeException> failures) {
        this.failures = failures;
    }

    /** What a method that Python calls throws in place of {@code failure}. */
    RuntimeException failure(Throwable failure) {
        return failures.apply(failure);
    }

    /** Takes the Python function that makes the objects of one kind. */
    void attach(String kind, Value maker) {
        makers.put(kind, maker);
    }

    void attach(DType dtype, Value object) {
        dtypes.put(dtype, object);
    }

    Value dtype(DType dtype) {
        return dtypes.get(dtype);
    }

    Value size(Shape shape) {
        return interned(sizes, shape, key -> {
            Object[] arguments = new Object[key.rank()];
            for (int d = 0; d < arguments.length; d++) {
                arguments[d] = key.size(d);
            }
            return maker("size").execute(arguments);
        });
    }

    Value mesh(DeviceMesh mesh) {
        return interned(meshes, mesh, key -> maker("mesh").execute(key));
    }

    /** A Python tuple. */
    Value placements(List<Placement> list) {
        return interned(
                placements,
                list,
                key -> maker("placements").execute(key.stream().map(Guest::form).toArray()));
    }

    Value graph(DTorch graph) {
        return interned(graphs, graph, key -> maker("graph").execute(key));
    }

    void adopt(DTorch graph, Value object) {
        graphs.put(graph, object);
    }

    /** What {@code Placement(text)} reads. */
    static String form(Placement placement) {
        return placement.shortName();
    }

    private Value maker(String kind) {
        Value maker = makers.get(kind);
        if (maker == null) {
            throw DTorchError.runtime("the Python package has not said how to make a %s", kind);
        }
        return maker;
    }

    private static <K> Value interned(Map<K, Value> known, K key, Function<K, Value> make) {
        Value object = known.get(key);
        if (object == null) {
            object = make.apply(key);
            if (known.size() >= MOST_INTERNED) {
                known.clear();
            }
            known.put(key, object);
        }
        return object;
    }
}

package org.dtorch.op;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.values.DTorchError;

/** All rows, by name, in the order of their declaration; an in-place form stands behind its row. */
public final class OpTable {
    /** The classes that hold rows; a new family is entered here. */
    private static final List<Class<?>> FAMILIES = List.of(
            PointwiseOps.class,
            ComparisonOps.class,
            ActivationOps.class,
            CastOps.class,
            TensorOps.class,
            ViewOps.class,
            ReductionOps.class,
            OrderOps.class,
            ContractionOps.class,
            NormOps.class,
            AttentionOps.class,
            IndexOps.class,
            JoinOps.class,
            CreateOps.class,
            RandomOps.class);

    private static final Map<String, Op> ROWS = collect();

    private OpTable() {}

    public static Collection<Op> all() {
        return ROWS.values();
    }

    /** The row of that name; an error of kind NOT_IMPLEMENTED names it if there is none. */
    public static Op get(String name) {
        Op op = ROWS.get(name);
        if (op == null) {
            throw DTorchError.notImplemented("operator %s is not implemented", name);
        }
        return op;
    }

    private static Map<String, Op> collect() {
        Map<String, Op> rows = new LinkedHashMap<>();
        for (Class<?> family : FAMILIES) {
            for (Field field : family.getDeclaredFields()) {
                if (field.getType() == Op.class && Modifier.isStatic(field.getModifiers())) {
                    enter(rows, row(field));
                }
            }
        }
        return Collections.unmodifiableMap(rows);
    }

    private static Op row(Field field) {
        try {
            return (Op) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("row " + field + " must be public", e);
        }
    }

    private static void enter(Map<String, Op> rows, Op op) {
        if (rows.putIfAbsent(op.name(), op) != null) {
            throw new IllegalStateException("operator " + op.name() + " is declared twice");
        }
        if (op.inPlace() != null && !rows.containsValue(op.inPlace())) {
            enter(rows, op.inPlace());
        }
    }
}

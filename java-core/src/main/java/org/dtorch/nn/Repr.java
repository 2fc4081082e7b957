package org.dtorch.nn;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Values as Python prints them. */
final class Repr {
    private Repr() {}

    static String flag(boolean value) {
        return value ? "True" : "False";
    }

    static String tuple(long... values) {
        String inside = Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(", "));
        return "(" + inside + (values.length == 1 ? ",)" : ")");
    }

    /** The shortest form that reads back the same; an exponent below 1e-4 and from 1e16 on. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
        }
        double size = Math.abs(value);
        if (size == 0 || (size >= 1e-4 && size < 1e16)) {
            String plain = new BigDecimal(Double.toString(value)).toPlainString();
            return plain.contains(".") ? plain : plain + ".0";
        }
        String[] parts = Double.toString(value).split("E");
        String digits = parts[0].endsWith(".0") ? parts[0].substring(0, parts[0].length() - 2) : parts[0];
        int exponent = Integer.parseInt(parts[1]);
        return digits + "e" + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}

package org.dtorch.api;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/**
 * How the numbers of one tensor are printed, all alike.
 *
 * @param width columns of the widest one
 */
record NumberText(Style style, int width) {
    private static final int PRECISION = 4;

    private enum Style {
        /** Integers and bool. */
        PLAIN,
        /** Floats that are all whole: {@code 1.}. */
        WHOLE,
        FIXED,
        SCIENTIFIC
    }

    static NumberText of(List<Scalar> values, DType dtype) {
        if (!dtype.isFloating()) {
            return measured(Style.PLAIN, values);
        }
        List<Scalar> counted = values.stream()
                .filter(v -> Double.isFinite(v.toDouble()) && v.toDouble() != 0)
                .toList();
        if (counted.isEmpty()) {
            return new NumberText(Style.WHOLE, 1);
        }
        double most =
                counted.stream().mapToDouble(v -> Math.abs(v.toDouble())).max().orElseThrow();
        double least =
                counted.stream().mapToDouble(v -> Math.abs(v.toDouble())).min().orElseThrow();
        boolean whole = counted.stream().allMatch(v -> v.toDouble() == Math.ceil(v.toDouble()));
        boolean wide = most / least > 1000 || most > 1e8;
        Style style = wide || (!whole && least < 1e-4) ? Style.SCIENTIFIC : whole ? Style.WHOLE : Style.FIXED;
        return measured(style, counted);
    }

    private static NumberText measured(Style style, List<Scalar> values) {
        int width = 1;
        for (Scalar value : values) {
            width = Math.max(width, text(style, value).length());
        }
        return new NumberText(style, width);
    }

    String format(Scalar value) {
        String text = text(style, value);
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    private static String text(Style style, Scalar value) {
        double number = value.toDouble();
        if (style == Style.PLAIN) {
            return value.toString();
        }
        if (Double.isNaN(number)) {
            return "nan";
        }
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        String digits = switch (style) {
            case WHOLE -> fixed(number, 0) + ".";
            case FIXED -> fixed(number, PRECISION);
            case SCIENTIFIC -> scientific(number);
            case PLAIN -> throw new IllegalStateException();
        };
        boolean negative = number < 0 || (number == 0 && 1 / number < 0);
        return negative ? "-" + digits : digits;
    }

    /** The exact binary value, rounded half to even as C's printf does; without sign. */
    private static String fixed(double number, int places) {
        return new BigDecimal(Math.abs(number))
                .setScale(places, RoundingMode.HALF_EVEN)
                .toPlainString();
    }

    private static String scientific(double number) {
        if (number == 0) {
            return "0." + "0".repeat(PRECISION) + "e+00";
        }
        BigDecimal rounded =
                new BigDecimal(Math.abs(number)).round(new MathContext(PRECISION + 1, RoundingMode.HALF_EVEN));
        String digits = rounded.unscaledValue().toString();
        int exponent = digits.length() - 1 - rounded.scale();
        digits = digits + "0".repeat(Math.max(0, PRECISION + 1 - digits.length()));
        return digits.charAt(0) + "." + digits.substring(1, PRECISION + 1) + "e" + (exponent < 0 ? "-" : "+")
                + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}

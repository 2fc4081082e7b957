package org.dtorch.backend.cpu.simd;

import java.lang.System.Logger.Level;
import org.dtorch.backend.cpu.vector.VectorWidth;

/**
 * How wide the CPU kernels compute, decided once.
 *
 * @param bits the width of one vector, 0 when the kernels compute one value at a time
 * @param isForced whether the user asked for it; then the vector loops are used at once, compiled or not
 * @param reason why, for people
 */
public record Simd(int bits, boolean isForced, String reason) {
    /** Forces the width: 0 (scalar), 128, 256 or 512; absent means the machine's preferred one. */
    public static final String PROPERTY = "dtorch.simd";

    private static final String MODULE = "jdk.incubator.vector";
    private static final Simd CHOSEN = choose(System.getProperty(PROPERTY));

    /** The choice of this process. */
    public static Simd chosen() {
        return CHOSEN;
    }

    public boolean isScalar() {
        return bits == 0;
    }

    private static Simd choose(String wanted) {
        if (wanted != null && !wanted.matches("0|128|256|512")) {
            throw new IllegalArgumentException(PROPERTY + "=" + wanted + ", expected 0, 128, 256 or 512");
        }
        if ("0".equals(wanted)) {
            return new Simd(0, true, "scalar, as " + PROPERTY + "=0 asks");
        }
        if (!modulePresent()) {
            String reason = "scalar, because the module " + MODULE + " is absent; add --add-modules " + MODULE;
            System.getLogger("org.dtorch.backend.cpu").log(Level.WARNING, "CPU kernels are slow: " + reason);
            return new Simd(0, false, reason);
        }
        int preferred = VectorWidth.preferredBits();
        if (wanted == null) {
            return new Simd(preferred, false, preferred + " bits, the machine's preferred width");
        }
        return new Simd(
                Integer.parseInt(wanted), true, wanted + " bits, as " + PROPERTY + " asks; preferred " + preferred);
    }

    private static boolean modulePresent() {
        try {
            Class.forName(MODULE + ".FloatVector", false, Simd.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}

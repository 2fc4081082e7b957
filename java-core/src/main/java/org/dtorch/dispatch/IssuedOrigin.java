package org.dtorch.dispatch;

import java.util.function.Supplier;
import org.dtorch.runtime.Origin;

/** An origin that finds its script line once, when it is first needed. */
abstract class IssuedOrigin implements Origin {
    private final Supplier<String> line;
    private volatile String noted;

    IssuedOrigin(Supplier<String> line) {
        this.line = line;
    }

    @Override
    public final String scriptLine() {
        String known = noted;
        return known == null ? "" : known;
    }

    @Override
    public final void noteScriptLine() {
        if (noted == null) {
            noted = line.get();
        }
    }
}

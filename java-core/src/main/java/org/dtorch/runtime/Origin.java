package org.dtorch.runtime;

/** Where an instruction comes from, for the text of its failure; nothing is built before a text is needed. */
public interface Origin {
    /** The operator's name, for example {@code add}. */
    String operator();

    /** Shapes, dtypes, placements and mesh of the operands in one line; empty if there is nothing to say. */
    String description();

    /** The line that issued it, for example {@code model.py:12}; empty if unknown. */
    String scriptLine();

    /**
     * Looks up {@link #scriptLine} now, if it is not known yet. Called on the issuing thread while the caller's frames are
     * there: before work is handed to another thread, and where it fails.
     */
    default void noteScriptLine() {}

    /** An origin of which only the name is known. */
    static Origin of(String operator) {
        return new Origin() {
            @Override
            public String operator() {
                return operator;
            }

            @Override
            public String description() {
                return "";
            }

            @Override
            public String scriptLine() {
                return "";
            }
        };
    }
}

package org.dtorch.op.gen;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.dtorch.op.OpTable;

/**
 * Writes what follows from the operator table: typed Java methods, Python functions and methods with their stubs, and the
 * page of operators.
 */
public final class Generate {
    private Generate() {}

    /** Arguments: folder for Java sources, folder for Python sources, and optionally one for the page of operators. */
    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            throw new IllegalArgumentException("usage: Generate JAVA_FOLDER PYTHON_FOLDER [DOCS_FOLDER]");
        }
        Path java = Path.of(args[0], "org", "dtorch", "api");
        write(java.resolve("TensorMethods.java"), JavaMethods.tensorMethods(OpTable.all()));
        write(java.resolve("Functions.java"), JavaMethods.functions(OpTable.all()));
        Path python = Path.of(args[1], "dtorch");
        write(python.resolve("_generated.py"), PythonForms.source(OpTable.all()));
        write(python.resolve("_generated.pyi"), PythonStubs.module(OpTable.all()));
        if (args.length > 2) {
            write(Path.of(args[2], "operators.md"), OperatorPage.of(OpTable.all()));
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }
}

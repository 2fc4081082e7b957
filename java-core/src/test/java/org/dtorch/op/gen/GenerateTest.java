package org.dtorch.op.gen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.dtorch.op.Op;
import org.dtorch.op.OpTable;
import org.dtorch.op.Spelling;
import org.graalvm.polyglot.Context;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is generated compiles, says each name once, and passes arguments on as the rows say. */
final class GenerateTest {
    private static final String TENSOR = """
            package org.dtorch.api;
            public class Tensor extends TensorMethods {
                @Override protected Tensor[] calls(org.dtorch.op.Op op, Object... args) { return null; }
                public org.dtorch.values.Scalar item() { return null; }
                static void uses(Tensor x) {
                    Tensor sum = x.add(x).add(1).add(1.5).add(x, 2).sum().sum(0, 1).sum(new long[] {0}, true);
                    Tensor max = x.max(0).values();
                    Tensor clamped = x.clamp(null, 2).softmax(-1).view(2, -1).add_(x).toFloat();
                    java.util.List<Tensor> parts = x.chunk(2);
                    boolean same = x.equal(x);
                }
            }
            """;

    @TempDir
    static Path folder;

    @BeforeAll
    static void generate() throws IOException {
        Generate.main(new String[] {path("java"), path("python"), path("docs")});
    }

    private static String path(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void javaMethodsCompile() throws IOException {
        Path api = folder.resolve("java/org/dtorch/api");
        Path tensor = Files.writeString(api.resolve("Tensor.java"), TENSOR);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            var sources =
                    files.getJavaFileObjects(tensor, api.resolve("TensorMethods.java"), api.resolve("Functions.java"));
            List<String> options =
                    List.of("-proc:none", "-d", path("classes"), "-cp", System.getProperty("java.class.path"));
            boolean compiled = compiler.getTask(messages, files, null, options, null, sources)
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    @Test
    void everySpellingStandsInATable() {
        Map<String, Integer> wanted = new TreeMap<>();
        for (Op op : OpTable.all()) {
            for (Spelling spelling : op.spellings()) {
                if (!spelling.isOperator()) {
                    wanted.merge("    \"" + spelling.name() + "\": ", 1, Integer::sum);
                }
            }
        }
        String module = PythonForms.source(OpTable.all());
        wanted.keySet().forEach(start -> assertThat(module).contains(start));
        assertThat(module).contains("\nNAMES = \"add add_ ");
    }

    @Test
    void pythonIsWellFormed() {
        try (Context context = Context.newBuilder("python")
                .option("engine.WarnInterpreterOnly", "false")
                .build()) {
            context.getBindings("python").putMember("source", PythonForms.source(OpTable.all()));
            context.eval("python", "compile(source, '_generated.py', 'exec')");
        }
    }

    @Test
    void pageNamesEveryOperator() throws IOException {
        String page = Files.readString(folder.resolve("docs/operators.md"));
        for (Op op : OpTable.all()) {
            assertThat(page).contains(op.schema().text().replace("|", "\\|"));
        }
    }
}

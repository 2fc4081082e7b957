import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds what {@code dtorch} starts: the jars, a Java runtime whose own compiler module is left out so that Graal's can
 * take its place, and a start-up cache. Run from source by the launcher; needs a JDK 25 and Maven, nothing else.
 *
 * <p>One build at a time, under a lock on {@code .dtorch/lock}. What lies in {@code .dtorch} carries in its name a hash
 * of all it was made from, so nothing stale is ever used. See docs/decisions/0001-starting.md.
 */
public final class Build {
    private static final String RUNTIME_MODULES = "java.se,jdk.internal.vm.ci,jdk.attach,jdk.management,jdk.unsupported,"
            + "jdk.security.auth,jdk.zipfs,jdk.jfr,jdk.net,jdk.charsets,jdk.crypto.ec,jdk.incubator.vector,jdk.jcmd";

    /** Flags of a module description (attribute ModuleResolution). */
    private static final byte DO_NOT_RESOLVE = 1;

    private static final byte INCUBATING = 8;

    private static final List<String> PYTHON_FLAGS = List.of(
            "--add-modules",
            "org.graalvm.polyglot,org.graalvm.py,org.graalvm.truffle.runtime,org.graalvm.truffle.compiler,"
                    + "jdk.graal.compiler,jdk.incubator.vector",
            "--enable-native-access=org.graalvm.truffle,ALL-UNNAMED",
            "-Djava.util.logging.SimpleFormatter.format=%4$s: %5$s%n",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:+EnableJVMCI");

    private static final List<String> RUN_FLAGS = List.of(
            "-XX:+UseSerialGC", "-Xmn200m", "-XX:ReservedCodeCacheSize=240m");

    private final Path home;
    private final Path state;
    private final Path jdk = Path.of(System.getProperty("java.home"));

    private Build(Path home) {
        this.home = home;
        this.state = home.resolve(".dtorch");
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Build build = new Build(Path.of(arguments[0]));
        Files.createDirectories(build.state);
        try (FileChannel channel = FileChannel.open(
                build.state.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                say("another launch is building; waiting for it");
                lock = channel.lock();
            }
            if (build.stale()) {
                build.build();
            }
        } catch (BuildFailed e) {
            say(e.getMessage());
            System.exit(3);
        }
    }

    private boolean stale() throws IOException {
        Path stamp = state.resolve("stamp");
        if (!Files.exists(stamp)) {
            return true;
        }
        FileTime built = Files.getLastModifiedTime(stamp);
        for (String root : List.of("pom.xml", "java-core/pom.xml", "java-core/src/main", "kernels-cuda/pom.xml", "kernels-cuda/src/main", "launcher")) {
            Path path = home.resolve(root);
            if (!Files.exists(path)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(path)) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    if (Files.getLastModifiedTime(file).compareTo(built) > 0) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private void build() throws IOException, InterruptedException {
        boolean first = !Files.exists(state.resolve("stamp"));
        FileTime begun = FileTime.fromMillis(System.currentTimeMillis());
        say(first
                ? "first use: building; this takes some minutes once and downloads about 250 MB of libraries where they are missing"
                : "sources changed: building");
        compile();
        Set<Path> jars = classPath();
        List<Path> modules = jars.stream().filter(Build::onModulePath).toList();
        List<Path> libraries = jars.stream().filter(j -> !onModulePath(j) && !j.startsWith(home)).toList();
        List<Path> own = copied(jars.stream().filter(j -> j.startsWith(home)).toList());
        Path image = image();
        List<String> common = new ArrayList<>(List.of("--module-path", joined(modules)));
        common.addAll(PYTHON_FLAGS);
        Path train = train(modules);
        List<Path> stable = new ArrayList<>(libraries);
        stable.add(train);
        List<String> arguments = new ArrayList<>(common);
        Path cache = cache(image, modules, stable, common);
        if (cache != null) {
            arguments.add("-XX:AOTCache=" + cache);
            arguments.add("-Xlog:aot=off,cds=off");
        }
        arguments.addAll(RUN_FLAGS);
        List<Path> all = new ArrayList<>(stable);
        all.addAll(own);
        arguments.add("-cp");
        arguments.add(joined(all));
        write(state.resolve("java.args"), arguments.stream().map(Build::quoted).collect(Collectors.joining("\n", "", "\n")));
        write(state.resolve("jdk"), jdk + "\n");
        write(state.resolve("stamp"), "");
        Files.setLastModifiedTime(state.resolve("stamp"), begun);
        say("ready");
    }

    /** Maven, without tests, formatter and checks, and with the class path written to target/classpath.txt. */
    private void compile() throws IOException, InterruptedException {
        say("compiling");
        run(
                "Maven failed; its output is above. Maven 3.8 or newer must be on the PATH (package maven)",
                List.of(
                        "mvn", "-q", "-B", "-ntp", "-Ddtorch.start", "-Dmaven.test.skip=true", "-pl",
                        "java-core,python-shim,kernels-cuda", "-am", "package", "dependency:build-classpath"),
                Map.of("JAVA_HOME", jdk.toString(), "MAVEN_OPTS", "--sun-misc-unsafe-memory-access=allow -XX:TieredStopAtLevel=1"));
    }

    private Set<Path> classPath() throws IOException {
        Set<Path> jars = new LinkedHashSet<>();
        for (String module : List.of("java-core", "python-shim", "kernels-cuda")) {
            Path target = home.resolve(module).resolve("target");
            for (String entry : Files.readString(target.resolve("classpath.txt")).strip().split(File.pathSeparator)) {
                if (entry.endsWith(".jar")) {
                    jars.add(Path.of(entry));
                }
            }
            jars.add(target.resolve(module + "-0.1.0-SNAPSHOT.jar"));
        }
        return jars;
    }

    /** Copies under names of their own, so that a build does not pull the jars from under running programs. */
    private List<Path> copied(List<Path> jars) throws IOException {
        Path folder = Files.createDirectories(state.resolve("jars"));
        List<Path> copies = new ArrayList<>();
        for (Path jar : jars) {
            String name = jar.getFileName().toString();
            Path copy = folder.resolve(name.substring(0, name.length() - ".jar".length()) + "-"
                    + hash(List.of(Files.size(jar) + " " + Files.getLastModifiedTime(jar).toMillis())) + ".jar");
            if (!Files.exists(copy)) {
                Path fresh = folder.resolve(name + ".new");
                Files.copy(jar, fresh, StandardCopyOption.REPLACE_EXISTING);
                Files.move(fresh, copy, StandardCopyOption.ATOMIC_MOVE);
            }
            copies.add(copy);
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> !copies.contains(f)).toList()) {
                Files.delete(file);
            }
        }
        return copies;
    }

    /** GraalVM's parts find each other as modules; the compiler has to be one. */
    private static boolean onModulePath(Path jar) {
        String path = jar.toString().replace(File.separatorChar, '/');
        return path.contains("/org/graalvm/") || path.contains("/org/bouncycastle/");
    }

    private Path image() throws IOException, InterruptedException {
        String release = Files.readString(jdk.resolve("release"));
        Path image = state.resolve("image-" + hash(List.of(release, jdk.toString(), RUNTIME_MODULES, "unmarked twice")));
        if (!Files.isExecutable(image.resolve("bin/java"))) {
            say("making a Java runtime");
            delete(image);
            Path fresh = state.resolve("image.new");
            delete(fresh);
            run(
                    "jlink failed; its output is above",
                    List.of(jdk.resolve("bin/jlink").toString(), "--add-modules", RUNTIME_MODULES, "--output", fresh.toString()),
                    Map.of());
            unmark(fresh);
            Files.move(fresh, image);
        }
        Path link = state.resolve("image");
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, image.getFileName());
        return image;
    }

    /**
     * Takes the mark "incubating" off the vector module of a new image. With it the JVM prints a warning at each start and
     * keeps no module graph in its start-up cache, which costs seconds. The mark is one bit of a number that stands twice:
     * in the module's own description, and as a constant in the classes that describe the image's modules to java.base.
     */
    private static void unmark(Path image) throws IOException {
        Path modules = image.resolve("lib/modules");
        byte[] whole = Files.readAllBytes(modules);
        byte marked = DO_NOT_RESOLVE | INCUBATING;
        // ModuleResolution: length 2, then the flags; dup, bipush flags, invokespecial ModuleResolution.<init>
        int changed = 0;
        try (FileSystem files = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of("java.home", image.toString()));
                Stream<Path> classes = Files.list(files.getPath("/modules/java.base/jdk/internal/module"))) {
            changed += unmark(whole, files.getPath("/modules/jdk.incubator.vector/module-info.class"), new byte[] {0, 0, 0, 2, 0, marked}, 5);
            for (Path file : classes.filter(f -> f.getFileName().toString().startsWith("SystemModules$")).toList()) {
                changed += unmark(whole, file, new byte[] {0x59, 0x10, marked, (byte) 0xb7}, 2);
            }
        }
        if (changed < 2) {
            say("the vector module's mark is not where it was expected; starts take some seconds longer");
            return;
        }
        Files.write(modules, whole);
    }

    /** Takes the mark off inside one class file; answers whether it was there. */
    private static int unmark(byte[] image, Path file, byte[] pattern, int offset) throws IOException {
        byte[] description = Files.readAllBytes(file);
        int at = only(image, description);
        int flag = only(description, pattern);
        if (at < 0 || flag < 0) {
            return 0;
        }
        image[at + flag + offset] = DO_NOT_RESOLVE;
        return 1;
    }

    /** Where {@code part} lies in {@code whole}; -1 unless exactly once. */
    private static int only(byte[] whole, byte[] part) {
        int found = -1;
        for (int i = 0; i <= whole.length - part.length; i++) {
            if (whole[i] == part[0] && Arrays.equals(whole, i, i + part.length, part, 0, part.length)) {
                if (found >= 0) {
                    return -1;
                }
                found = i;
            }
        }
        return found;
    }

    private Path train(List<Path> modules) throws IOException, InterruptedException {
        Path source = home.resolve("launcher/Train.java");
        Path jar = state.resolve("train-" + hash(List.of(Files.readString(source), joined(modules))) + ".jar");
        if (!Files.exists(jar)) {
            Path classes = state.resolve("train.new");
            delete(classes);
            run(
                    "javac failed; its output is above",
                    List.of(jdk.resolve("bin/javac").toString(), "-cp", joined(modules), "-d", classes.toString(), source.toString()),
                    Map.of());
            Path fresh = state.resolve("train.new.jar");
            run(
                    "jar failed; its output is above",
                    List.of(jdk.resolve("bin/jar").toString(), "--create", "--file", fresh.toString(), "-C", classes.toString(), "."),
                    Map.of());
            Files.move(fresh, jar, StandardCopyOption.ATOMIC_MOVE);
            delete(classes);
        }
        return jar;
    }

    /** The start-up cache over all that does not change with the product's own sources; null where it cannot be made. */
    private Path cache(Path image, List<Path> modules, List<Path> stable, List<String> common)
            throws IOException, InterruptedException {
        List<String> parts = new ArrayList<>(common);
        parts.add(image.getFileName().toString());
        for (Path jar : Stream.concat(modules.stream(), stable.stream()).toList()) {
            parts.add(jar + " " + Files.size(jar) + " " + Files.getLastModifiedTime(jar).toMillis());
        }
        Path cache = state.resolve("start-" + hash(parts) + ".aot");
        if (Files.exists(cache)) {
            return cache;
        }
        say("recording the start-up cache");
        Path fresh = state.resolve("start.new");
        List<String> command = new ArrayList<>(List.of(image.resolve("bin/java").toString()));
        command.addAll(common);
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:AOTCacheOutput=" + fresh, "-cp", joined(stable), "Train"));
        Path log = state.resolve("cache.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (process.waitFor() != 0 || !Files.exists(fresh) || Files.size(fresh) == 0) {
            Files.deleteIfExists(fresh);
            say("no start-up cache could be made (" + log + "); starts take some seconds longer");
            return null;
        }
        try (Stream<Path> old = Files.list(state)) {
            for (Path file : old.filter(f -> f.getFileName().toString().matches("start-.*\\.aot")).toList()) {
                Files.delete(file);
            }
        }
        Files.move(fresh, cache, StandardCopyOption.ATOMIC_MOVE);
        return cache;
    }

    private void run(String failure, List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile()).inheritIO();
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new BuildFailed(failure + " (" + e.getMessage() + ")");
        }
        if (process.waitFor() != 0) {
            throw new BuildFailed(failure);
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, text);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void delete(Path tree) throws IOException {
        if (Files.exists(tree)) {
            try (Stream<Path> files = Files.walk(tree)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static String joined(List<Path> paths) {
        return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static String quoted(String argument) {
        return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String hash(List<String> parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : parts) {
                digest.update(part.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8).toLowerCase(Locale.ROOT);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void say(String line) {
        System.err.println("dtorch: " + line);
    }

    private static final class BuildFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BuildFailed(String message) {
            super(message);
        }
    }
}

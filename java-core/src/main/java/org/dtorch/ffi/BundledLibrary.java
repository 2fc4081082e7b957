package org.dtorch.ffi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.zip.CRC32;

/**
 * Shared libraries that lie as resources in a jar, unpacked once per user and version.
 *
 * <p>They are unpacked into {@code <cache>/<name>-<size and checksum of every file>/}, so that another version of the jar
 * never meets the files of this one. A file appears there whole or not at all: it is written beside its place and renamed,
 * and processes that start together take turns by a file lock.
 *
 * @param name the name of the cache folder
 * @param folder the resource folder, ending in {@code /}
 * @param files the libraries in the order in which they have to be loaded
 */
record BundledLibrary(String name, String folder, List<String> files) {

    /** The system property that moves the cache away from {@code $XDG_CACHE_HOME/dtorch} or {@code ~/.cache/dtorch}. */
    static final String CACHE_PROPERTY = "dtorch.native.cache";

    /** The unpacked files in load order; empty when the resources are not on the class path. */
    Optional<List<Path>> unpack() {
        ClassLoader loader = BundledLibrary.class.getClassLoader();
        List<URL> urls =
                files.stream().map(file -> loader.getResource(folder + file)).toList();
        if (urls.contains(null)) {
            return Optional.empty();
        }
        try {
            return Optional.of(unpack(urls, cacheRoot()));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack " + name + " into " + cacheRoot(), e);
        }
    }

    private List<Path> unpack(List<URL> urls, Path root) throws IOException {
        CRC32 key = new CRC32();
        long[] bytes = new long[urls.size()];
        for (int i = 0; i < bytes.length; i++) {
            if (!(urls.get(i).openConnection() instanceof JarURLConnection connection)) {
                return urls.stream()
                        .map(url -> Path.of(URI.create(url.toString())))
                        .toList(); // lies unpacked
            }
            JarEntry entry = connection.getJarEntry();
            bytes[i] = entry.getSize();
            key.update((entry.getName() + entry.getSize() + ':' + entry.getCrc()).getBytes());
        }
        Path target = root.resolve(name + "-" + HexFormat.of().toHexDigits((int) key.getValue()));
        List<Path> paths = files.stream().map(target::resolve).toList();
        if (!complete(paths, bytes)) {
            Files.createDirectories(
                    target, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            try (FileChannel channel = FileChannel.open(
                            target.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = channel.lock()) {
                for (int i = 0; i < bytes.length; i++) {
                    if (!complete(paths.get(i), bytes[i])) {
                        unpackOne(urls.get(i), paths.get(i));
                    }
                }
            }
        }
        return paths;
    }

    private static void unpackOne(URL url, Path path) throws IOException {
        Path part = Files.createTempFile(path.getParent(), path.getFileName().toString(), ".part");
        try (InputStream in = url.openStream()) {
            Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
            Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static boolean complete(List<Path> paths, long[] bytes) throws IOException {
        for (int i = 0; i < bytes.length; i++) {
            if (!complete(paths.get(i), bytes[i])) {
                return false;
            }
        }
        return true;
    }

    private static boolean complete(Path path, long bytes) throws IOException {
        return Files.isRegularFile(path) && Files.size(path) == bytes;
    }

    private static Path cacheRoot() {
        String property = System.getProperty(CACHE_PROPERTY);
        if (property != null) {
            return Path.of(property);
        }
        String cacheHome = System.getenv("XDG_CACHE_HOME");
        return cacheHome != null && !cacheHome.isEmpty()
                ? Path.of(cacheHome, "dtorch")
                : Path.of(System.getProperty("user.home"), ".cache", "dtorch");
    }
}

package org.dtorch.comm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a communicator has done, in bytes that each member receives as if every device had its own memory; thread-safe.
 *
 * <p>Totals cover all calls since the last {@link #reset}; the list keeps the latest {@value #MOST_CALLS}.
 */
public final class CommunicationRecord {
    /** How many calls the list keeps. */
    public static final int MOST_CALLS = 10_000;

    /**
     * One call.
     *
     * @param bytes what each member receives, in group order; not to be changed. An all-reduce counts as a ring:
     *     {@code 2 (n - 1) / n} of the operand
     */
    public record Call(Collective collective, Group group, long[] bytes) {
        public long totalBytes() {
            return Arrays.stream(bytes).sum();
        }

        @Override
        public String toString() {
            return collective + " " + group + " " + Arrays.toString(bytes);
        }
    }

    private final ArrayDeque<Call> calls = new ArrayDeque<>();
    private final Map<Collective, Long> counts = new EnumMap<>(Collective.class);
    private final TreeMap<Integer, Long> bytesByDevice = new TreeMap<>();
    private long totalBytes;

    /** Notes a call; {@code bytes} has one entry per member. */
    public synchronized void add(Collective collective, Group group, long[] bytes) {
        if (calls.size() == MOST_CALLS) {
            calls.removeFirst();
        }
        calls.addLast(new Call(collective, group, bytes));
        counts.merge(collective, 1L, Long::sum);
        for (int r = 0; r < bytes.length; r++) {
            if (bytes[r] != 0) {
                bytesByDevice.merge(group.deviceIds()[r], bytes[r], Long::sum);
                totalBytes += bytes[r];
            }
        }
    }

    /** Forgets everything. */
    public synchronized void reset() {
        calls.clear();
        counts.clear();
        bytesByDevice.clear();
        totalBytes = 0;
    }

    /** The latest calls, oldest first. */
    public synchronized List<Call> calls() {
        return new ArrayList<>(calls);
    }

    /** How many calls of {@code collective} there were. */
    public synchronized long count(Collective collective) {
        return counts.getOrDefault(collective, 0L);
    }

    /** How many calls there were. */
    public synchronized long count() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The bytes received by all members in all calls. */
    public synchronized long totalBytes() {
        return totalBytes;
    }

    /** The bytes that the device with this id has received. */
    public synchronized long bytes(int deviceId) {
        return bytesByDevice.getOrDefault(deviceId, 0L);
    }

    /** The bytes received by device id, of those that received any. */
    public synchronized Map<Integer, Long> bytesByDevice() {
        return new TreeMap<>(bytesByDevice);
    }
}

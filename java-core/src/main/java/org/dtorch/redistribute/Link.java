package org.dtorch.redistribute;

/**
 * What a connection costs.
 *
 * @param latencyMicros microseconds for one message, whatever its size
 * @param bytesPerMicro bytes that one device receives in a microsecond
 */
public record Link(double latencyMicros, double bytesPerMicro) {
    public Link {
        if (!(latencyMicros >= 0) || !(bytesPerMicro > 0)) {
            throw new IllegalArgumentException("a link needs latency >= 0 and bandwidth > 0, got " + latencyMicros
                    + " us and " + bytesPerMicro + " bytes/us");
        }
    }

    /** Microseconds for {@code messages} messages that carry {@code bytes} bytes in all. */
    double micros(double messages, double bytes) {
        return messages * latencyMicros + bytes / bytesPerMicro;
    }

    /** The worse of the two in each respect. */
    Link worst(Link other) {
        return new Link(Math.max(latencyMicros, other.latencyMicros), Math.min(bytesPerMicro, other.bytesPerMicro));
    }
}

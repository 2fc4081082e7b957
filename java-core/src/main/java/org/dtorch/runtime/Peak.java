package org.dtorch.runtime;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes and the most it has been. */
final class Peak {
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong most = new AtomicLong();

    void add(long bytes) {
        long value = now.addAndGet(bytes);
        if (bytes > 0 && value > most.get()) {
            most.accumulateAndGet(value, Math::max);
        }
    }

    long now() {
        return now.get();
    }

    long most() {
        return most.get();
    }

    void reset() {
        most.set(now.get());
    }
}

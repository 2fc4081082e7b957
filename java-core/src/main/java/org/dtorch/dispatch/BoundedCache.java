package org.dtorch.dispatch;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A cache of pure values with a bound: when it is full it starts anew, which costs less than keeping an order of use on
 * every hit.
 */
final class BoundedCache<K, V> {
    private final int bound;
    private final ConcurrentHashMap<K, V> entries = new ConcurrentHashMap<>();
    private final LongAdder misses = new LongAdder();

    BoundedCache(int bound) {
        this.bound = bound;
    }

    V get(K key, Function<K, V> make) {
        V found = entries.get(key);
        if (found != null) {
            return found;
        }
        misses.increment();
        V made = make.apply(key);
        if (entries.size() >= bound) {
            entries.clear();
        }
        entries.put(key, made);
        return made;
    }

    void clear() {
        entries.clear();
    }

    int size() {
        return entries.size();
    }

    long misses() {
        return misses.sum();
    }
}

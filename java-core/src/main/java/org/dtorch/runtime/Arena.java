package org.dtorch.runtime;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;

/** The address ranges in use on one device of an isolated session. */
final class Arena {
    private final ConcurrentSkipListMap<Long, Long> endByStart = new ConcurrentSkipListMap<>();

    void add(Memory block, long bytes) {
        long start = block.segment().address();
        endByStart.put(start, start + bytes);
    }

    void remove(Memory block) {
        endByStart.remove(block.segment().address());
    }

    /** Whether every element of {@code operand} lies in one range. */
    boolean contains(Operand operand) {
        long lowest = operand.offset();
        long highest = operand.offset();
        for (int d = 0; d < operand.rank(); d++) {
            if (operand.sizes()[d] == 0) {
                return true;
            }
            long reach = (operand.sizes()[d] - 1) * operand.strides()[d];
            if (reach < 0) {
                lowest += reach;
            } else {
                highest += reach;
            }
        }
        long base = operand.memory().segment().address();
        Map.Entry<Long, Long> range =
                endByStart.floorEntry(base + lowest * operand.dtype().bytes());
        return range != null && base + (highest + 1) * operand.dtype().bytes() <= range.getValue();
    }
}

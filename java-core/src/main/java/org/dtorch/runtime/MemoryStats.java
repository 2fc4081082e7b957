package org.dtorch.runtime;

/**
 * The memory of one device, counted as if nothing were shared with another device.
 *
 * @param allocatedBytes what live buffers asked for
 * @param reservedBytes their blocks, and the blocks kept for reuse
 * @param maxAllocatedBytes the most allocated since the last reset
 * @param maxReservedBytes the most reserved since the last reset
 * @param liveBlocks how many blocks of the device's own memory are in use
 */
public record MemoryStats(
        long allocatedBytes, long reservedBytes, long maxAllocatedBytes, long maxReservedBytes, long liveBlocks) {}

package org.dtorch.runtime;

/**
 * What it has cost so far to get memory back from handles that nobody holds any more.
 *
 * @param reclaims how often memory ran short
 * @param collections how many garbage collections that forced
 * @param nanos the time that operators waited for it
 */
public record ReclaimStats(long reclaims, long collections, long nanos) {}

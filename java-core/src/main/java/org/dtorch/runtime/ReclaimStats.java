package org.dtorch.runtime;

/**
 * What it has cost so far to get memory back from handles that nobody holds any more.
 *
 * @param reclaims how often memory ran short
 * @param collections how often garbage was collected for it, young objects first
 * @param fullCollections how many collections of all objects were forced, those in the background among them
 * @param nanos the time that operators waited for it
 */
public record ReclaimStats(long reclaims, long collections, long fullCollections, long nanos) {}

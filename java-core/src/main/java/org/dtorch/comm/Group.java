package org.dtorch.comm;

import java.util.Arrays;

/**
 * An ordered set of devices that communicate.
 *
 * @param deviceIds the members' device ids; member r is {@code deviceIds[r]}; not to be changed
 * @param name for messages and the record: the mesh dim's name or index, for example {@code tp}
 */
public record Group(int[] deviceIds, String name) {
    public int size() {
        return deviceIds.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Group that && Arrays.equals(deviceIds, that.deviceIds) && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(deviceIds) * 31 + name.hashCode();
    }

    @Override
    public String toString() {
        return name + Arrays.toString(deviceIds);
    }
}

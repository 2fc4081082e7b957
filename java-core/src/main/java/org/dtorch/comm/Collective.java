package org.dtorch.comm;

/** The operations of a communicator, as they are named in the record and in messages. */
public enum Collective {
    ALL_GATHER("all-gather"),
    REDUCE_SCATTER("reduce-scatter"),
    ALL_REDUCE("all-reduce"),
    ALL_TO_ALL("all-to-all"),
    BROADCAST("broadcast"),
    MOVE("send/recv");

    private final String text;

    Collective(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}

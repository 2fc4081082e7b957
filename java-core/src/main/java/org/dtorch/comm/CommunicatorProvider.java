package org.dtorch.comm;

import java.time.Duration;
import java.util.Comparator;
import java.util.ServiceLoader;
import org.dtorch.values.DTorchError;

/** Offers a kind of communicator; found by {@link ServiceLoader}. */
public interface CommunicatorProvider {
    /** A short name for messages, for example {@code memory}. */
    String name();

    /** How well it suits this process: the highest is chosen, 0 means that it cannot work here. */
    int suitability();

    /** A new communicator whose calls give up after {@code timeout}. */
    Communicator open(Duration timeout);

    /**
     * A communicator of the most suitable provider.
     *
     * @throws DTorchError of kind RUNTIME when there is none
     */
    static Communicator find(Duration timeout) {
        return ServiceLoader.load(CommunicatorProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.suitability() > 0)
                .max(Comparator.comparingInt(CommunicatorProvider::suitability))
                .orElseThrow(() -> DTorchError.runtime("no communicator works in this process"))
                .open(timeout);
    }
}

package org.dtorch.examples.llama;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.tokenizer.Tokenizer;
import org.dtorch.values.DTorchError;

/**
 * Continues a prompt with a Llama from a Hugging Face folder, on any mesh, without Python.
 *
 * <p>From the project's folder, with a JDK 25 and after any use of {@code ./dtorch}, which builds the class path:
 *
 * <pre>{@code
 * java @.dtorch/java.args examples/java/src/main/java/org/dtorch/examples/llama/LlamaHost.java \
 *     --weights DIR [--prompt TEXT] [--mesh tp=2,pp=2] [--device cpu] [--max-tokens N]
 * }</pre>
 */
public final class LlamaHost {
    private static final Map<String, String> DEFAULTS =
            Map.of("--prompt", "", "--mesh", "", "--device", "cpu", "--max-tokens", "100");

    private LlamaHost() {}

    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    /** What {@code main} does; 0, 1 if it fails, or 2 for options that do not make sense. */
    static int run(String[] args, PrintStream out, PrintStream err) {
        Map<String, String> options;
        DeviceMesh mesh;
        long newTokens;
        try {
            options = options(args);
            mesh = MeshDims.parse(options.get("--mesh"), DeviceType.of(options.get("--device")));
            newTokens = Integer.parseUnsignedInt(options.get("--max-tokens"));
        } catch (IllegalArgumentException | DTorchError e) {
            err.println(e.getMessage());
            return 2;
        }
        Path folder = Path.of(options.get("--weights"));
        try (DTorch dt = DTorch.open();
                Tokenizer tokenizer = Tokenizer.open(folder)) {
            Llama model = Llama.fromPretrained(dt, folder, mesh);
            long[] prompt = tokenizer.encodePrompt(options.get("--prompt"));
            int length = (int) Math.min(model.config().maxPositions(), prompt.length + newTokens);
            out.println(tokenizer.decode(generate(dt, model, prompt, length), true));
            return 0;
        } catch (DTorchError e) {
            err.println(e.getMessage());
            return 1;
        }
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> options = new HashMap<>(DEFAULTS);
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].equals("--weights") && !DEFAULTS.containsKey(args[i])) {
                throw new IllegalArgumentException("unknown option " + args[i]);
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " needs a value");
            }
            options.put(args[i], args[i + 1]);
        }
        if (!options.containsKey("--weights")) {
            throw new IllegalArgumentException("--weights DIR is needed: config.json, tokenizer.json, *.safetensors");
        }
        return options;
    }

    /** The prompt and its most likely continuation, up to {@code length} tokens or the first that ends a text. */
    static long[] generate(DTorch dt, Llama model, long[] prompt, int length) {
        List<Long> stop =
                List.of((long) model.config().bosId(), (long) model.config().eosId());
        KeyValueCache cache = model.newCache(Math.max(length, prompt.length));
        long[] ids = Arrays.copyOf(prompt, Math.max(length, prompt.length));
        int start = 0;
        for (int end = prompt.length; end < length; end++) {
            Tensor tokens = dt.tensor(Arrays.copyOfRange(ids, start, end), 1, end - start);
            Tensor last = model.logits(tokens, start, cache).select(1, end - start - 1);
            ids[end] = last.argmax().item().toLong();
            if (stop.contains(ids[end])) {
                return Arrays.copyOf(ids, end + 1);
            }
            start = end;
        }
        return ids;
    }
}

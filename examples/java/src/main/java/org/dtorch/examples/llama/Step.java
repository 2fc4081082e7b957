package org.dtorch.examples.llama;

/**
 * What a layer needs beside the activations: where in the sequence they are and what came before.
 *
 * @param layer the number of the layer, for its part of the cache
 * @param start the position of the first token
 * @param rotary of the positions of this step, on the mesh of the layer
 * @param cache null to compute without one
 */
record Step(int layer, long start, RotaryEmbedding rotary, KeyValueCache cache) {}

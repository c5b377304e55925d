import type { Relay } from "../contract.ts";
import type { Client } from "./client.ts";
import type { Names } from "./names.ts";

/** Publish and subscribe of Redis. */
export const createRelay = (client: Client, names: Names): Relay => ({
  async publish(channel, text) {
    await client.ask((redis) => redis.publish(names.channel(channel), text));
  },
  subscribe: (channels, hear) => client.listen(channels.map(names.channel), hear),
});

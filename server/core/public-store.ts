import { z } from "zod";

import type { Reply } from "./reply.ts";

/** A store in the address of what it publishes: its id, or that of its test data, in lower case. */
export const storeParams = z.object({
  store: z
    .string()
    .toLowerCase()
    .regex(/^sto_[0-9a-z]{26}(_test)?$/, "Expected the id of a store."),
});

/** For `paidBy`: the store in the address. */
export const publicPart = ({ params }: { readonly params: { readonly store: string } }): string =>
  params.store;

/** An answer that caches may keep for everyone; `isSpoken`: it is in the language that the browser asks for, each of which is kept apart. */
export const toPublic = (reply: Reply<never>, { isSpoken = false } = {}): Reply<never> =>
  reply.kind === "raw"
    ? {
        ...reply,
        headers: {
          ...reply.headers,
          "Cache-Control": "public, max-age=300",
          ...(isSpoken ? { Vary: "Accept-Language" } : {}),
        },
      }
    : reply;

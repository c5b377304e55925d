import { z } from "zod";

import { stores } from "../../accounts/collections.ts";
import type { Store } from "../../accounts/collections.ts";
import { LIMITS } from "../../core/limits.ts";
import { storePartition } from "../../core/partitions.ts";
import type { Reply } from "../../core/reply.ts";
import { NEW_SHOP, readShop } from "../../core/shop.ts";
import { readTestClock } from "../../core/test-clock.ts";
import { check } from "../../http/body.ts";
import { render } from "../../http/envelope.ts";
import { toInstant } from "../../lib/instant.ts";
import type { OperationsCtx } from "../../operations/context.ts";

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** Reads one store through the GET routes of the engines, which need not know of the console. */
export interface StoreReader {
  readonly store: Store;
  /** Language and region of the store. */
  readonly locale: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What a route answers, by its id. Throws what the route throws. */
  reply(routeId: string, sent?: Sent): Promise<Reply<unknown>>;
  /** `data` of a route. */
  read<S extends z.ZodType>(routeId: string, data: S, sent?: Sent): Promise<z.output<S>>;
  /** Items of a list, over all pages: at most `ITEMS_MAX`. */
  list<S extends z.ZodType>(routeId: string, item: S, query?: Sent["query"]): Promise<z.output<S>[]>;
}

/** More than that is not drawn. */
const ITEMS_MAX = 5_000;
const NO_SCOPES: ReadonlySet<string> = new Set();

/**
 * Runs `work` in one transaction on the live data of a store, in the store's language. Open routes answer as to a publishable
 * key: with what is published. Throws 404 for an unknown store.
 */
export async function readStore<T>(
  ctx: OperationsCtx,
  id: string,
  work: (reader: StoreReader) => Promise<T>,
): Promise<T> {
  const { deps } = ctx;
  const { value: store } = await ctx.tx.require(stores, id);
  const part = storePartition(store.id, "live");
  return deps.runTx(part, async (tx) => {
    const now = (await readTestClock(tx)) ?? ctx.now;
    const { locale } = (await readShop(tx)) ?? NEW_SHOP;
    const own = {
      ...ctx,
      now,
      nowAt: toInstant(now),
      tx,
      store,
      scopes: NO_SCOPES,
      acceptLanguage: locale ?? undefined,
      ports: deps.portsOf(part),
    };
    const reply: StoreReader["reply"] = async (routeId, { params = {}, query = {} } = {}) => {
      const [engine] = await deps.loadEngines([routeId.slice(0, routeId.indexOf("."))]);
      const route = engine?.routes.find((each) => each.id === routeId);
      if (route?.method !== "GET") throw new Error(`The console reads ${routeId}, which is no GET route.`);
      const input = {
        params: route.params === null ? {} : check(route.params, params, "path"),
        query: route.query === null ? {} : check(route.query, query, "query"),
        body: undefined,
      };
      return route.handle(input, { ...own, isPublic: route.open !== null });
    };
    return work({
      store,
      locale: locale ?? "en-GB",
      now,
      reply,
      read: async (routeId, data, sent) => data.parse(readData(await reply(routeId, sent)).data),
      async list(routeId, item, query = {}) {
        const items = [];
        let cursor: string | undefined;
        do {
          const page = readData(
            await reply(routeId, { query: { ...query, limit: String(LIMITS.pageMax), cursor } }),
          );
          items.push(...z.array(item).parse(page.data));
          cursor = page.next ?? undefined;
        } while (cursor !== undefined && items.length < ITEMS_MAX);
        return items;
      },
    });
  });
}

/** `data` of an answer as the API serves it, and the cursor of the next page. */
function readData(reply: Reply<unknown>): { readonly data: unknown; readonly next: string | null } {
  if (reply.kind === "raw") throw new TypeError("The answer has no data.");
  const { json, pagination } = render(reply);
  return { data: JSON.parse(json ?? "null"), next: pagination?.next ?? null };
}

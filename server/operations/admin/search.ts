import { z } from "zod";

import { sha256Hex } from "../../core/ids.ts";
import { holdsKey, keyClass } from "../../core/key-format.ts";
import { values } from "../../core/reply.ts";
import type { Collection } from "../../core/collection.ts";
import type { Tx } from "../../core/tx.ts";
import { customers, keyHashes, keys, nameValue, stores } from "../../accounts/collections.ts";
import type { Customer, Key, Store } from "../../accounts/collections.ts";
import { listCustomersOf } from "../../accounts/customers/customers.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";

const Hit = z.strictObject({
  kind: z.enum(["customer", "store", "key", "request", "mail"]),
  id: z.string(),
  name: z.string().meta({ description: "What people call it: address, identifier, name or subject" }),
  detail: z.string(),
});
type Hit = z.output<typeof Hit>;

const HITS_MAX = 25;
/** Newest of each kind that are compared with a name: an exact name is found in any number. */
const SCANNED_MAX = 20_000;
const PAGE = 500;

const search = defineOperationsRoute({
  id: "admin.search.run",
  role: "viewer",
  method: "POST",
  path: "/search",
  summary: "Search customers, stores, keys, requests and mails",
  description:
    "By id, by an API key or its first or last characters, and by a name or an e-mail address, also misspelled. `q` is in the body, " +
    "so that a pasted key is in no log of addresses; a key is compared by its hash.",
  body: z.strictObject({ q: z.string().trim().min(1).max(200) }),
  data: z.array(Hit),
  scope: "read",
  example: { body: { q: "bakery" } },
  async handle({ body: { q } }, ctx) {
    const exact = await findExact(ctx, q);
    if (exact.length > 0 || holdsKey(q)) return values(exact);
    return values(await findSimilar(ctx.tx, q));
  },
});

const ofCustomer = ({ id, email, status }: Customer): Hit => ({
  kind: "customer",
  id,
  name: email,
  detail: status,
});
const ofStore = ({ id, identifier, created_at }: Store): Hit => ({
  kind: "store",
  id,
  name: identifier,
  detail: `since ${created_at.slice(0, 10)}`,
});
const ofKey = ({ id, name, prefix, last4, status }: Key): Hit => ({
  kind: "key",
  id,
  name: name === "" ? `${prefix}…${last4}` : name,
  detail: `${prefix}…${last4} ${status}`,
});

/** What has this id, is this key, or has exactly this name. */
async function findExact({ deps, tx }: OperationsCtx, q: string): Promise<Hit[]> {
  if (keyClass(q) !== null) {
    const hash = await tx.get(keyHashes, sha256Hex(q));
    const key = hash === null ? null : await tx.get(keys, hash.value.key_id);
    return key === null ? [] : [ofKey(key.value)];
  }
  if (/^(cus|sto|key|req|mail)_[0-9A-Z]{26}$/.test(q)) {
    const found = await Promise.all([
      tx.get(customers, q).then((stored) => stored && ofCustomer(stored.value)),
      tx.get(stores, q).then((stored) => stored && ofStore(stored.value)),
      tx.get(keys, q).then((stored) => stored && ofKey(stored.value)),
      deps.mail
        .get(q)
        .then((mail): Hit | null =>
          mail === null ? null : { kind: "mail", id: q, name: mail.message.subject, detail: mail.message.to },
        ),
      deps.requestLog.find(q).then((entry): Hit | null =>
        entry === null
          ? null
          : {
              kind: "request",
              id: q,
              name: `${entry.method} ${entry.route ?? entry.path ?? ""}`,
              detail: `${entry.status} at ${entry.at}`,
            },
      ),
    ]);
    return found.filter((hit) => hit !== null);
  }
  const ofAddress = q.includes("@") ? await listCustomersOf(tx, q) : [];
  const named = await tx.peekPage(stores, { index: "name", value: nameValue(q), limit: HITS_MAX });
  return [
    ...ofAddress.map(({ value }) => ofCustomer(value)),
    ...named.items.map(({ value }) => ofStore(value)),
  ];
}

/** What is called similarly; keys also by their first characters or their last four. */
async function findSimilar(tx: Tx, q: string): Promise<Hit[]> {
  const [people, shops, issued] = [
    await newest(tx, customers),
    await newest(tx, stores),
    await newest(tx, keys),
  ];
  const byText = issued.filter(
    ({ prefix, last4 }) => last4 === q.slice(-4) && (q.length === 4 || q.startsWith(prefix.slice(0, 9))),
  );
  const byStart = /^plat_\w+_/.test(q) ? issued.filter(({ prefix }) => prefix.startsWith(q)) : [];
  const hits = [...people.map(ofCustomer), ...shops.map(ofStore), ...issued.map(ofKey)];
  const byId = new Map(hits.map((hit) => [hit.id, hit]));
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch<Hit>({ fields: ["name"] });
  await index.addAllAsync(hits, { chunkSize: 200 });
  const similar = index.search(q, { prefix: true, fuzzy: 0.25, combineWith: "AND" });
  const found = [...[...byText, ...byStart].map(({ id }) => id), ...similar.map(({ id }) => String(id))];
  return [...new Set(found)].slice(0, HITS_MAX).flatMap((id) => byId.get(id) ?? []);
}

async function newest<T extends { id: string }>(tx: Tx, collection: Collection<T>): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(collection, { limit: PAGE, cursor });
    for (const { value } of page.items) found.push(value);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && found.length < SCANNED_MAX);
  return found;
}

export const searchRoutes = [search];

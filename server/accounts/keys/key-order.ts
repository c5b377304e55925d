import { z } from "zod";

import { toInstant } from "../../lib/instant.ts";
import { conflict, invalidField } from "../../lib/errors.ts";
import { Id, Instant } from "../../core/schema.ts";
import type { Tx } from "../../core/tx.ts";
import type { Change } from "../change.ts";
import type { AccountsDeps } from "../deps.ts";
import type { Customer, Key, Store } from "../collections.ts";
import { requireNamedCustomer } from "../customers/customers.ts";
import { freeText } from "../free-text.ts";
import { presetScopes } from "./key-rules.ts";
import { issueKey } from "./keys.ts";
import type { IssuedKey } from "./keys.ts";
import { findPlan } from "../plans/plans.ts";
import { findStore, requirePrimaryStore } from "../stores/stores.ts";

const TEN_YEARS_SECONDS = 10 * 365 * 86_400;

/** What an operator says of a key to be issued. */
export const NewKeyBody = z
  .strictObject({
    customer_id: Id.optional(),
    email: z.string().max(300).optional(),
    store: z
      .string()
      .max(255)
      .optional()
      .meta({ description: "Identifier or id of the store. Default: the first one" }),
    tier: z
      .string()
      .max(40)
      .optional()
      .meta({ description: "Plan whose limits apply to the key, regardless of the customer's plan" }),
    scopes: z.array(z.string().max(60)).min(1).max(200).optional(),
    preset: z.enum(["read-only", "full"]).optional(),
    expires_in_seconds: z.int().min(1).max(TEN_YEARS_SECONDS).optional(),
    name: freeText(100).default("Key"),
    kind: z.enum(["secret", "publishable"]).default("secret").meta({
      description: "A publishable key is for web pages: it can be retrieved again and only has public scopes",
    }),
    mode: z.enum(["live", "test"]).default("live"),
    pending: z
      .boolean()
      .default(false)
      .meta({ description: "Create the key as pending. It must be activated before use" }),
    activates_at: Instant.optional().meta({
      description: "Time at which a pending key is activated automatically",
    }),
  })
  .refine((body) => (body.customer_id === undefined) !== (body.email === undefined), {
    path: ["customer_id"],
    error: "Specify the customer by either `customer_id` or `email`.",
  })
  .refine((body) => (body.scopes === undefined) !== (body.preset === undefined), {
    path: ["scopes"],
    error: "Specify either `scopes` or `preset`.",
  });
export type NewKeyBody = z.output<typeof NewKeyBody>;

/** Issues the key that an operator asked for. Throws 404, 409 and 422. */
export async function issueByHand(change: Change, body: NewKeyBody): Promise<IssuedKey> {
  const { tx, deps, now } = change;
  const { value: customer } = await requireNamedCustomer(tx, body);
  const isPending = body.pending || body.activates_at !== undefined;
  requireReceiver(customer, isPending);
  if (body.tier !== undefined && findPlan(deps.config.plans, body.tier) === undefined) {
    throw invalidField(
      ["tier"],
      `Unknown plan. Available plans: ${deps.config.plans.map(({ id }) => id).join(", ")}.`,
    );
  }
  return issueKey(change, {
    customer,
    store: await chooseStore(tx, customer.id, body.store),
    name: body.name,
    kind: body.kind,
    scopes: chooseScopes(scopesOf(deps, body.kind), body),
    mode: body.mode,
    tier: body.tier ?? null,
    expires_at:
      body.expires_in_seconds === undefined ? null : toInstant(now + body.expires_in_seconds * 1000),
    pending: isPending,
    activates_at: body.activates_at ?? null,
    replaces: null,
  });
}

/** A pending customer may be given keys in advance, pending ones. */
function requireReceiver({ status }: Customer, isPending: boolean): void {
  if (status === "active" || (status === "pending" && isPending)) return;
  throw conflict("customer_not_active", `The customer is ${status}, not active.`);
}

async function chooseStore(tx: Tx, customerId: string, named: string | undefined): Promise<Store> {
  if (named === undefined) return requirePrimaryStore(tx, customerId);
  const store = await findStore(tx, customerId, named.trim().normalize("NFC"));
  if (store === null) throw invalidField(["store"], "The customer has no store with this identifier or id.");
  return store.value;
}

/** What a key of a kind may be given. */
const scopesOf = (
  { scopes, openScopes }: Pick<AccountsDeps, "scopes" | "openScopes">,
  kind: Key["kind"],
): readonly string[] => (kind === "publishable" ? openScopes : scopes);

/** In the registry's order, each once. Throws 422 for one that no route asks for from a key of this kind. */
export function chooseScopes(
  known: readonly string[],
  { scopes, preset }: Pick<NewKeyBody, "scopes" | "preset">,
): string[] {
  if (preset !== undefined) return requireSome(presetScopes(known, preset));
  const wanted = scopes ?? [];
  const unknown = wanted.findIndex((scope) => !known.includes(scope));
  if (unknown >= 0) {
    throw invalidField(
      ["scopes", unknown],
      `Unknown scope for this kind of key. Expected one of ${known.join(", ")}.`,
    );
  }
  return known.filter((scope) => wanted.includes(scope));
}

/** A key that may do nothing is a mistake. */
function requireSome(scopes: string[]): string[] {
  if (scopes.length === 0)
    throw invalidField(["preset"], "No route of this service accepts publishable keys.");
  return scopes;
}

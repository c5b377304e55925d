import { z } from "zod";

import { defineCollection } from "../core/collection.ts";
import { sha256Hex } from "../core/ids.ts";
import { makeKey } from "../core/key-format.ts";
import { OperatorRole } from "../core/operator-role.ts";
import { Id, Instant } from "../core/schema.ts";
import type { Tx } from "../core/tx.ts";
import { conflict, fail } from "../lib/errors.ts";
import type { Change } from "./change.ts";

/** Owner by the token of the configuration. */
export const CONFIG_OPERATOR = "config";
/** Owner by a token of the process itself: the CLI on the server. */
export const PROCESS_OPERATOR = "operator";
/** Names that stand for something else in the audit trail. */
const RESERVED: readonly string[] = [CONFIG_OPERATOR, PROCESS_OPERATOR, "console", "signup", "system"];

export const OperatorName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,39}$/,
    "Expected up to 40 lower-case letters, digits, dots, hyphens or underscores.",
  )
  .refine((name) => !RESERVED.includes(name), "This name is reserved.");

/** A person who operates the platform, with a token of their own. */
export const Operator = z.strictObject({
  id: Id,
  name: z.string(),
  role: OperatorRole,
  created_at: Instant,
});
export type Operator = z.output<typeof Operator>;

export const operators = defineCollection({ name: "platform.operators", schema: Operator });

/** SHA-256 of a token → operator. */
export const operatorTokens = defineCollection({
  name: "platform.operator_tokens",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), operator_id: z.string() }),
  indexes: { operator: { values: ({ operator_id: id }) => [id] } },
});

/** Adds an operator; the token is returned this once. Throws 409 for a name that is in use. */
export async function addOperator(
  { tx, deps, nowAt, record }: Change,
  { name, role }: Pick<Operator, "name" | "role">,
): Promise<{ readonly operator: Operator; readonly token: string }> {
  // Audited changes happen one after the other: no other operator of this name is added meanwhile.
  if ((await findNamed(tx, name)) !== undefined)
    throw conflict("operator_exists", `An operator ${name} exists already.`);
  const token = makeKey("admin", deps.random);
  const operator = { id: deps.newId("opr"), name, role, created_at: nowAt };
  tx.create(operators, operator);
  tx.create(operatorTokens, { id: sha256Hex(token), operator_id: operator.id });
  record({ action: "operator.added", subject: operator.id, customer_id: null, details: { name, role } });
  return { operator, token };
}

/** Removes an operator: its token and its console sessions are refused from the next request on. Throws 404 for none. */
export async function removeOperator({ tx, record }: Change, name: string): Promise<void> {
  const found = await findNamed(tx, name);
  if (found === undefined) throw fail("not_found", `No operator is named ${name}.`);
  for (const token of await tx.peekAll(operatorTokens, { index: "operator", value: found.id }))
    tx.remove(operatorTokens, token);
  tx.remove(operators, found);
  record({ action: "operator.removed", subject: found.id, customer_id: null, details: { name } });
}

const findNamed = async (tx: Tx, name: string) =>
  (await tx.peekAll(operators)).find(({ value }) => value.name === name);

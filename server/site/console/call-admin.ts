import { z } from "zod";

import { check } from "../../http/body.ts";
import { render } from "../../http/envelope.ts";
import type { Reply } from "../../core/reply.ts";
import type { Input, Route } from "../../core/route.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { requireRole } from "../../core/operator-role.ts";
import type { Operator } from "../../http/principal.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import type { Row } from "./view.ts";

type Fields = Readonly<Record<string, string>>;

/**
 * Calls an admin route as the API would: its own schemas, its own handler, in a transaction of its own, so that a
 * refusal leaves nothing behind. Throws what the route throws, and 403 for what the operator's role does not allow.
 */
export function callAdmin(
  route: Route,
  ctx: OperationsCtx,
  operator: Operator,
  sent: { readonly params: Fields; readonly query: Fields; readonly body: Fields },
): Promise<Reply<unknown>> {
  requireRole(operator.role, route);
  const input: Input = {
    params: route.params === null ? {} : check(route.params, sent.params, "path"),
    query: route.query === null ? {} : check(route.query, sent.query, "query"),
    body: route.body === null ? undefined : check(route.body, typed(route.body, sent.body), "body"),
  };
  return ctx.deps.runTx(PLATFORM_PART, (tx) => {
    // The reader of a page has seen no version that a change could be bound to.
    const current: OperationsCtx["current"] = (collection, id) => tx.require(collection, id);
    const own: OperationsCtx = { ...ctx, tx, actor: operator.actor, current };
    return route.handle(input, own);
  });
}

const Rows = z.array(z.looseObject({}));

/** The answer as rows; one thing is one row. Nothing for an answer without content. */
export function readReply(reply: Reply<unknown>): {
  readonly rows: readonly Row[];
  readonly next: string | null;
} {
  if (reply.kind === "raw") return { rows: [], next: null };
  const { json, pagination } = render(reply);
  const data: unknown = json === null ? [] : JSON.parse(json);
  return { rows: Rows.parse(Array.isArray(data) ? data : [data]), next: pagination?.next ?? null };
}

const Shape = z.object({
  properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).optional(),
});

/** The fields of a form by the types that the body's schema names; what was left empty is left out. */
function typed(schema: z.ZodType, fields: Fields): unknown {
  const { properties = {} } = Shape.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const entries = Object.entries(fields).filter(([, value]) => value !== "");
  const booleans = Object.keys(properties).filter((name) => properties[name]?.type === "boolean");
  return {
    // A box that is not ticked is not sent at all.
    ...Object.fromEntries(booleans.map((name) => [name, fields[name] === "true"])),
    ...Object.fromEntries(
      entries
        .filter(([name]) => !booleans.includes(name))
        .map(([name, value]) => [
          name,
          /^(integer|number)$/.test(properties[name]?.type ?? "") ? Number(value) : value,
        ]),
    ),
  };
}

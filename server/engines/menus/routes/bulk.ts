import { z } from "zod";

import type { Collection } from "../../../core/collection.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Ctx, Route } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { conflict, conflictWhen, fail, Problem } from "../../../lib/errors.ts";
import type { FieldError } from "../../../lib/errors.ts";
import { MENU_LIMITS } from "../schema/limits.ts";

/**
 * How a resource is written, in a request of its own or as one operation of many. `earlier` contains what the operations
 * before it have written: lists that are read during the request do not contain it.
 */
export interface Writes<T, C, P> {
  readonly create: (ctx: Ctx, input: C, earlier: readonly T[]) => Promise<Stored<T>>;
  readonly update: (ctx: Ctx, before: Stored<T>, input: P, earlier: readonly T[]) => Promise<Stored<T>>;
  readonly remove: (ctx: Ctx, before: Stored<T>, earlier: readonly T[]) => Promise<void>;
}

interface BulkDef<T extends { id: string }, C, P> {
  readonly path: "items" | "categories";
  readonly many: string;
  readonly collection: Collection<T>;
  readonly create: z.ZodType<C>;
  readonly patch: z.ZodType<P>;
  readonly writes: Writes<T, C, P>;
  readonly example: { readonly id: string; readonly create: unknown; readonly patch: unknown };
}

export const operationsRefused = conflictWhen(
  "operations_refused",
  "At least one operation was refused, and nothing was changed; the response lists each by its position",
);

const Version = z
  .int()
  .min(1)
  .optional()
  .meta({ description: "Refused if the resource has another version" });

/** Creates, changes and deletes many resources of a kind in one commit. */
export function bulkRoute<T extends { id: string }, C, P>(def: BulkDef<T, C, P>): Route {
  const { example, collection, writes } = def;
  const Operation = z.discriminatedUnion("op", [
    z.strictObject({ op: z.literal("create"), fields: def.create }),
    z.strictObject({ op: z.literal("update"), id: Id, version: Version, fields: def.patch }),
    z.strictObject({ op: z.literal("remove"), id: Id, version: Version }),
  ]);
  return defineRoute({
    id: `menus.${def.path}.bulk`,
    cost: 10,
    method: "POST",
    path: `/${def.path}/bulk`,
    summary: `Create, change and delete many ${def.many}`,
    description:
      `All or nothing: up to ${MENU_LIMITS.operations} operations are applied in order in one commit. If one is refused, ` +
      "nothing is changed, and the response lists every refused operation.",
    body: z.strictObject({ operations: z.array(Operation).min(1).max(MENU_LIMITS.operations) }),
    data: z.object({
      results: z
        .array(z.object({ op: z.enum(["create", "update", "remove"]), id: Id }))
        .meta({ description: "In the order of the operations" }),
    }),
    errors: [operationsRefused],
    example: {
      body: {
        operations: [
          { op: "create", fields: example.create },
          { op: "update", id: example.id, fields: example.patch },
        ],
      },
    },
    handle: async ({ body }, ctx) => {
      const written: T[] = [];
      const results = await applyAll(ctx, body.operations, async (operation) => {
        const { op } = operation;
        if (operation.op === "create") {
          const stored = await writes.create(ctx, operation.fields, written);
          written.push(stored.value);
          return { op, id: stored.id };
        }
        const before = await ctx.tx.require(collection, operation.id);
        refuseOtherVersion(before, operation.version);
        if (operation.op === "remove") await writes.remove(ctx, before, written);
        else written.push((await writes.update(ctx, before, operation.fields, written)).value);
        return { op, id: operation.id };
      });
      return ok({ results });
    },
  });
}

/** Operations of one commit that are not those of the request: the idempotency record, markers and counts. */
const RESERVED = 16;
const REFUSALS: ReadonlySet<string> = new Set([
  "conflict",
  "not_found",
  "precondition_failed",
  "unprocessable_content",
]);

/** The results of all operations; throws 409 `operations_refused` with every refusal by its position. */
export async function applyAll<O, R>(
  ctx: Ctx,
  operations: readonly O[],
  apply: (operation: O) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const errors: FieldError[] = [];
  let refused = 0;
  for (const [index, operation] of operations.entries()) {
    try {
      results.push(await apply(operation));
    } catch (error) {
      if (!(error instanceof Problem) || !REFUSALS.has(error.type)) throw error;
      refused += 1;
      errors.push(...placed(error, index));
    }
    if (ctx.tx.room() < RESERVED) {
      const detail = `The first ${index + 1} operations already write as much as one commit can. Split the request.`;
      throw conflict("operations_refused", detail);
    }
  }
  if (refused === 0) return results;
  const detail = `${refused} of ${operations.length} operations were refused. Nothing was changed.`;
  throw fail("conflict", detail, { code: "operations_refused", errors: errors.slice(0, 100) });
}

/** The errors of an operation with pointers into the body of the request. */
function placed({ detail, options: { errors } }: Problem, index: number): FieldError[] {
  const at = `#/operations/${index}`;
  const fields = errors?.filter(({ pointer }) => pointer !== undefined) ?? [];
  if (fields.length === 0) return [{ pointer: at, detail }];
  return fields.map((error) => ({
    pointer: `${at}/fields${error.pointer?.slice(1) ?? ""}`,
    detail: error.detail,
  }));
}

function refuseOtherVersion({ version, id }: Stored<unknown>, wanted: number | undefined): void {
  if (wanted === undefined || wanted === version) return;
  throw fail("precondition_failed", `${id} has version ${version}, not ${wanted}. Read it again.`);
}

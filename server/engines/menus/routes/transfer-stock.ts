import { fromInstant } from "../../../lib/instant.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Draft } from "../formats/draft.ts";
import type { Names } from "../formats/names.ts";
import { liveSuspensions, withSuspension } from "../rules/stock.ts";
import type { Stock } from "../schema/stock.ts";
import { newStock } from "../schema/stock.ts";
import type { Stager } from "./transfer-stage.ts";

interface Work {
  readonly ctx: Ctx;
  readonly stagers: {
    readonly item: { readonly read: (id: string) => Promise<unknown> };
    readonly modifier: { readonly read: (id: string) => Promise<unknown> };
    readonly stock: Stager<Stock>;
  };
  readonly world: Names;
}

/** The reason of a suspension by an import of a system, by which a later import finds it. */
const mark = (system: string): string => `Imported from ${system}`;
const REASON_MAX = 200;

/**
 * Suspends what is sold out in a document, and resumes what an earlier import suspended and is available again.
 * Suspensions by others do not change. False if something is left for the next request.
 */
export async function applyStock({ ctx, stagers, world }: Work, draft: Draft): Promise<boolean> {
  const reason = mark(world.system);
  const sold = [
    ...draft.items.map((input) => ({ kind: "item" as const, input })),
    ...draft.modifiers.map((input) => ({ kind: "modifier" as const, input })),
  ];
  for (const { kind, input } of sold) {
    const id = world.id(kind, input.ref);
    if ((await stagers[kind].read(id)) === null) continue;
    const stored = await stagers.stock.read(id);
    const before = stored ?? newStock(id, kind, ctx.nowAt);
    const own = before.suspensions.find((each) => each.reason?.startsWith(reason) === true);
    const until = input.stock?.until ?? null;
    const isOut = input.stock?.available === false && (until === null || fromInstant(until) > ctx.now);
    const text = input.stock?.reason === undefined ? reason : `${reason}: ${input.stock.reason}`;
    const others = liveSuspensions(before, ctx.now).filter((each) => each !== own);
    const next = isOut
      ? withSuspension(
          { ...before, suspensions: others },
          { channel: null, until, reason: text.slice(0, REASON_MAX), since: own?.since ?? ctx.nowAt },
          ctx.now,
        )
      : { ...before, suspensions: others };
    // What somebody else has suspended in all channels stays as it is.
    if (own === undefined && (!isOut || others.some(({ channel }) => channel === null))) continue;
    if ((await stagers.stock.stage(id, next, input.path)) === "deferred") return false;
  }
  return true;
}

import { z } from "zod";

import { fail } from "../lib/errors.ts";
import { toInstant } from "../lib/instant.ts";
import { openToken } from "./link-token.ts";
import type { LinkTarget, Purpose } from "./link-token.ts";
import { readFace } from "./face.ts";
import type { Face } from "./face.ts";
import type { LongWork, Work } from "./ports.ts";
import { showRefusal } from "./refusal.ts";
import type { Reply } from "./reply.ts";
import type { OpenCtx, Refused } from "./route.ts";
import { readTestClock } from "./test-clock.ts";
import type { Tx } from "./tx.ts";

export const LinkParams = z.object({ token: z.string().max(400) });
export const linkParams = { token: "c3RvXzAxLnJldl8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };

export const linkErrors = [{ type: "not_found", when: "The link is invalid or has expired" }] as const;

/** What the routes of pages behind signed links have in common: what they compute is paid by the store that the link leads to. */
export const linkPage = (purpose: Purpose) =>
  ({
    params: LinkParams,
    data: z.string(),
    rawType: "text/html",
    refusal: (refused: Refused): Reply<never> => showRefusal(refused),
    errors: linkErrors,
    hidden: true,
    paidBy: linkPart(purpose),
  }) as const;

/** Where a link leads; throws 404 for one that was not issued here for this purpose. */
export function requireLink({ ports }: Pick<OpenCtx, "ports">, purpose: Purpose, token: string): LinkTarget {
  const target = openToken(ports, purpose, token);
  if (target === null) throw unknownLink();
  return target;
}

/** For `paidBy`: the partition of a link; null for one that was not issued here for this purpose. */
export const linkPart =
  (purpose: Purpose) =>
  ({ params }: { readonly params: { readonly token: string } }, { ports }: Pick<OpenCtx, "ports">) =>
    openToken(ports, purpose, params.token)?.part ?? null;

export const unknownLink = () =>
  fail("not_found", "This link is invalid or has expired. Use the link in your latest mail.");

/** Work by the store's clock, its test clock included. */
export interface Linked extends LinkTarget, Work {
  readonly face: Face;
}

/** The work of a request without a key in a store that its link or its path names. */
export async function workIn({ now: real, newId, portsOf, runTx }: OpenCtx, part: string): Promise<LongWork> {
  const now = (await runTx(part, readTestClock)) ?? real;
  return { now, nowAt: toInstant(now), part, newId, ports: portsOf(part, "visitors"), runTx };
}

/** Runs a transaction in the partition of a link. */
export function onLink<R>(
  ctx: OpenCtx,
  purpose: Purpose,
  token: string,
  work: (tx: Tx, linked: Linked) => Promise<R>,
): Promise<R> {
  const target = requireLink(ctx, purpose, token);
  const { newId } = ctx;
  const ports = ctx.portsOf(target.part, "visitors");
  return ctx.runTx(target.part, async (tx) => {
    const now = (await readTestClock(tx)) ?? ctx.now;
    return work(tx, { ...target, now, nowAt: toInstant(now), newId, ports, face: await readFace(ctx, tx) });
  });
}

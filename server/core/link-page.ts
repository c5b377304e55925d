import { z } from "zod";

import { fail } from "../lib/errors.ts";
import { openToken } from "./link-token.ts";
import type { LinkTarget, Purpose } from "./link-token.ts";
import { readFace } from "./face.ts";
import type { Face } from "./face.ts";
import { showRefusal } from "./refusal.ts";
import type { OpenCtx, Refused, Reply } from "./route.ts";
import { readTestClock } from "./test-clock.ts";
import type { Tx } from "./tx.ts";

export const LinkParams = z.object({ token: z.string().max(400) });
export const linkParams = { token: "c3RvXzAxLnJldl8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };

/** What the routes of pages behind signed links have in common. */
export const linkPage = {
  params: LinkParams,
  data: z.string(),
  rawType: "text/html",
  refusal: (refused: Refused): Reply<never> => showRefusal(refused),
  errors: [{ type: "not_found", when: "The link is invalid or has expired" }],
  hidden: true,
} as const;

/** Where a link leads; throws 404 for one that was not issued here for this purpose. */
export function requireLink({ ports }: Pick<OpenCtx, "ports">, purpose: Purpose, token: string): LinkTarget {
  const target = openToken(ports, purpose, token);
  if (target === null) throw unknownLink();
  return target;
}

export const unknownLink = () =>
  fail("not_found", "This link is invalid or has expired. Use the link in your latest mail.");

export interface Linked extends LinkTarget {
  /** The time of the store, that of its test clock included. */
  readonly now: number;
  readonly face: Face;
}

/** Runs a transaction in the partition of a link. */
export function onLink<R>(
  ctx: OpenCtx,
  purpose: Purpose,
  token: string,
  work: (tx: Tx, linked: Linked) => Promise<R>,
): Promise<R> {
  const target = requireLink(ctx, purpose, token);
  return ctx.runTx(target.part, async (tx) =>
    work(tx, { ...target, now: (await readTestClock(tx)) ?? ctx.now, face: await readFace(ctx, tx) }),
  );
}

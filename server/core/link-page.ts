import { z } from "zod";

import { fail } from "../lib/errors.ts";
import { openToken } from "./link-token.ts";
import type { LinkTarget, Purpose } from "./link-token.ts";
import { createPage } from "./page.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { showRefusal } from "./refusal.ts";
import type { OpenCtx, Refused, Reply } from "./route.ts";
import { readTestClock } from "./test-clock.ts";
import type { Tx } from "./tx.ts";

export const LinkParams = z.object({ token: z.string().max(400) });
export const linkParams = { token: "c3RvXzAxLnJldl8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };

/** Pages behind signed links: `page` renders one, `link` is what their routes have in common. */
export function linkPages(style = PAGE_STYLE, policy?: string) {
  const page = createPage(style, policy);
  const link = {
    params: LinkParams,
    data: z.string(),
    rawType: "text/html",
    refusal: (refused: Refused): Reply<never> => showRefusal(page, refused),
    errors: [{ type: "not_found", when: "The link is invalid or has expired" }],
    hidden: true,
  } as const;
  return { page, link };
}

/** Where a link leads; throws 404 for one that was not issued here for this purpose. */
export function requireLink({ ports }: Pick<OpenCtx, "ports">, purpose: Purpose, token: string): LinkTarget {
  const target = openToken(ports, purpose, token);
  if (target === null) throw unknownLink();
  return target;
}

export const unknownLink = () =>
  fail("not_found", "This link is invalid or has expired. Use the link in your latest mail.");

/** Runs a transaction in the partition of a link. `now` is the time of the store, that of its test clock included. */
export function onLink<R>(
  ctx: OpenCtx,
  purpose: Purpose,
  token: string,
  work: (tx: Tx, target: LinkTarget & { readonly now: number }) => Promise<R>,
): Promise<R> {
  const target = requireLink(ctx, purpose, token);
  return ctx.runTx(target.part, async (tx) =>
    work(tx, { ...target, now: (await readTestClock(tx)) ?? ctx.now }),
  );
}

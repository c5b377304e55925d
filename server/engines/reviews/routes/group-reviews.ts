import type { Paged } from "../../../core/computed-page.ts";
import { openCursor, signCursor } from "../../../core/computed-page.ts";
import { newestFirst } from "../../../core/collection.ts";
import type { Ctx, Reply } from "../../../core/route.ts";
import { list, values } from "../../../core/route.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { groups, reviews } from "../repository.ts";
import { filedTarget } from "../rules/pick-places.ts";
import { toPublicReview } from "../rules/project.ts";
import type { PublicReview, Review } from "../schema.ts";

interface PageOf {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Published reviews of all targets of a group, newest first. */
export async function listGroup(
  ctx: Ctx,
  groupId: string,
  query: PageOf,
): Promise<Reply<((Review & { version: number }) | PublicReview)[]>> {
  const page = await mergeTargets(ctx.tx, groupId, query);
  if (!ctx.isPublic) return list(page);
  const shown = page.items.flatMap(({ value }) => toPublicReview(value) ?? []);
  return values(shown, page);
}

/** Merges one sorted list per target: each continues where the previous page ended. */
async function mergeTargets(
  tx: Tx,
  groupId: string,
  { limit, cursor }: PageOf,
): Promise<Paged<Stored<Review>>> {
  const group = await tx.require(groups, groupId);
  const place = { part: tx.part, list: `reviews of ${groupId}` };
  const after = openCursor(place, cursor);
  const from = after === null ? {} : { from: after };
  const page: Stored<Review>[] = [];
  for (const target of group.value.targets) {
    const value = `published.${filedTarget(target)}`;
    page.push(...(await tx.peekPage(reviews, { index: "by", value, limit: limit + 1, ...from })).items);
  }
  const sorted = page.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const items = sorted.slice(0, limit);
  const last = items.at(-1);
  const next = sorted.length > limit && last !== undefined ? signCursor(place, keyOf(last)) : null;
  return { items, limit, next };
}

/** Position of a review in the index, after which the next page starts. */
const keyOf = ({ id, value }: Stored<Review>): string => `${newestFirst(value.submitted_at)}~${id}`;

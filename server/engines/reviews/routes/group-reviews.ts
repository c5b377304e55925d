import type { Paged } from "../../../core/computed-page.ts";
import { openCursor, signCursor } from "../../../core/computed-page.ts";
import { newestFirst } from "../../../core/collection.ts";
import type { Reply } from "../../../core/reply.ts";
import type { Ctx } from "../../../core/route.ts";
import { list, values } from "../../../core/reply.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { groups, reviews } from "../repository.ts";
import { filedTarget } from "../rules/pick-places.ts";
import { toPublicReview } from "../rules/project.ts";
import type { PublicReview, Review } from "../schema.ts";
import type { Target } from "../schema/parts.ts";

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

/**
 * Merges one sorted list per target: each continues where the previous page ended. Only the first of each list is parsed, apart from
 * those of the page: reviews can be large.
 */
async function mergeTargets(
  tx: Tx,
  groupId: string,
  { limit, cursor }: PageOf,
): Promise<Paged<Stored<Review>>> {
  const group = await tx.require(groups, groupId);
  const place = { part: tx.part, list: `reviews of ${groupId}` };
  const after = openCursor(place, cursor);
  const heads: Head[] = [];
  for (const target of group.value.targets) heads.push(...(await headOf(readTarget(tx, target, after))));
  const items: Stored<Review>[] = [];
  let last = "";
  while (items.length < limit && heads.length > 0) {
    const first = heads.reduce((a, b) => (b.key < a.key ? b : a));
    items.push(first.review);
    last = first.key;
    heads.splice(heads.indexOf(first), 1, ...(await headOf(first.rest)));
  }
  return { items, limit, next: heads.length > 0 ? signCursor(place, last) : null };
}

/** The first review of a list, and those after it. */
interface Head {
  readonly key: string;
  readonly review: Stored<Review>;
  readonly rest: AsyncGenerator<Stored<Review>, void>;
}

/** None for a list that is over. */
async function headOf(rest: Head["rest"]): Promise<Head[]> {
  const { value: review } = await rest.next();
  return review === undefined ? [] : [{ key: keyOf(review), review, rest }];
}

/** Reviews of one target that are read at once: a page mostly needs a few of each. */
const READ_AT_ONCE = 10;

/** Published reviews of a target after a position in the index, with pauses in which they can be parsed. */
async function* readTarget(tx: Tx, target: Target, after: string | null): Head["rest"] {
  const value = `published.${filedTarget(target)}`;
  let cursor: string | undefined;
  do {
    const from = after ?? undefined;
    const page = await tx.peekPage(reviews, { index: "by", value, limit: READ_AT_ONCE, from, cursor });
    for (const review of page.items) {
      await giveWay(tx.part);
      yield review;
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

/** Position of a review in the index, after which the next page starts. */
const keyOf = ({ id, value }: Stored<Review>): string => `${newestFirst(value.submitted_at)}~${id}`;

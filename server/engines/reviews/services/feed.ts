import type { RunTx } from "../../../core/tx.ts";
import { readSettings, reviews } from "../repository.ts";
import {
  FEED_END,
  REVIEWS_END,
  REVIEWS_START,
  feedHead,
  feedReview,
  withoutIds,
} from "../rules/google-feed.ts";

const PAGE = 200;

/**
 * The whole feed, page by page on demand of its reader: memory is bounded by one page. `isPublic`
 * omits the ids of customers and orders.
 */
export async function streamFeed(
  runTx: RunTx,
  part: string,
  isPublic: boolean,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const encoder = new TextEncoder();
  const head = feedHead(await runTx(part, readSettings));
  let cursor: string | null | undefined;
  let isEmpty = true;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    async pull(controller) {
      if (cursor === null) {
        controller.enqueue(encoder.encode(isEmpty ? FEED_END : REVIEWS_END + FEED_END));
        controller.close();
        return;
      }
      const after = cursor;
      const page = await runTx(part, (tx) =>
        tx.peekPage(reviews, { index: "published", value: "all", limit: PAGE, cursor: after }),
      );
      cursor = page.next;
      const text = page.items.map(({ value }) => feedReview(isPublic ? withoutIds(value) : value)).join("");
      controller.enqueue(encoder.encode(isEmpty && text !== "" ? REVIEWS_START + text : text));
      isEmpty &&= text === "";
    },
  });
}

import type { RunTx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { readSettings, reviews } from "../repository.ts";
import {
  FEED_END,
  REVIEWS_END,
  REVIEWS_START,
  feedHead,
  feedReview,
  withoutIds,
} from "../rules/google-feed.ts";

const PAGE = 25;

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
  const settings = await runTx(part, readSettings);
  let before = feedHead(settings);
  let cursor: string | null | undefined;
  let isEmpty = true;
  return new ReadableStream(
    {
      async pull(controller) {
        if (cursor === null) {
          const end = isEmpty ? FEED_END : REVIEWS_END + FEED_END;
          controller.enqueue(encoder.encode(before + end));
          controller.close();
          return;
        }
        const after = cursor;
        const page = await runTx(part, (tx) =>
          tx.peekPage(reviews, { index: "published", value: "all", limit: PAGE, cursor: after }),
        );
        cursor = page.next;
        let text = "";
        for (const stored of page.items) {
          await giveWay(part);
          text += feedReview(
            isPublic ? withoutIds(stored.value) : stored.value,
            settings.product_url_template,
          );
        }
        if (isEmpty && text !== "") before += REVIEWS_START;
        isEmpty &&= text === "";
        controller.enqueue(encoder.encode(before + text));
        before = "";
      },
    },
    { highWaterMark: 0 },
  );
}

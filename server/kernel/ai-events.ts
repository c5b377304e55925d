import type { AiEvent } from "./ai.ts";

/**
 * The events of a stream as `text/event-stream`, for a `raw` answer: `event: delta|usage|done|error`, `data:` the event
 * without its type as JSON. When the client goes away the call is cancelled.
 */
export function toEventStream(events: AsyncIterable<AiEvent>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) return controller.close();
      const { type, ...data } = next.value;
      controller.enqueue(
        Uint8Array.from(encoder.encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)),
      );
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

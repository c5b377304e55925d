/** One event in the format of Server-Sent Events (HTML Living Standard §9.2). JSON contains no bare line break. */
const toEvent = (type: string, data: unknown): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Events as a byte stream. When the reader disconnects, `return` is called on the source, as when a loop ends early.
 */
export function toEventStream(
  events: AsyncIterator<{ readonly type: string; readonly data: unknown }>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await events.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(toEvent(next.value.type, next.value.data)));
    },
    async cancel() {
      await events.return?.();
    },
  });
}

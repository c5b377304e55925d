/** One event as Server-Sent Events carry it (HTML Living Standard §9.2). JSON holds no bare line break. */
const toEvent = (type: string, data: unknown): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Events as a stream of bytes. When the reader goes away, the source is told by `return`, as a loop that is left early
 * tells it.
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

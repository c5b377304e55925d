import { CliError, EXIT } from "../terminal/exit.ts";

export interface ServerEvent {
  /** Default: `message`. */
  readonly event: string;
  readonly data: string;
  /** Empty if the event has none. */
  readonly id: string;
}

/** Characters of an event, many times the largest that the service sends. */
const EVENT_CHARS_MAX = 8_000_000;

/** The events of a text/event-stream, as they arrive (WHATWG HTML §9.2.6, without `retry`). Throws for one without an end. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let event = "";
  let id = "";
  let data: string[] = [];
  let chars = 0;
  for await (const line of readLines(chunks)) {
    if (line === "") {
      if (data.length > 0) yield { event: event === "" ? "message" : event, data: data.join("\n"), id };
      event = "";
      id = "";
      data = [];
      chars = 0;
      continue;
    }
    chars += line.length + 1;
    if (chars > EVENT_CHARS_MAX) throw endless();
    const mark = line.indexOf(":");
    const name = mark < 0 ? line : line.slice(0, mark);
    const value = mark < 0 ? "" : line.slice(mark + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "id") id = value;
    else if (name === "data") data.push(value);
  }
}

async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line break.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > EVENT_CHARS_MAX) throw endless();
    yield* lines;
  }
}

const endless = (): CliError =>
  new CliError({
    type: "not_the_service",
    title: "Not a response of the service",
    detail: `The stream contains an event of more than ${EVENT_CHARS_MAX / 1_000_000} MB.`,
    exitCode: EXIT.unreachable,
    hint: "check the address in --url",
  });

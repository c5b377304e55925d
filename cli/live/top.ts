import type { Cli, Input } from "../command/command.ts";
import { countOf } from "../terminal/duration.ts";
import type { Printer } from "./follow.ts";
import { text } from "../command/globals.ts";
import { addEvent, FIRST_VIEW, pressKey, renderTop } from "./top-view.ts";
import type { TopRows } from "./top-view.ts";

/** Maximum redraws per second. */
const REDRAWS = 4;
const OPEN = "\u001b[?1049h\u001b[?25l";
const CLOSE = "\u001b[?25h\u001b[?1049l";

/** Shows the limits as a table that is redrawn in place, on the alternate screen of the terminal. */
export async function openTop(cli: Cli, options: Input["options"]): Promise<Printer> {
  const { stdin, stdout } = cli.io;
  const done = new AbortController();
  let rows: TopRows = new Map();
  let view = FIRST_VIEW;
  let left = countOf(text(options, "count"));
  let last = "";

  const draw = (): void => {
    const screen = { columns: stdout.columns || 100, rows: stdout.rows || 24, nowMs: cli.clock.now() };
    const frame = renderTop(rows, view, screen)
      .map((line) => `${line}\u001b[K`)
      .join("\r\n");
    if (frame === last) return;
    last = frame;
    stdout.write(`\u001b[H${frame}\u001b[J`);
  };
  const onKeys = (chunk: Buffer): void => {
    for (const key of chunk.toString("utf8")) view = pressKey(view, key);
    if (view.isDone) done.abort();
    else draw();
  };

  stdout.write(OPEN);
  draw();
  const timer = setInterval(() => (view.isPaused ? undefined : draw()), 1000 / REDRAWS);
  const hasKeys = stdin.isTTY === true && stdin.setRawMode !== undefined;
  if (hasKeys) {
    stdin.setRawMode?.(true);
    stdin.on("data", onKeys).resume();
  }

  return {
    done: done.signal,
    isFull: () => left <= 0,
    async print(event) {
      left -= 1;
      rows = addEvent(rows, event, cli.clock.now());
    },
    reconnected: async () => undefined,
    close() {
      clearInterval(timer);
      if (hasKeys) {
        stdin.off("data", onKeys).pause();
        stdin.setRawMode?.(false);
      }
      if (!view.isPaused) draw();
      stdout.write(CLOSE);
    },
  };
}

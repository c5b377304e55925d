import type { Cli } from "./command.ts";

/** Progress of a long operation on one line of the terminal. */
export interface Progress {
  /** `done` of `total`; a total of 0 is unknown. */
  update(done: number, total: number): void;
  /** Clears the line. */
  end(): void;
}

const DRAW_EVERY_MS = 100;
/** Short operations show no bar: it would only flicker. */
const FIRST_AFTER_MS = 300;
const BAR_CHARS = 24;

/**
 * A progress bar on stderr if that is a terminal that can move its cursor; otherwise nothing is printed.
 */
export function createProgress(cli: Pick<Cli, "io" | "globals" | "clock">, title: string): Progress {
  const { stderr, env } = cli.io;
  const isShown = stderr.isTTY === true && !cli.globals.quiet && env.TERM !== "dumb" && (env.CI ?? "") === "";
  if (!isShown) return { update: () => undefined, end: () => undefined };
  const beganMs = cli.clock.now();
  let drawAtMs = beganMs + FIRST_AFTER_MS;
  let isDrawn = false;
  return {
    update(done, total) {
      const nowMs = cli.clock.now();
      if (nowMs < drawAtMs) return;
      drawAtMs = nowMs + DRAW_EVERY_MS;
      isDrawn = true;
      const line = toLine(title, { done, total, elapsedMs: nowMs - beganMs });
      // A line that wraps could not be overwritten.
      stderr.write(`\r${line.slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}\u001B[K`);
    },
    end() {
      if (isDrawn) stderr.write("\r\u001B[K");
      isDrawn = false;
    },
  };
}

/** `Copying  ██████░░░░  42 %  42,000 of 100,000  8,300/s  7 s left` */
export function toLine(
  title: string,
  { done, total, elapsedMs }: { readonly done: number; readonly total: number; readonly elapsedMs: number },
): string {
  const perSecond = elapsedMs <= 0 ? 0 : (done * 1000) / elapsedMs;
  const rate = `${format(Math.round(perSecond))}/s`;
  if (total <= 0) return [title, format(done), rate].join("  ");
  // Documents written in the meantime can exceed the expected number.
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR_CHARS);
  const bar = "█".repeat(filled) + "░".repeat(BAR_CHARS - filled);
  const left = perSecond === 0 ? "" : `${format(Math.ceil(Math.max(0, total - done) / perSecond))} s left`;
  const percent = `${Math.floor(share * 100)} %`;
  return [title, bar, percent, `${format(done)} of ${format(total)}`, rate, left]
    .filter((part) => part !== "")
    .join("  ");
}

const format = (number: number): string => number.toLocaleString("en-GB");

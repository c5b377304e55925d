import type { Cli } from "./command.ts";

/** How far a long piece of work is, on one line of the terminal. */
export interface Progress {
  /** `done` of `total`; a total of 0 is not known. */
  update(done: number, total: number): void;
  /** Takes the line away, so that something else can be said. */
  end(): void;
}

const DRAW_EVERY_MS = 100;
/** A bar that is gone at once is only a flicker. */
const FIRST_AFTER_MS = 300;
const BAR_CHARS = 24;

/**
 * A bar for a person who waits: on stderr, and only when that is a terminal that can move its cursor. Elsewhere nothing is
 * said before the end.
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
      // The cursor goes back to the start, so a line that is too long would leave its rest behind.
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
  // Documents that are written meanwhile may make it more than was expected.
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

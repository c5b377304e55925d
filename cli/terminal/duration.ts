import { usageError } from "./exit.ts";

const UNIT_MS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

/** `90d`, `24h`, `10m`, `1500ms`, `30` (seconds) → milliseconds. `flag` is used in the error. */
export function parseDuration(text: string, flag: string): number {
  const [, amount = "", unit = "s"] = /^(\d{1,9})(ms|[smhdw])?$/.exec(text.trim()) ?? [];
  const unitMs = UNIT_MS.get(unit === "" ? "s" : unit);
  if (amount === "" || unitMs === undefined) {
    throw usageError(`${flag} ${JSON.stringify(text)} is not a duration.`, `${flag} 30s, 10m, 24h or 90d`);
  }
  return Number(amount) * unitMs;
}

/** The same in whole seconds, the unit of the API. */
export const parseSeconds = (text: string, flag: string): number =>
  Math.ceil(parseDuration(text, flag) / 1000);

/** Longer ones fire at once. */
const TIMER_MAX_MS = 2_147_483_647;

/** What a timer takes of a duration: 24 days at most. */
export const timerMs = (ms: number): number => Math.min(ms, TIMER_MAX_MS);

/** Aborted after `--for`. It keeps no process alive. */
export function endAfter(lasting: string | undefined): AbortSignal {
  const end = new AbortController();
  if (lasting !== undefined) setTimeout(() => end.abort(), timerMs(parseDuration(lasting, "--for"))).unref();
  return end.signal;
}

/** Waits; ends early, without an error, when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, timerMs(ms));
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/** `--count`: lines after which a stream ends; default: no limit. */
export function countOf(text: string | undefined): number {
  if (text === undefined) return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(`--count ${JSON.stringify(text)} is not a positive number.`);
}

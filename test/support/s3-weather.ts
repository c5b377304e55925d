import type { Random } from "../storage/random.ts";
import type { Fault } from "./s3-double.ts";

const BAD: readonly Fault[] = [
  { kind: "status", status: 503, code: "SlowDown", effect: false },
  { kind: "status", status: 409, code: "ConditionalRequestConflict", effect: false },
  { kind: "status", status: 500, code: "InternalError", effect: false },
  { kind: "status", status: 500, code: "InternalError", effect: true },
  { kind: "drop", effect: false },
  { kind: "drop", effect: true },
  { kind: "delay", ms: 30 },
];

/** Faults for so large a part of all requests, of every kind in equal parts. */
export function badWeather(random: Random, part: number): () => Fault | null {
  return () => (random.chance(part) ? random.pick(BAD) : null);
}

import type { Section } from "./report.mjs";

export function benchShops(options: {
  readonly rounds: number;
  readonly size?: number;
  readonly idleMs?: number;
}): Promise<Section[]>;

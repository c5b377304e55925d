import type { Section } from "./report.mjs";

export function benchJobs(options: { readonly size?: number }): Promise<Section[]>;

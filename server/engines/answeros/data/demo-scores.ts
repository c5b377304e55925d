import { z } from "zod";

import { PageMeta, scoreFields } from "../schema.ts";
import type { DemoPage } from "./demo-pages.ts";
import scored from "./demo-scored.json" with { type: "json" };

const Result = z.strictObject(scoreFields).omit({ computed_at: true });
const DemoScore = z.strictObject({ before: Result, after: Result, meta: PageMeta });
export type DemoScore = z.output<typeof DemoScore>;

/** The scores of a demo page: before and after its last revision. */
export const demoScore = (key: DemoPage["key"]): DemoScore => DemoScore.parse(scored[key]);

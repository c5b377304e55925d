import type { Drawing } from "./drawing.ts";
import { LABELS } from "./labels.ts";
import { MENU } from "./menu.ts";
import { SLOTS } from "./slots.ts";
import { ZONES } from "./zones.ts";

/** THE list of pages that draw what a store offers. */
export const DRAWINGS: readonly Drawing[] = [ZONES, SLOTS, MENU, LABELS];

import type { View } from "./view.ts";
import { HOUSE } from "./views/house.ts";
import { PEOPLE } from "./views/people.ts";
import { TRAFFIC } from "./views/traffic.ts";
import { WORK } from "./views/work.ts";

/** THE list of pages. Each shows one admin route, which the command line uses too. */
export const VIEWS: readonly View[] = [...PEOPLE, ...TRAFFIC, ...WORK, ...HOUSE];

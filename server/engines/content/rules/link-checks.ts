import type { Check } from "../schema/score.ts";
import { toCheck } from "./check.ts";
import type { Followed, SeoFacts } from "./seo-facts.ts";

/** Checks l1 to l3: links to the own site and to others. */
export const linkChecks = ({ links: { internal, outbound, broken } }: SeoFacts): Check[] => [
  checkLinks("l1", "Internal links", internal, "Link to other pages of the shop."),
  checkLinks("l2", "Outbound links", outbound, "Link to a source that readers can trust."),
  toCheck({
    id: "l3",
    name: "Broken internal links",
    status: broken === null ? "na" : broken === 0 ? "good" : "bad",
    value: broken,
    threshold: "none",
    fix: "Fix or remove the broken links.",
  }),
];

const checkLinks = (id: "l1" | "l2", name: string, { all, followed }: Followed, fix: string): Check =>
  toCheck({
    id,
    name,
    status: followed > 0 ? "good" : all > 0 ? "ok" : "bad",
    value: all === followed ? all : `${all}, ${all - followed} of them nofollow`,
    threshold: "at least 1 without nofollow",
    fix: all > 0 ? "Remove nofollow from links that you endorse." : fix,
  });

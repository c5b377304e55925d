import { BOTS } from "../data/bots.ts";
import type { FileFinding } from "../schema/files.ts";

/** Presets: all except training crawlers (the default), everyone, or search engines only. */
export const ROBOTS_PRESETS = ["visible_no_training", "open", "closed"] as const;
export type RobotsPreset = (typeof ROBOTS_PRESETS)[number];

/**
 * The part of robots.txt about answer engines, to be merged into the existing file. Training, search and
 * fetching on behalf of a person are separate. Crawlers that do not obey robots.txt are listed in a comment: only a
 * firewall
 * stops them.
 */
export function writeRobots(preset: RobotsPreset, catalogUrl: string | null): string {
  const groups = BOTS.filter(({ obeys_robots: obeys }) => obeys).map(
    ({ name, vendor, purpose }) =>
      `# ${vendor}: ${purpose}\nUser-agent: ${name}\n${isAllowed(preset, purpose, name) ? "Allow: /" : "Disallow: /"}`,
  );
  const deaf = BOTS.filter(({ obeys_robots: obeys }) => !obeys).map(({ name }) => name);
  const catalog = catalogUrl === null ? [] : [`Agentmap: ${catalogUrl}`];
  return `${[...groups, `# Not bound by robots.txt: ${deaf.join(", ")}`, ...catalog].join("\n\n")}\n`;
}

/** Conventional search engines are always allowed: an answer policy does not apply to them. */
const ALWAYS: ReadonlySet<string> = new Set(["Googlebot", "Bingbot", "Applebot"]);

function isAllowed(preset: RobotsPreset, purpose: "training" | "search" | "user", name: string): boolean {
  if (preset === "open" || ALWAYS.has(name)) return true;
  return preset === "visible_no_training" && purpose !== "training";
}

const DIRECTIVE = /^(user-agent|allow|disallow|sitemap|crawl-delay|host|agentmap|clean-param)\s*:\s*(.*)$/is;

/** Lint of robots.txt (RFC 9309): unknown directives, rules without a group, invalid paths. */
export function lintRobots(content: string): FileFinding[] {
  let isInGroup = false;
  return content.split(/\r?\n/).flatMap((text, index): FileFinding[] => {
    const path = `line ${index + 1}`;
    const bare = (text.split("#", 1)[0] ?? "").trim();
    if (bare === "") return [];
    const [, name = "", value = ""] = DIRECTIVE.exec(bare) ?? [];
    if (name === "")
      return [{ code: "unknown_line", severity: "error", path, message: "Not a robots.txt directive." }];
    const directive = name.toLowerCase();
    if (directive === "user-agent") {
      isInGroup = true;
      return value === ""
        ? [{ code: "no_agent", severity: "error", path, message: "No crawler is specified." }]
        : [];
    }
    if (directive !== "allow" && directive !== "disallow") return [];
    if (!isInGroup) {
      return [
        {
          code: "no_group",
          severity: "error",
          path,
          message: "A rule requires a preceding User-agent line.",
        },
      ];
    }
    return value === "" || /^[/*$]/.test(value)
      ? []
      : [{ code: "bad_path", severity: "error", path, message: "A path must start with / or *." }];
  });
}

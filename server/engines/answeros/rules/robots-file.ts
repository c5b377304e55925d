import { BOTS } from "../data/bots.ts";
import type { FileFinding } from "../schema/files.ts";

/** Who may come: all but the collectors of training data (the default), everybody, or search engines alone. */
export const ROBOTS_PRESETS = ["visible_no_training", "open", "closed"] as const;
export type RobotsPreset = (typeof ROBOTS_PRESETS)[number];

/**
 * The part of robots.txt that is about answer engines, to be joined to what the shop has. Training, search and
 * fetching for a person are told apart. Crawlers that say they do not obey are named in a comment: only a firewall
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

/** Search engines for people stay welcome, whatever the preset: to shut them out is not what an answer policy is for. */
const ALWAYS: ReadonlySet<string> = new Set(["Googlebot", "Bingbot", "Applebot"]);

function isAllowed(preset: RobotsPreset, purpose: "training" | "search" | "user", name: string): boolean {
  if (preset === "open" || ALWAYS.has(name)) return true;
  return preset === "visible_no_training" && purpose !== "training";
}

const DIRECTIVE = /^(user-agent|allow|disallow|sitemap|crawl-delay|host|agentmap|clean-param)\s*:\s*(.*)$/i;

/** Lint of robots.txt (RFC 9309): lines that nobody understands, rules that belong to nobody, paths that begin with none. */
export function lintRobots(content: string): FileFinding[] {
  let isInGroup = false;
  return content.split(/\r?\n/).flatMap((text, index): FileFinding[] => {
    const path = `line ${index + 1}`;
    const bare = text.replace(/#.*$/, "").trim();
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

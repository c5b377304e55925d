import type { Bot } from "../data/bots.ts";

/** One request in a web server log. */
export interface LogLine {
  /** Date of the logged time in UTC, `YYYY-MM-DD`. */
  readonly date: string;
  /** Without query. */
  readonly path: string;
  readonly status: number;
  readonly user_agent: string;
}

const COMBINED =
  /^(?<host>\S+) \S+ (?:\S+|"[^"]*") \[(?<time>[^\]]+)\] "(?<request>(?:[^"\\]|\\.)*)" (?<status>\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "(?<agent>(?:[^"\\]|\\.)*)")?/;
const TIME = /^(\d{2})\/([A-Za-z]{3})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/;
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** Parses a line in the combined log format of Apache and nginx; null if invalid. The IP address is discarded. */
export function parseCombined(line: string): LogLine | null {
  const groups = COMBINED.exec(line)?.groups;
  if (groups === undefined) return null;
  const date = dateOf(groups["time"] ?? "");
  const [, target = ""] = (groups["request"] ?? "").split(" ");
  if (date === null || target === "") return null;
  return {
    date,
    path: pathOf(target),
    status: Number(groups["status"]),
    user_agent: groups["agent"] ?? "",
  };
}

function dateOf(time: string): string | null {
  const [, day, month = "", year, hour, minute, second, sign, zoneHour, zoneMinute] = TIME.exec(time) ?? [];
  const at = MONTHS.indexOf(month);
  if (day === undefined || month === "" || at % 3 !== 0) return null;
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === "-" ? -1 : 1);
  const ms = Date.UTC(Number(year), at / 3, Number(day), Number(hour), Number(minute) - zone, Number(second));
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().slice(0, 10);
}

const PATH_CHARS = 300;

/** The path without query and fragment, which may contain personal data; for an absolute target the path only. */
export function pathOf(target: string): string {
  const bare = target.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/)[0] ?? "";
  return (bare === "" ? "/" : bare).slice(0, PATH_CHARS);
}

/** Parses a row of CSV with `date` or `time`, `path` or `url`, `status` and `user_agent`; null if one is missing. */
export function parseRow(row: Readonly<Record<string, string>>): LogLine | null {
  const date = /^\d{4}-\d{2}-\d{2}/.exec(row["date"] ?? row["time"] ?? row["timestamp"] ?? "")?.[0];
  const target = row["path"] ?? row["url"];
  const status = Number(row["status"]);
  const isDate = date !== undefined && !Number.isNaN(Date.parse(date));
  if (!isDate || target === undefined || target === "" || !(status >= 100 && status <= 599)) return null;
  return { date, path: pathOf(target), status, user_agent: row["user_agent"] ?? row["agent"] ?? "" };
}

/** The crawler by user agent; null for people and for unknown crawlers. */
export function botOf(userAgent: string, bots: readonly Bot[]): Bot | null {
  const agent = userAgent.toLowerCase();
  return bots.find(({ agent_token: token }) => token !== null && agent.includes(token.toLowerCase())) ?? null;
}

import type { Bot } from "../data/bots.ts";
import { parseUtc } from "../../../lib/instant.ts";
import { parseJson as readJson } from "../../../lib/parse-json.ts";

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
  const status = Number(groups["status"]);
  if (date === null || target === "" || !isStatus(status)) return null;
  return {
    date,
    path: pathOf(target),
    status,
    user_agent: groups["agent"] ?? "",
  };
}

/** Each status of a day is counted by itself: HTTP has no others than these. */
const isStatus = (status: number): boolean => status >= 100 && status <= 599;

function dateOf(time: string): string | null {
  const [, day, month = "", year, hour, minute, second, sign, zoneHour, zoneMinute] = TIME.exec(time) ?? [];
  const at = MONTHS.indexOf(month);
  if (day === undefined || month === "" || at % 3 !== 0) return null;
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === "-" ? -1 : 1);
  const ms = Date.UTC(Number(year), at / 3, Number(day), Number(hour), Number(minute) - zone, Number(second));
  return isoDay(ms);
}

const PATH_CHARS = 300;

/** The path without query and fragment, which may contain personal data; for an absolute target the path only. */
export function pathOf(target: string): string {
  const bare = target.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/)[0] ?? "";
  return (bare === "" ? "/" : bare).slice(0, PATH_CHARS);
}

/**
 * The names of a value in CSV and JSON logs, in lower case: ours, those of nginx's variables, of Cloudflare's dataset
 * http_requests (developers.cloudflare.com/logs) and of Caddy.
 */
const NAMES = {
  time: ["date", "time", "timestamp", "time_iso8601", "time_local", "edgestarttimestamp", "ts"],
  target: ["path", "url", "uri", "request_uri", "clientrequesturi", "clientrequestpath", "request"],
  status: ["status", "edgeresponsestatus"],
  agent: ["user_agent", "http_user_agent", "clientrequestuseragent", "agent"],
};

/** Parses a row of CSV, by its lower-case column names; null if the time, the target or the status is missing. */
export function parseRow(row: Readonly<Record<string, unknown>>): LogLine | null {
  const find = (names: readonly string[]): string =>
    names.map((name) => textOf(row[name])).find((text) => text !== "") ?? "";
  const date = dayOf(find(NAMES.time));
  const found = find(NAMES.target);
  // nginx's $request: method, target and protocol.
  const target = /^[A-Z]+ (\S+) HTTP\//.exec(found)?.[1] ?? found;
  const status = Number(find(NAMES.status));
  if (date === null || target === "" || !isStatus(status)) return null;
  return { date, path: pathOf(target), status, user_agent: find(NAMES.agent) };
}

/** Parses a line of a JSON log; null if invalid. In Caddy's, the request is an object of its own. */
export function parseJson(line: string): LogLine | null {
  const row = recordOf(line);
  const request = recordOf(row["request"]);
  const agents = recordOf(request["headers"])["user-agent"];
  return parseRow({
    ...row,
    ...(request["uri"] === undefined ? {} : { request: "", uri: request["uri"] }),
    ...(agents === undefined ? {} : { user_agent: Array.isArray(agents) ? agents[0] : agents }),
  });
}

/** Members of an object, or of its JSON text, by their names in lower case; none for anything else. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = typeof value === "string" ? readJson(value) : value;
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(Object.entries(parsed).map(([name, one]) => [name.toLowerCase(), one]));
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

const SECONDS_DIGITS = 10;

/** The UTC day of an RFC 3339 timestamp, a date, the time of the combined format, or Unix seconds (also ms, µs, ns). */
function dayOf(time: string): string | null {
  if (/^\d{4}-\d{2}-\d{2}$/.test(time)) return Number.isNaN(Date.parse(time)) ? null : time;
  const [digits] = /^\d{10,19}(?=\.\d+$|$)/.exec(time) ?? [];
  if (digits !== undefined) return isoDay(Number(digits.slice(0, SECONDS_DIGITS)) * 1_000);
  return /^\d{4}-\d{2}-\d{2}T/.test(time) ? isoDay(parseUtc(time)) : dateOf(time);
}

const isoDay = (ms: number): string | null =>
  Number.isNaN(ms) ? null : new Date(ms).toISOString().slice(0, 10);

/** The crawler by user agent; null for people and for unknown crawlers. */
export function botOf(userAgent: string, bots: readonly Bot[]): Bot | null {
  const agent = userAgent.toLowerCase();
  return bots.find(({ agent_token: token }) => token !== null && agent.includes(token.toLowerCase())) ?? null;
}

/** An event as a calendar shows it. */
export interface FeedEvent {
  readonly uid: string;
  /** RFC 3339 instants, UTC. */
  readonly starts_at: string;
  readonly ends_at: string;
  readonly changed_at: string;
  /** Rises with every change, so that a calendar takes the newer one. */
  readonly sequence: number;
  readonly summary: string;
  readonly location: string;
  readonly description: string;
  readonly status: "CONFIRMED" | "TENTATIVE" | "CANCELLED";
}

/**
 * An iCalendar text (RFC 5545): CRLF, lines folded at 75 bytes, texts escaped. Times are in UTC, which needs no zone. `events`: as
 * `writeEvent` writes them.
 */
export function writeCalendar(name: string, events: readonly string[]): string {
  const before = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Storefront platform//Catering//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `X-WR-CALNAME:${escapeText(name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
  ];
  return `${joinLines(before)}${events.join("")}END:VCALENDAR\r\n`;
}

/** An event of a calendar. */
export const writeEvent = (event: FeedEvent): string => joinLines(linesOf(event));

const joinLines = (lines: readonly string[]): string => lines.map((line) => `${fold(line)}\r\n`).join("");

const linesOf = (event: FeedEvent): string[] => [
  "BEGIN:VEVENT",
  `UID:${escapeText(event.uid)}`,
  `DTSTAMP:${utc(event.changed_at)}`,
  `LAST-MODIFIED:${utc(event.changed_at)}`,
  `SEQUENCE:${event.sequence}`,
  `DTSTART:${utc(event.starts_at)}`,
  `DTEND:${utc(event.ends_at)}`,
  `SUMMARY:${escapeText(event.summary)}`,
  ...(event.location === "" ? [] : [`LOCATION:${escapeText(event.location)}`]),
  ...(event.description === "" ? [] : [`DESCRIPTION:${escapeText(event.description)}`]),
  `STATUS:${event.status}`,
  "TRANSP:OPAQUE",
  "END:VEVENT",
];

const utc = (instant: string): string => `${instant.slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

/** A control character could begin a property of its own. */
const escapeText = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll(/\r\n|\r|\n/g, "\\n")
    .replaceAll(/[;,]/g, (char) => `\\${char}`)
    .replaceAll(/\p{Cc}/gu, " ");

const FOLD_BYTES = 75;

/** Folds at 75 bytes without cutting a character in two. */
function fold(line: string): string {
  let [folded, bytes] = ["", 0];
  for (const char of line) {
    const size = Buffer.byteLength(char);
    if (bytes + size > FOLD_BYTES) {
      folded += "\r\n ";
      bytes = 1;
    }
    folded += char;
    bytes += size;
  }
  return folded;
}

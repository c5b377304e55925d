import { describe, expect, it } from "vitest";

import { BOTS } from "../../../server/engines/answeros/data/bots.ts";
import {
  botOf,
  parseCombined,
  parseJson,
  parseRow,
  pathOf,
} from "../../../server/engines/answeros/rules/crawler-log.ts";

const line = (request: string, agent: string, time = "01/Jun/2026:06:12:01 +0000") =>
  `192.0.2.7 - - [${time}] "${request}" 200 5120 "-" "${agent}"`;

describe("combined log lines", () => {
  it("are read without the address and the query", () => {
    expect(parseCombined(line("GET /rye?customer=7#x HTTP/1.1", "GPTBot/1.2"))).toEqual({
      date: "2026-06-01",
      path: "/rye",
      status: 200,
      user_agent: "GPTBot/1.2",
    });
  });

  it.each([
    ["01/Jun/2026:00:30:00 +0100", "2026-05-31"],
    ["31/May/2026:23:30:00 -0100", "2026-06-01"],
    ["29/Feb/2028:12:00:00 +0000", "2028-02-29"],
  ])("%s is %s in UTC", (time, date) =>
    expect(parseCombined(line("GET / HTTP/1.1", "x", time))?.date).toBe(date),
  );

  it("may have quotes that are escaped, and no referrer", () => {
    expect(parseCombined(line('GET /a\\"b HTTP/1.1', 'a \\"bot\\"'))?.path).toBe('/a\\"b');
    expect(
      parseCombined('192.0.2.7 - - [01/Jun/2026:06:12:01 +0000] "GET / HTTP/1.1" 304 -')?.user_agent,
    ).toBe("");
  });

  it.each(["", "no log", line("-", "x"), line("GET / HTTP/1.1", "x", "01/Foo/2026:06:12:01 +0000")])(
    "%j is none",
    (text) => expect(parseCombined(text)).toBeNull(),
  );
});

it("takes the path of whatever was asked for", () => {
  expect(["https://crumb.example/a?b", "https://crumb.example", "", "/é"].map(pathOf)).toEqual([
    "/a",
    "/",
    "/",
    "/é",
  ]);
});

it("reads times without a zone in UTC, whatever the zone of the machine", () => {
  const before = process.env["TZ"];
  process.env["TZ"] = "America/New_York";
  try {
    const dates = ["2026-06-01T22:00:00", "2026-06-01T22:00:00-04:00"].map(
      (time) => parseRow({ time, url: "/rye", status: "200" })?.date,
    );
    expect(dates).toEqual(["2026-06-01", "2026-06-02"]);
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});

it("reads rows of CSV", () => {
  const row = {
    time: "2026-06-01T06:12:01Z",
    url: "https://crumb.example/rye?x",
    status: "200",
    user_agent: "GPTBot",
  };
  expect(parseRow(row)).toEqual({ date: "2026-06-01", path: "/rye", status: 200, user_agent: "GPTBot" });
  expect(parseRow({ ...row, status: "ok" })).toBeNull();
  expect(parseRow({ ...row, time: "yesterday" })).toBeNull();
  expect(parseRow({ ...row, url: "" })).toBeNull();
});

describe("JSON lines", () => {
  const read = { date: "2026-06-01", path: "/rye", status: 200, user_agent: "GPTBot/1.2" };
  it.each([
    [
      "nginx",
      {
        time_iso8601: "2026-06-01T06:12:01+00:00",
        request_uri: "/rye?x=1",
        status: "200",
        http_user_agent: "GPTBot/1.2",
      },
    ],
    [
      "nginx with $request and $time_local",
      {
        time_local: "01/Jun/2026:06:12:01 +0000",
        request: "GET /rye HTTP/2.0",
        status: 200,
        http_user_agent: "GPTBot/1.2",
      },
    ],
    [
      "Cloudflare",
      {
        ClientRequestUserAgent: "GPTBot/1.2",
        ClientRequestURI: "/rye?x=1",
        EdgeResponseStatus: 200,
        EdgeStartTimestamp: "2026-06-01T06:12:01Z",
      },
    ],
    [
      "Cloudflare, in nanoseconds",
      {
        ClientRequestUserAgent: "GPTBot/1.2",
        ClientRequestPath: "/rye",
        EdgeResponseStatus: 200,
        EdgeStartTimestamp: "1780294321000000000",
      },
    ],
    [
      "Caddy",
      {
        ts: 1780294321.52,
        request: { method: "GET", uri: "/rye?x=1", headers: { "User-Agent": ["GPTBot/1.2"] } },
        status: 200,
      },
    ],
    [
      "a zone of its own",
      {
        time: "2026-05-31T23:30:00-02:00",
        url: "https://crumb.example/rye",
        status: 200,
        agent: "GPTBot/1.2",
      },
    ],
  ])("are read as %s writes them", (_, line) => expect(parseJson(JSON.stringify(line))).toEqual(read));

  it.each(["", "{", "[]", "null", "7", '{"status":200}', '{"time":"2026-06-01","path":"/","status":"ok"}'])(
    "%j is none",
    (text) => expect(parseJson(text)).toBeNull(),
  );
});

describe("crawlers", () => {
  it("are told by their user agents, each by its own", () => {
    for (const { name, agent_token: token } of BOTS) {
      if (token !== null)
        expect([name, botOf(`Mozilla/5.0 (compatible; ${token}/1.0)`, BOTS)?.name]).toEqual([name, name]);
    }
  });
  it("are not people, and no tokens of robots.txt", () => {
    expect(botOf("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", BOTS)).toBeNull();
    expect(botOf("Google-Extended", BOTS)).toBeNull();
  });
  it("have names once, and sources", () => {
    expect(new Set(BOTS.map(({ name }) => name)).size).toBe(BOTS.length);
    for (const { source } of BOTS) expect(source).toMatch(/^https:\/\//);
  });
});

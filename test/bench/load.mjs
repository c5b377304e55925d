// One burst of load from a process of its own: the generator never shares a core's event loop with a server.
// argv: JSON {url, method, headers, body, requests, connections, seconds}; prints JSON {perSecond, ok, others}.
// With wrk where it is installed: autocannon, the portable one, takes more CPU per answer than the servers compared here,
// so its ratios lean towards the server whose answers have the fewest headers.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

import { hasWrk } from "./generator.mjs";

const target = JSON.parse(process.argv[2]);
console.log(JSON.stringify(hasWrk() ? runWrk(target) : await runAutocannon(target)));

function runWrk({ url, method = "GET", headers = {}, body, requests, connections, seconds }) {
  const folder = mkdtempSync(`${tmpdir()}/platform-load-`);
  const bodies = requests?.map((request) => request.body) ?? (body === undefined ? [] : [body]);
  const script = `
    wrk.method = "${method}"
    ${Object.entries(headers)
      .map(([name, value]) => `wrk.headers["${name}"] = "${value}"`)
      .join("\n")}
    ${bodies.length === 0 ? "" : sendInTurn(bodies)}
    function done(summary)
      local lost = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
      io.write(string.format("RESULT %d %d %d %d\\n", summary.requests, summary.errors.status, lost, summary.duration))
    end`;
  writeFileSync(`${folder}/load.lua`, script);
  try {
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", `${folder}/load.lua`, url];
    const out = execFileSync("wrk", args, { encoding: "utf8" });
    const [total, refused, lost, micros] = /RESULT (\d+) (\d+) (\d+) (\d+)/.exec(out).slice(1).map(Number);
    return { perSecond: total / (micros / 1e6), ok: total - refused, others: refused + lost };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without it, wrk formats the request once; with it, at every request. */
function sendInTurn(bodies) {
  // A JSON text without "]]" is also a Lua long string.
  return `
    local bodies = {${bodies.map((text) => `[[${text}]]`).join(",")}}
    local turn = 0
    function request()
      turn = turn % #bodies + 1
      return wrk.format(nil, nil, nil, bodies[turn])
    end`;
}

async function runAutocannon({ seconds, ...options }) {
  const { default: autocannon } = await import("./peers/node_modules/autocannon/autocannon.js");
  const result = await autocannon({ ...options, duration: seconds });
  const { requests, duration, non2xx, errors, timeouts } = result;
  return {
    perSecond: requests.total / duration,
    ok: result["2xx"],
    others: non2xx + errors + timeouts,
  };
}

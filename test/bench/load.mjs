// One burst of load from a process of its own: the generator never shares a core's event loop with a server.
// argv: JSON {url, method, headers, body, connections, seconds}; prints JSON {perSecond, p99Ms, statuses}.
import autocannon from "./peers/node_modules/autocannon/autocannon.js";

const { seconds, ...target } = JSON.parse(process.argv[2]);
const result = await autocannon({ ...target, duration: seconds });
const statuses = Object.fromEntries(
  Object.entries(result.statusCodeStats).map(([code, { count }]) => [code, count]),
);
console.log(
  JSON.stringify({
    perSecond: result.requests.total / result.duration,
    p99Ms: result.latency.p99,
    statuses,
    errors: result.errors,
  }),
);

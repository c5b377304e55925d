import { defineScript } from "../script.ts";
import { REVISIONS } from "./revisions.ts";
import { USAGE } from "./usage.ts";

/**
 * Writes documents at the versions they carry, but for those that are there at this version or a later one, and raises the
 * sequence to the highest.
 * KEYS: sequence, counts, usage, revisions, then docs and order of each collection.
 * ARGV: bytes of the partition's name; number of the collections, each with its name and how it counts; each document as
 * collection, id, version and JSON.
 */
export const loadScript = defineScript(
  `${USAGE}${REVISIONS}${String.raw`
local names, as, at = {}, {}, 2
for k = 1, tonumber(ARGV[2]) do
  names[k], as[k] = ARGV[at + 1], ARGV[at + 2]
  at = at + 2
end
local last = redis.call("GET", KEYS[1])
local total = USAGE(KEYS[3], last)
local top = tonumber(last or "0")
for i = at + 1, #ARGV, 4 do
  local k, id, version = tonumber(ARGV[i]), ARGV[i + 1], tonumber(ARGV[i + 2])
  local found = redis.call("HGET", KEYS[3 + 2 * k], id)
  if not found or tonumber(string.match(found, "^(%d+)\n")) < version then
    redis.call("HSET", KEYS[3 + 2 * k], id, ARGV[i + 2] .. "\n" .. ARGV[i + 3])
    if total then
      TALLY(total, as[k], id, tonumber(ARGV[1]) + #names[k] + #id + 2, found and SIZE(found), #ARGV[i + 3])
    end
    if not found then
      redis.call("ZADD", KEYS[4 + 2 * k], 0, id)
      redis.call("HINCRBY", KEYS[2], names[k], 1)
    end
    top = math.max(top, version)
  end
end
local version = string.format("%.0f", top)
if total then SAVE(KEYS[3], version, total) end
redis.call("SET", KEYS[1], version)
RENEW(KEYS[4], version)
return 1
`}`,
);

import { defineScript } from "../script.ts";

/**
 * Writes documents at the versions they carry, but for those that are there at this version or a later one, and raises the
 * sequence to the highest.
 * KEYS: sequence, counts, then docs and order of each collection.
 * ARGV: number and names of the collections; each document as collection, id, version and JSON.
 */
export const loadScript = defineScript(String.raw`
local names, at = {}, 1
for k = 1, tonumber(ARGV[1]) do
  at = at + 1
  names[k] = ARGV[at]
end
local last = redis.call("GET", KEYS[1])
local top = tonumber(last or "0")
for i = at + 1, #ARGV, 4 do
  local k, id, version = tonumber(ARGV[i]), ARGV[i + 1], tonumber(ARGV[i + 2])
  local found = redis.call("HGET", KEYS[1 + 2 * k], id)
  if not found or tonumber(string.match(found, "^(%d+)\n")) < version then
    redis.call("HSET", KEYS[1 + 2 * k], id, ARGV[i + 2] .. "\n" .. ARGV[i + 3])
    if not found then
      redis.call("ZADD", KEYS[2 + 2 * k], 0, id)
      redis.call("HINCRBY", KEYS[2], names[k], 1)
    end
    top = math.max(top, version)
  end
end
redis.call("SET", KEYS[1], string.format("%.0f", top))
return 1
`);

import { defineScript, SAME } from "../script.ts";

/**
 * Documents of one partition at one moment, in the order asked for; nothing where there is none.
 * KEYS: docs of each collection, the identity. ARGV: id of the store, then collection and id of each document.
 */
export const getManyScript = defineScript(
  `${SAME}${String.raw`
local other = SAME(ARGV[1])
if other then return other end
local found = {}
for i = 2, #ARGV, 2 do
  found[#found + 1] = redis.call("HGET", KEYS[tonumber(ARGV[i])], ARGV[i + 1])
end
return found
`}`,
);

/**
 * A page: whether there is more, its ids, and what they (or, of an index, the documents that they end in) hold.
 * KEYS: order of the collection, docs to show, the identity. ARGV: id of the store, lowest and highest id in the words of ZRANGEBYLEX, limit, "1" for an
 * index. It costs what the page costs: the sorted set finds the first id in logarithmic time.
 */
export const pageScript = defineScript(
  `${SAME}${String.raw`
local other = SAME(ARGV[1])
if other then return other end
local limit = tonumber(ARGV[4])
local ids = redis.call("ZRANGEBYLEX", KEYS[1], ARGV[2], ARGV[3], "LIMIT", 0, limit + 1)
local more = 0
if #ids > limit then
  more = 1
  ids[#ids] = nil
end
if #ids == 0 then return {more, ids, ids} end
local targets = ids
if ARGV[5] == "1" then
  targets = {}
  for i, id in ipairs(ids) do targets[i] = string.match(id, "[^~]*$") end
end
return {more, ids, redis.call("HMGET", KEYS[2], unpack(targets))}
`}`,
);

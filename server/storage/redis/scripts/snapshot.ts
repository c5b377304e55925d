import { defineScript } from "../script.ts";

/**
 * Sets a mark and names the collections of this moment.
 * KEYS: sequence, counts, marks. ARGV: id of the snapshot, milliseconds that the mark holds without a further step.
 */
export const beginScript = defineScript(String.raw`
redis.call("HSET", KEYS[3], ARGV[1], redis.call("GET", KEYS[1]) or "0")
redis.call("PEXPIRE", KEYS[3], ARGV[2])
return redis.call("HKEYS", KEYS[2])
`);

/**
 * The next ids of a collection as they were at the mark: those that still are, and those kept aside since. Both are read in
 * one step and up to the same id, so each document comes exactly once, whatever is written before or after.
 * Returns the id to go on after ("" at the end) and pairs of id and `version\nJSON`; 0 when the mark has expired.
 * KEYS: marks, kept, docs, order. ARGV: id of the snapshot, its lease in ms, collection, id to go on after, count.
 */
export const stepScript = defineScript(String.raw`
local marks, kept, docs, order = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local coll, after, count = ARGV[3], ARGV[4], tonumber(ARGV[5])
local mark = redis.call("HGET", marks, ARGV[1])
if not mark then return 0 end
mark = tonumber(mark)
redis.call("PEXPIRE", marks, ARGV[2])
redis.call("PEXPIRE", kept, ARGV[2] + 60000)

-- "!" sorts between the blank that ends an id here and everything an id is made of; ";" comes after the colon.
local root = coll .. ":"
local low, low_kept = "-", "[" .. root
if after ~= "" then low, low_kept = "(" .. after, "(" .. root .. after .. "!" end
local function id_of(entry) return string.match(entry, "^[^:]*:(%S+) ") end

local ids = redis.call("ZRANGEBYLEX", order, low, "+", "LIMIT", 0, count)
local is_last = #ids < count
-- Others wait while a script reads: a step ends with the document after which it has a megabyte.
local bytes = 0
for i, id in ipairs(ids) do
  bytes = bytes + redis.call("HSTRLEN", docs, id)
  if bytes >= 1048576 and i < #ids then
    ids = {unpack(ids, 1, i)}
    is_last = false
    break
  end
end
local last, high_kept = "", "(" .. coll .. ";"
if not is_last then
  last = ids[#ids]
  high_kept = "(" .. root .. last .. "!"
end
-- What was kept aside is read one by one up to a megabyte too, and goes no further than an id of which all is read.
local old, next_low, kept_bytes = {}, low_kept, 0
while true do
  local entry = redis.call("ZRANGEBYLEX", kept, next_low, high_kept, "LIMIT", 0, 1)[1]
  if not entry then break end
  if (#old >= count or kept_bytes >= 1048576) and id_of(entry) ~= id_of(old[#old]) then
    last = id_of(old[#old])
    ids = redis.call("ZRANGEBYLEX", order, low, "[" .. last)
    break
  end
  old[#old + 1] = entry
  kept_bytes = kept_bytes + #entry
  next_low = "(" .. entry
end

local found = {last}
local function add(id, raw)
  found[#found + 1] = id
  found[#found + 1] = raw
end
if #ids > 0 then
  for i, raw in ipairs(redis.call("HMGET", docs, unpack(ids))) do
    if raw and tonumber(string.match(raw, "^(%d+)\n")) <= mark then add(ids[i], raw) end
  end
end
for _, entry in ipairs(old) do
  local ends, raw = string.match(entry, "^%S+ (%d+) (.*)$")
  if tonumber(ends) > mark and tonumber(string.match(raw, "^(%d+)\n")) <= mark then add(id_of(entry), raw) end
end
return found
`);

/** Removes a mark, and with the last one what was kept aside. KEYS: marks, kept. ARGV: id of the snapshot. */
export const endScript = defineScript(String.raw`
redis.call("HDEL", KEYS[1], ARGV[1])
if redis.call("EXISTS", KEYS[1]) == 0 then redis.call("DEL", KEYS[2]) end
return 1
`);

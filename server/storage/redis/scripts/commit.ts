import { defineScript, SAME } from "../script.ts";
import { REVISIONS } from "./revisions.ts";
import { USAGE } from "./usage.ts";

/**
 * One commit. Answers the new version as text, the number of the check that failed (from 1), 0 when the partition is
 * new and ARGV[1] does not say that it has been listed, -1 when there is a quota but the usage is not known, -2 when the checks
 * would read too much, or the usage where the quota is exceeded.
 *
 * KEYS: sequence, counts, marks, kept, usage, revisions, then docs and order of each collection, the identity.
 * ARGV: id of the store; listed ("1" or "0"); quota in documents, bytes and bytes of the platform's own, or "" for each; bytes of
 * the partition's name; bytes that the checks may read; number of the collections, each with its name, how it counts, and the revision at
 * which all checks of it were found true, or ""; number of checks, each as collection, id, version; numbers of puts and of removals; the puts as collection, id, value; the removals as collection, id.
 *
 * All reads come before the first write, so a failed check has written nothing. The first write of a commit that puts
 * is one that Redis refuses when its memory is full; one that only removes is let through, and makes room.
 * Versions are compared and kept as text: Lua would print large numbers with an exponent.
 */
export const commitScript = defineScript(
  `${SAME}${USAGE}${REVISIONS}${String.raw`
local sequence, counts, marks, kept = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local at = 0
local function pop()
  at = at + 1
  return ARGV[at]
end

local other = SAME(pop())
if other then return other end
local listed = pop()
local quota = {tonumber(pop()), tonumber(pop()), tonumber(pop())}
local part_bytes = tonumber(pop())
local room = tonumber(pop())
local last = redis.call("GET", sequence)
-- "held": bytes of the JSON of what a check has read, or false; "proven": versions that are there without reading.
local names, as, held, same, proven = {}, {}, {}, {}, {}
for k = 1, tonumber(pop()) do
  names[k], as[k], held[k], proven[k] = pop(), pop(), {}, {}
  local known = pop()
  if known ~= "" then
    local found = redis.call("HMGET", KEYS[6], "=seq", "=floor", names[k])
    same[k] = found[1] == last and (found[3] or found[2]) == known
  end
end

for number = 1, tonumber(pop()) do
  local k, id, version = tonumber(pop()), pop(), pop()
  if same[k] then
    proven[k][id] = version
  else
    -- Everybody waits while this reads.
    if room <= 0 then return -2 end
    local found = redis.call("HGET", KEYS[5 + 2 * k], id)
    local current = "0"
    if found then
      current = string.match(found, "^(%d+)\n")
      room = room - #found
    end
    if current ~= version then return number end
    held[k][id] = found and SIZE(found)
  end
end

local puts, removals = tonumber(pop()), tonumber(pop())
if puts + removals == 0 then return last or "0" end
if not last and listed == "0" then return 0 end

-- What the partition holds before and after this commit.
local total = USAGE(KEYS[5], last)
if not total and quota[1] then return -1 end
if total then
  local before = {total[1], total[2], total[3]}
  local function count(k, id, value)
    local docs, old = KEYS[5 + 2 * k], held[k][id]
    if old == nil and proven[k][id] then
      local length = redis.call("HSTRLEN", docs, id)
      old = length > 0 and length - #proven[k][id] - 1
    elseif old == nil then
      local found = redis.call("HGET", docs, id)
      old = found and SIZE(found)
    end
    TALLY(total, as[k], id, part_bytes + #names[k] + #id + 2, old, value and #value)
  end
  local first = at
  for _ = 1, puts do
    local k, id, value = tonumber(pop()), pop(), pop()
    count(k, id, value)
  end
  for _ = 1, removals do
    local k, id = tonumber(pop()), pop()
    count(k, id, nil)
  end
  at = first
  for i = 1, 3 do
    if quota[i] and total[i] > before[i] and total[i] > quota[i] then return TEXTS(before) end
  end
end
local version = string.format("%.0f", tonumber(last or "0") + 1)

-- Open snapshots show versions up to their mark: a version that they still need is copied first.
local mark = -1
for _, shown in ipairs(redis.call("HVALS", marks)) do mark = math.max(mark, tonumber(shown)) end
local function keep(k, id)
  if mark < 0 then return end
  local old = redis.call("HGET", KEYS[5 + 2 * k], id)
  if old and tonumber(string.match(old, "^(%d+)\n")) <= mark then
    redis.call("ZADD", kept, 0, names[k] .. ":" .. id .. " " .. version .. " " .. old)
  end
end

local change, touched = {}, {}
for k = 1, #names do change[k] = 0 end
for _ = 1, puts do
  local k, id, value = tonumber(pop()), pop(), pop()
  keep(k, id)
  touched[k] = true
  if redis.call("HSET", KEYS[5 + 2 * k], id, version .. "\n" .. value) == 1 then
    redis.call("ZADD", KEYS[6 + 2 * k], 0, id)
    change[k] = change[k] + 1
  end
end
for _ = 1, removals do
  local k, id = tonumber(pop()), pop()
  keep(k, id)
  if redis.call("HDEL", KEYS[5 + 2 * k], id) == 1 then
    redis.call("ZREM", KEYS[6 + 2 * k], id)
    touched[k] = true
    change[k] = change[k] - 1
  end
end
for k = 1, #names do
  if change[k] ~= 0 and redis.call("HINCRBY", counts, names[k], change[k]) == 0 then
    redis.call("HDEL", counts, names[k])
  end
end
-- Kept values expire after the marks, also when no reader returns to remove them.
if mark >= 0 then redis.call("PEXPIRE", kept, redis.call("PTTL", marks) + 60000) end
local changed = {}
for k = 1, #names do
  if touched[k] then changed[#changed + 1] = names[k] end
end
REVISE(KEYS[6], last, version, changed)
if total then SAVE(KEYS[5], version, total) end
redis.call("SET", sequence, version)
return version
`}`,
);

/**
 * Compares versions of documents until it has read a megabyte. Answers how many it compared; negative where the last one is different.
 * KEYS: docs of each collection. ARGV: checks, each as collection, id, version.
 */
export const checkScript = defineScript(String.raw`
local room, compared = 1048576, 0
for i = 1, #ARGV, 3 do
  if room <= 0 then break end
  local found = redis.call("HGET", KEYS[tonumber(ARGV[i])], ARGV[i + 1])
  compared = compared + 1
  if (found and string.match(found, "^(%d+)\n") or "0") ~= ARGV[i + 2] then return -compared end
  if found then room = room - #found end
end
return compared
`);

import { defineLightScript, defineScript, SAME } from "../script.ts";

/** What the scripts of counters share. A window is kept as `count end length`, times in milliseconds. */
const WINDOW = String.raw`
local function clock(given)
  if given ~= "" then return tonumber(given) end
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- A window that ends later than its length from now was opened before the clock was set back: it counts as ended.
local function open(key, now)
  local text = redis.call("GET", key)
  if not text then return nil end
  local count, ends, length = string.match(text, "^(%d+) (%d+) (%d+)$")
  count, ends, length = tonumber(count), tonumber(ends), tonumber(length)
  if now >= ends or ends - now > length then return nil end
  return count, ends, length
end

local function take(key, limit, window, now, amount)
  local count, ends, length = open(key, now)
  if not count then count, ends, length = 0, now + window, window end
  if count + amount > limit then return {0, count, ends} end
  count = count + amount
  -- The key expires with its window.
  redis.call("SET", key, string.format("%.0f %.0f %.0f", count, ends, length), "PX", math.ceil(ends - now))
  return {1, count, ends}
end
`;

/** Answers whether it is allowed, the count and the end. KEYS: counter. ARGV: limit, window in ms, now ("" for Redis's own time), amount. */
export const takeScript = defineLightScript(
  `${WINDOW}${String.raw`
return take(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), clock(ARGV[3]), tonumber(ARGV[4]))
`}`,
);

/**
 * Takes if these documents have these versions, and answers nothing otherwise. KEYS: counter, then docs of each collection,
 * the identity. ARGV: limit, window in ms, now ("" for Redis's own time), amount, id of the store, then
 * collection, id and version of each document.
 */
export const takeIfScript = defineLightScript(
  `${SAME}${WINDOW}${String.raw`
local other = SAME(ARGV[5])
if other then return other end
for i = 6, #ARGV, 3 do
  local found = redis.call("HGET", KEYS[1 + tonumber(ARGV[i])], ARGV[i + 1])
  local current = "0"
  if found then current = string.match(found, "^(%d+)\n") end
  if current ~= ARGV[i + 2] then return false end
end
return take(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), clock(ARGV[3]), tonumber(ARGV[4]))
`}`,
);

/** Answers count and end, or nothing when no window is open. KEYS: counter. ARGV: now ("" for Redis's own time). */
export const peekScript = defineScript(
  `${WINDOW}${String.raw`
local count, ends = open(KEYS[1], clock(ARGV[1]))
if not count then return false end
return {count, ends}
`}`,
);

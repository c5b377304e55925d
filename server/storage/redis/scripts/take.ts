import { defineScript } from "../script.ts";

/** What the scripts of counters share. A window is kept as `count end length`, times in milliseconds. */
export const WINDOW = String.raw`
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

-- Takes an amount as many times as it fits, at most so many; answers the count before, how often it was taken, and the end.
local function take(key, limit, window, now, amount, times)
  local count, ends, length = open(key, now)
  if not count then count, ends, length = 0, now + window, window end
  local fit = amount > 0 and math.floor((limit - count) / amount) or (count <= limit and times or 0)
  fit = math.max(0, math.min(times, fit))
  -- The key expires with its window; one in which nothing is counted needs none.
  if fit > 0 and count + fit * amount <= 0 then
    redis.call("DEL", key)
  elseif fit > 0 then
    local text = string.format("%.0f %.0f %.0f", count + fit * amount, ends, length)
    redis.call("SET", key, text, "PX", math.ceil(ends - now))
  end
  return {count, fit, ends}
end
`;

/** Answers count and end, or nothing when no window is open. KEYS: counter. ARGV: now ("" for Redis's own time). */
export const peekScript = defineScript(
  `${WINDOW}${String.raw`
local count, ends = open(KEYS[1], clock(ARGV[1]))
if not count then return false end
return {count, ends}
`}`,
);

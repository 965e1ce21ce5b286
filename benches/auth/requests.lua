-- The requests of one run, by REQUEST; figures leave as one line of JSON.
-- TOKENS names a file with one refresh token or access token per line; each thread takes its own part.
local base = os.getenv("BASE")
local kind = os.getenv("REQUEST")
local threads = 0

function setup(thread)
  thread:set("part", threads)
  threads = threads + 1
end

local tokens, first = {}, 1

function init()
  local number = 0
  for line in io.lines(os.getenv("TOKENS")) do
    if number % 2 == part then tokens[#tokens + 1] = line end
    number = number + 1
  end
end

local function headers(token)
  return { ["Content-Type"] = "application/json", ["Authorization"] = token and "Bearer " .. token or nil }
end

-- A refresh token is good once: each is taken from the front, and what it was exchanged for goes to the end.
local function take()
  local token = tokens[first]
  tokens[first] = nil
  first = first + 1
  return token
end

local requests = {
  refresh = function()
    return wrk.format("POST", base .. "/token?grant_type=refresh_token", headers(), '{"refresh_token":"' .. take() .. '"}')
  end,
  user = function()
    return wrk.format("GET", base .. "/user", headers(tokens[math.random(#tokens)]))
  end,
  ["sign-in"] = function()
    local body = '{"email":"user' .. math.random(2000) .. '@example.test","password":"correct horse battery"}'
    return wrk.format("POST", base .. "/token?grant_type=password", headers(), body)
  end,
}
request = requests[kind]

if kind == "refresh" then
  local last
  function response(_, _, body)
    last = last or #tokens
    last = last + 1
    tokens[last] = string.match(body, '"refresh_token":"([^"]+)"')
  end
end

function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end

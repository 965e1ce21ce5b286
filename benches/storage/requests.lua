-- One kind of request to storage, for wrk. REQUEST names it; the others say where and as whom.
local request_name = os.getenv("REQUEST")
local base = os.getenv("BASE")
local token = os.getenv("TOKEN")
local run = os.getenv("RUN")

local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local function json(body)
  local headers = { ["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json" }
  return wrk.format("POST", nil, headers, body)
end

local function upload(size)
  local body = string.rep("x", size)
  local count = 0
  return function()
    count = count + 1
    local headers = { ["Authorization"] = "Bearer " .. token, ["Content-Type"] = "text/plain" }
    local path = string.format("%s/object/bench/up/%s-%d-%d", base, run, number, count)
    return wrk.format("POST", path, headers, body)
  end
end

function init()
  if request_name == "get-1k" then
    local text = wrk.format("GET", base .. "/object/public/bench/1k.txt")
    request = function() return text end
  elseif request_name == "get-1m" then
    local text = wrk.format("GET", base .. "/object/public/bench/1m.bin")
    request = function() return text end
  elseif request_name == "static-1k" then
    local text = wrk.format("GET", base .. "/1k.txt")
    request = function() return text end
  elseif request_name == "static-1m" then
    local text = wrk.format("GET", base .. "/1m.bin")
    request = function() return text end
  elseif request_name == "list-1000" then
    wrk.path = base .. "/object/list/bench"
    local text = json('{"prefix":"many","limit":1000}')
    request = function() return text end
  elseif request_name == "sign" then
    wrk.path = base .. "/object/sign/bench/1k.txt"
    local text = json('{"expiresIn":60}')
    request = function() return text end
  elseif request_name == "transform" then
    local text = wrk.format("GET", base .. "/render/image/public/bench/photo.jpg?width=640")
    request = function() return text end
  elseif request_name == "post-1k" then
    request = upload(1024)
  elseif request_name == "post-1m" then
    request = upload(1024 * 1024)
  end
end

function done(summary, latency)
  local errors = summary.errors
  local all = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  print(string.format(
    '\n{"requests":%d,"seconds":%f,"failed":%d,"p50":%f,"p99":%f}',
    summary.requests, summary.duration / 1e6, all,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3
  ))
end

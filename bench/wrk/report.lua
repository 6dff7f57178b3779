-- Common part of all wrk runs: sends `depth` pipelined requests (first argument, default 1) and prints
-- the figures as one line of JSON.

function init(args)
  local depth = tonumber(args[1] or "1")
  local requests = {}
  for i = 1, depth do
    requests[i] = wrk.format()
  end
  batch = table.concat(requests)
end

function request()
  return batch
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local format = '{"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"failed":%d}\n'
  local p50 = latency:percentile(50)
  local p99 = latency:percentile(99)
  io.write(string.format(format, summary.requests, summary.duration, p50, p99, failed))
end

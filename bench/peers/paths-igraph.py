"""igraph for graph-paths.mjs: arguments are a file of uint32 pairs, and starts and ends as JSON."""

import array
import json
import statistics
import sys
import time

import igraph

pairs = array.array("I")
with open(sys.argv[1], "rb") as file:
    pairs.frombytes(file.read())
queries = json.loads(sys.argv[2])
graph = igraph.Graph(n=max(pairs) + 1, edges=list(zip(pairs[::2], pairs[1::2])), directed=True)


def measure(what, query):
    times, total = [], 0
    for start, end in zip(queries["starts"], queries["ends"]):
        begun = time.process_time()
        total += query(start, end)
        times.append((time.process_time() - begun) * 1000)
    print(f"igraph    {what:<28}{statistics.median(times):12.3f} ms  ({total})")


measure(
    "vertices within 1 to 4 arcs",
    lambda start, _: graph.neighborhood_size(start, order=4, mode="out", mindist=1),
)
measure(
    "shortest path",
    lambda start, end: max(0, len(graph.get_shortest_paths(start, end, mode="out")[0]) - 1),
)
begun = time.process_time()
graph.pagerank()
per_arcs = (time.process_time() - begun) * 1e9 / (len(pairs) / 2)
print(f"igraph    pageRank per 10^6 arcs      {per_arcs:12.0f} ms")

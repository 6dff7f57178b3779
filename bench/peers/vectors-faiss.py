"""Searches of faiss for vectors.mjs: reads float32 rows and probes, writes ids and CPU times."""

import json
import sys
import time

import faiss
import numpy

COUNT_HITS = 10
BUILD_EF = 100
MEASURED_S = 0.3


def measure(search, probes):
    """Returns the CPU time of a probe, in microseconds."""
    calls, begun, until = 0, time.process_time(), time.monotonic() + MEASURED_S
    while calls == 0 or time.monotonic() < until:
        for probe in probes:
            search(probe)
        calls += len(probes)
    return (time.process_time() - begun) / calls * 1e6


def main(rows_path, probes_path, length, efs):
    faiss.omp_set_num_threads(1)
    rows = numpy.fromfile(rows_path, dtype="float32").reshape(-1, length)
    probes = numpy.fromfile(probes_path, dtype="float32").reshape(-1, length)
    for vectors in (rows, probes):
        faiss.normalize_L2(vectors)
    index = faiss.IndexHNSWFlat(length, 16, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BUILD_EF
    begun = time.process_time()
    index.add(rows)
    build_us = (time.process_time() - begun) / len(rows) * 1e6
    flat = faiss.IndexFlatIP(length)
    flat.add(rows)
    results = []
    for name, ef, searched in [("exact", 0, flat)] + [(f"ef {ef}", ef, index) for ef in efs]:
        if ef > 0:
            index.hnsw.efSearch = ef
        singly = [probe.reshape(1, -1) for probe in probes]
        found = [searched.search(probe, COUNT_HITS)[1][0].tolist() for probe in singly]
        us = measure(lambda probe: searched.search(probe, COUNT_HITS), singly)
        results.append({"name": name, "found": found, "us": us})
    print(json.dumps({"buildUs": build_us, "results": results}))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), [int(ef) for ef in sys.argv[4].split(",")])

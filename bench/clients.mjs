// Typed clients of 10, 100 and 1000 endpoints with the same parameters and results: time to
// generate them, compile time of an app with one call under TypeScript 5.9 and 7, and bundle size.
//
//   node clients.mjs [--rounds 3]

import { heyApi } from "./clients/hey-api.mjs";
import { hono, honoSplit } from "./clients/hono.mjs";
import { bundle, bundleRuntime, COMPILERS, checkTypes } from "./clients/measure.mjs";
import { svc } from "./clients/svc.mjs";
import { trpc, trpcDeclared } from "./clients/trpc.mjs";
import { generate, makeApp, makeService } from "./clients/workplace.mjs";
import { medians, printOtherWork, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { machineCpuUs, ownCpuUs } from "./lib/process-figures.mjs";

/** Files of ten endpoints each. */
const SIZES = [1, 10, 100];
/** Baseline: what a compiler needs for the libraries of a page alone. */
const NOTHING = { name: "(no client)", sources: () => ({ "app.ts": "export {};\n" }) };
const CLIENTS = [NOTHING, svc, trpc, trpcDeclared, hono, honoSplit, heyApi];

const { rounds } = readOptions({ rounds: 3 });
const services = SIZES.map(makeService);
const apps = services.flatMap((service) => CLIENTS.map((client) => makeApp(client, service)));
const samples = new Map(apps.map((app) => [app, []]));
const otherCores = [];
for (let round = 0; round < rounds; round++) {
  for (const app of apps) {
    const before = spent();
    samples.get(app).push(measure(app));
    const after = spent();
    otherCores.push({ otherCores: (after.otherUs - before.otherUs) / (after.atUs - before.atUs) });
  }
}
const figures = apps.map((app) => ({ app, ...medians(samples.get(app)), ...bundle(app.file) }));
print();

function measure(app) {
  const made = generate(app);
  const [old, native] = [COMPILERS[5], COMPILERS[7]].map((compiler) =>
    checkTypes(compiler, app.folder),
  );
  return {
    made,
    tsc5: old.seconds,
    instantiations: old.instantiations,
    mib5: old.mib,
    tsc7: native.seconds,
    mib7: native.mib,
  };
}

function spent() {
  return { otherUs: machineCpuUs() - ownCpuUs(), atUs: performance.now() * 1000 };
}

function print() {
  const headings = [
    ...["client", "endpoints", "made in s"],
    ...["tsc 5.9 s", "x svc", "instantiations", "MiB", "tsc 7 s", "x svc", "MiB"],
    ...["bundle kB", "gzip kB", "x svc"],
  ];
  printTable(headings, figures.map(row));
  printOtherWork(otherCores);
  const [largest] = figures.filter(({ app }) => app.client === svc).slice(-1);
  const runtime = bundleRuntime();
  printTargets([
    { label: "svc client, 1000 endpoints", value: largest.made, atMost: 2, unit: "s" },
    { label: "tsc 5.9, 1000 endpoints", value: largest.tsc5, atMost: 1, unit: "s" },
    { label: "tsc 7, 1000 endpoints", value: largest.tsc7, atMost: 1, unit: "s" },
    { label: "shared part of clients, gzip", value: kB(runtime.gzipBytes), atMost: 3, unit: "kB" },
    { label: "shared part of clients, minified", value: kB(runtime.bytes), unit: "kB" },
  ]);
}

function row(figure) {
  const { app, made, tsc5, tsc7 } = figure;
  const ours = figures.find(
    (figure) => figure.app.client === svc && figure.app.endpoints === app.endpoints,
  );
  return [
    ...[app.client.name, app.endpoints, made === null ? "" : made.toFixed(2)],
    ...[tsc5.toFixed(2), (tsc5 / ours.tsc5).toFixed(2)],
    ...[figure.instantiations, figure.mib5.toFixed(0)],
    ...[tsc7.toFixed(2), (tsc7 / ours.tsc7).toFixed(2), figure.mib7.toFixed(0)],
    ...[kB(figure.bytes).toFixed(1), kB(figure.gzipBytes).toFixed(1)],
    (figure.gzipBytes / ours.gzipBytes).toFixed(2),
  ];
}

function kB(bytes) {
  return bytes / 1000;
}

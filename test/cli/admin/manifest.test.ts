// `svc admin manifest`: the files of each platform for the system of eight nodes, validated by the
// platform's tool if it is installed.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parse, parseAllDocuments } from "yaml";
import { compose } from "../../../cli/admin/manifest/compose.js";
import { helm, kubernetes } from "../../../cli/admin/manifest/kubernetes.js";
import { nomad } from "../../../cli/admin/manifest/nomad.js";
import { type Manifests, placeInstances, toYaml } from "../../../cli/admin/manifest/placement.js";
import { systemd } from "../../../cli/admin/manifest/systemd.js";
import { selectInstance } from "../../../cli/serving/resolve-settings.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { matchesGolden } from "../../golden/golden.js";
import { eightNodes } from "../../runtime/system/eight-nodes.js";

const test = suite("manifests");
const system = readDescriptor(eightNodes());

function written(files: Manifests): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-manifest-"));
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Diagnostics of a tool; null if it is not installed. */
function runValidator(
  files: Manifests,
  command: string,
  ...words: readonly string[]
): string | null {
  const cwd = written(files);
  try {
    if (spawnSync(command, ["--version"]).status !== 0) return null;
    const { status, stderr } = spawnSync(command, words, { cwd, encoding: "utf8" });
    return status === 0 ? "" : stderr;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

for (const [name, make] of Object.entries({ systemd, kubernetes, helm, nomad, compose })) {
  test(`${name}: matches the golden files`, () => {
    const files = make(system);
    const text = [...files].map(([file, content]) => `# ${file}\n${content}`).join("\n");
    matchesGolden(`manifests/${name}.txt`, text);
    assert.equal([...make(system)], [...files]);
  });
}

test("groups that use Leases may read and replace only their own", () => {
  const led = { ...eightNodes(), leadership: { engine: "kubernetes", minSynced: 0 } };
  for (const [engine, prefix] of [
    ["kubernetes", "svc-cities"],
    ["kubernetes://mine", "mine"],
  ] as const) {
    led.leadership.engine = engine;
    const described = readDescriptor(led);
    const files = kubernetes(described);
    const [account, role, binding] = parseAllDocuments(files.get("access.yaml")!).map((each) =>
      each.toJS(),
    );
    assert.equal([account.kind, account.automountServiceAccountToken], ["ServiceAccount", false]);
    const groups = [
      ...new Set(placeInstances(described).flatMap(({ plan }) => plan.leadership?.group ?? [])),
    ];
    const names = groups
      .flatMap((group) => [group, `${group}-jobs`])
      .map((name) => `${prefix}-${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-")}`);
    const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    assert.equal(role.rules, [
      { ...leases, verbs: ["create"] },
      { ...leases, resourceNames: names, verbs: ["get", "update"] },
    ]);
    assert.equal(binding.subjects, [{ kind: "ServiceAccount", name: account.metadata.name }]);
    const pods = ["engines.yaml", "dispatchers.yaml"].flatMap((name) =>
      parseAllDocuments(files.get(name)!).map((each) => each.toJS()),
    );
    for (const { metadata, spec } of pods) {
      const { serviceAccountName, automountServiceAccountToken } = spec.template.spec;
      const ids = metadata.annotations["svc/instances"].split(",");
      const isMember = placeInstances(described).some(
        ({ plan }) => ids.includes(plan.id) && plan.leadership !== null,
      );
      assert.equal(
        [serviceAccountName !== undefined, automountServiceAccountToken],
        [isMember, isMember],
      );
    }
  }
  assert.not.ok(kubernetes(system).has("access.yaml"));
});

test("separate liveness from health, which an operator can change", () => {
  const text = [...kubernetes(system).values()].join("\n");
  const probes = [...text.matchAll(/(\w+)Probe:\n\s+httpGet:\n\s+path: (\S+)\n\s+port: (\w+)/g)];
  const listedProbes = new Set(probes.map(([, probe, path, port]) => `${probe} ${path} ${port}`));
  assert.equal([...listedProbes].sort(), [
    "liveness /svc/ping admin",
    "readiness /svc/hc main",
    "startup /svc/ping admin",
  ]);
});

test("probe health by TLS, or by a connection if client certificates are required", () => {
  const describe = (tls: unknown) => {
    const secured = readDescriptor({ ...eightNodes(), tls });
    return [kubernetes, nomad, compose].map((make) => [...make(secured).values()].join("\n"));
  };
  const [pods, jobs, services] = describe(true) as [string, string, string];
  assert.match(pods, /httpGet:\n\s+path: \S+\n\s+port: admin\n\s+scheme: HTTPS/);
  assert.match(jobs, /path = "\/svc\/ping"\n\s+protocol = "https"\n\s+tls_skip_verify = true/);
  assert.match(services, 'require("https").get({ port: 9001');
  const shown = describe({ cert: "client.pem", key: "client-key.pem" }) as [string, string, string];
  assert.match(shown[0], /livenessProbe:\n\s+tcpSocket:\n\s+port: admin/);
  assert.match(shown[1], /type = "tcp"\n\s+port = "admin"/);
  assert.match(shown[2], 'require("net").connect(9001');
  for (const text of shown) assert.not(/httpGet|\/svc\/ping/.test(text));
});

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Labels } & Labels;
    readonly podSelector?: { readonly matchLabels: Labels };
    readonly serviceName?: string;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly template?: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly containers: readonly {
          readonly ports: readonly { readonly name: string }[];
          readonly volumeMounts: readonly { readonly name: string }[];
        }[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
    readonly volumeClaimTemplates?: readonly KubernetesObject[];
  };
}
type Labels = Readonly<Record<string, unknown>>;

function listObjects(files: Manifests): KubernetesObject[] {
  const texts = [...files].filter(([name]) => /^(?!kustomization)[a-z]+\.yaml$/.test(name));
  return texts.flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()));
}

for (const descriptor of [eightNodes(), { name: "One", instances: { G1: { hport: 9000 } } }]) {
  test(`kubernetes: objects of ${descriptor.name} refer to each other`, () => {
    const files = kubernetes(readDescriptor(descriptor));
    const { resources } = parse(files.get("kustomization.yaml")!);
    assert.equal(resources, [...files.keys()].slice(1));
    const objects = listObjects(files);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    assert.is(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^\w+ [a-z][a-z0-9-]{0,61}[a-z0-9]$/);
    const pods = objects.flatMap(({ spec }) => spec?.template ?? []);
    const selected = (labels: Labels) =>
      pods.filter(({ metadata }) =>
        Object.entries(labels).every(([key, value]) => metadata.labels[key] === value),
      );
    for (const { kind, spec, metadata } of objects) {
      if (["ConfigMap", "ServiceAccount", "Role", "RoleBinding"].includes(kind)) continue;
      const labels = spec.podSelector?.matchLabels ?? spec.selector?.matchLabels ?? spec.selector!;
      assert.ok(selected(labels).length > 0, `${kind} ${metadata.name}`);
      for (const { targetPort } of spec.ports ?? []) {
        for (const pod of selected(labels)) {
          const ports = pod.spec.containers[0]!.ports.map(({ name }) => name);
          assert.ok(ports.includes(targetPort), metadata.name);
        }
      }
      const { template, serviceName, volumeClaimTemplates = [] } = spec;
      if (serviceName !== undefined) assert.ok(names.includes(`Service ${serviceName}`));
      if (template === undefined) continue;
      assert.equal(selected(labels), [template], "no other pod has these labels");
      const claims = volumeClaimTemplates.map((claim) => claim.metadata.name);
      const volumes = [...template.spec.volumes.map(({ name }) => name), ...claims];
      const mounted = template.spec.containers[0]!.volumeMounts.map(({ name }) => name);
      assert.equal(mounted.sort(), volumes.sort());
    }
  });
}

test("kubernetes: instances find each other by names of Services and sets", () => {
  const objects = listObjects(kubernetes(system));
  const names = new Set(objects.map(({ metadata }) => metadata.name));
  const config = objects.find(({ kind }) => kind === "ConfigMap") as unknown as {
    readonly data: { readonly "system.json": string };
  };
  const { instances } = JSON.parse(config.data["system.json"]) as {
    readonly instances: Readonly<Record<string, { readonly host: string }>>;
  };
  const hosts = Object.values(instances).map(({ host }) => host);
  assert.is(new Set(hosts).size, hosts.length);
  for (const host of hosts) {
    const [pod = "", service = pod] = host.split(".");
    assert.ok(names.has(service) && names.has(pod.replace(/-[12]$/, "")), host);
  }
});

test("kubernetes: a row is one set, whose pods select their instance by their number", () => {
  const set = listObjects(kubernetes(system)).find(
    ({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "svc-cities-td-row-2",
  ) as unknown as {
    readonly spec: {
      readonly replicas: number;
      readonly ordinals: { readonly start: number };
      readonly template: { readonly spec: { readonly containers: [{ command: string[] }] } };
    };
  };
  const { replicas, ordinals, template } = set.spec;
  assert.equal([replicas, ordinals.start], [2, 1]);
  const { command } = template.spec.containers[0];
  const ids = command[command.indexOf("--instance") + 1]!;
  assert.is(ids, "S2.1,S2.2");
  const selected = (host: string): string => selectInstance(ids.split(","), host);
  assert.equal(
    [1, 2].map((replica) => selected(`svc-cities-td-row-2-${replica}`)),
    ["S2.1", "S2.2"],
  );
  assert.is(selected("svc-cities-td-row-2-2.svc-cities-peers"), "S2.2");
  assert.is(selectInstance(["A1"], "laptop"), "A1");
  for (const host of ["laptop", "svc-cities-td-row-2-0", "svc-cities-td-row-2-3", "x-1e0"]) {
    assert.throws(() => selected(host), /SVC3111|does not end with a number from 1 to 2/, host);
  }
  // All pods of a set have the ports of their template.
  const { instances } = JSON.parse(
    (parse(kubernetes(system).get("system.yaml")!) as { data: { "system.json": string } }).data[
      "system.json"
    ],
  ) as { readonly instances: Readonly<Record<string, { hport: number; tport: number }>> };
  const { hport, tport } = instances["S2.1"]!;
  assert.equal({ ...instances["S2.2"], host: "" }, { ...instances["S2.1"], host: "" });
  assert.equal([hport, tport], [9120, 10_120]);
});

test("helm: values are those of the chart, and braces in user strings are preserved", () => {
  const files = helm(readDescriptor({ ...eightNodes(), name: "a {{ .Values.x }}" }));
  const used = new Set<string>();
  for (const [, text] of files) {
    for (const [, name] of text.matchAll(/\{\{ \.Values\.(\w+) \| quote \}\}/g)) used.add(name!);
    assert.not(/value-[0-9a-f]{64}/.test(text));
  }
  assert.equal([...used].sort(), ["image", "memory", "storage"]);
  assert.equal(Object.keys(parse(files.get("values.yaml")!)).sort(), [...used].sort());
  assert.match(files.get("templates/system.yaml")!, `a {{ "{{" }} .Values.x }}`);
});

test("report names that a platform cannot distinguish", () => {
  const instances = { "S1.1": { hport: 9000 }, "s1-1": { hport: 9010 } };
  try {
    placeInstances(readDescriptor({ instances }));
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC2810");
    assert.is((error as Error).message, "S1.1 and s1-1 would both get the name s1-1");
  }
});

test("escape strings of users", () => {
  const name = `x\n- "y": ${"$"}{z} %{w} #`;
  const descriptor = { name, instances: { G1: { hport: 9000, host: "on" } } };
  const odd = readDescriptor(descriptor);
  assert.not(systemd(odd).get("on/svc.target")!.includes("\n-"));
  assert.match(nomad(odd).get("system.nomad.hcl")!, /value = "on"/);
  const values = {
    a: name,
    t: "{\n  x\n}",
    b: "yes",
    c: "1",
    d: [],
    e: {},
    "f: g": [{ h: [1, null] }],
  };
  const text = toYaml(values);
  assert.is(
    text,
    [
      ...`a: |-\n${name}`.split("\n").map((line, index) => (index === 0 ? line : `  ${line}`)),
      ..."t: |-,  {,    x,  }".split(","),
      ...['b: "yes"', 'c: "1"', "d: []", "e: {}", '"f: g":', "  - h:", "      - 1", "      - null"],
      "",
    ].join("\n"),
  );
});

test("are accepted by systemd", () => {
  const files = systemd(system);
  const unit = new Map([["svc@S1.1.service", files.get("svc@.service")!]]);
  const said = runValidator(unit, "systemd-analyze", "verify", "--man=no", "./svc@S1.1.service");
  assert.is(said ?? "", "");
});

test("are accepted by docker compose", () => {
  const probe = spawnSync("docker", ["compose", "version"]);
  if (probe.status !== 0) return;
  assert.is(runValidator(compose(system), "docker", "compose", "config", "--quiet") ?? "", "");
});

test("kubernetes: clients reach all dispatchers of one kind by one Service", () => {
  const files = kubernetes(
    readDescriptor({
      instances: {
        "T{1..3}": { type: "dispatch", hport: 9000, host: "t{1}" },
        "S{1..2}": { type: "search", hport: 9000, host: "s{1}" },
      },
      topology: { dispatch: { "T{1..3}": [{ partitions: ["S{1..2}"] }] } },
    }),
  );
  const objects = (name: string) =>
    parseAllDocuments(files.get(name)!).map((document) => document.toJS());
  const service = objects("services.yaml").find(({ spec }) => spec.selector.front === "true");
  const pods = objects("dispatchers.yaml").map(({ spec }) => spec.template.metadata.labels);
  assert.equal(service.spec.selector.front, "true");
  assert.equal(
    pods.map(({ row, front }) => [row, front]),
    [...[1, 2, 3].map((number) => [`t${number}`, "true"])],
  );
  // The descriptor that all pods read keeps the ranges.
  const [config] = objects("system.yaml");
  const { instances } = JSON.parse(config.data["system.json"]);
  assert.equal(Object.keys(instances), ["T{1..3}", "S{1..2}"]);
});

test.run();

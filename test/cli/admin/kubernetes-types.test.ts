// Kubernetes objects match the types of its API: a compiler finds unknown and missing keys, and
// values of other types.
// limit: 60 s

import { fileURLToPath } from "node:url";
import { Project, ts } from "ts-morph";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseAllDocuments } from "yaml";
import { kubernetes } from "../../../cli/admin/manifest/kubernetes.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { eightNodes } from "../../runtime/system/eight-nodes.js";

const test = suite("types of Kubernetes objects");

/** Modules of kinds by the group of their `apiVersion`. */
const MODULES: Readonly<Record<string, string>> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "policy/v1": "policy/v1",
  "networking.k8s.io/v1": "networking/v1",
  "rbac.authorization.k8s.io/v1": "rbac/v1",
};

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns what the compiler reports about objects. */
function check(objects: readonly KubernetesObject[]): string[] {
  const lines = objects.map((object, index) => {
    const { apiVersion, kind } = object;
    const type = `import("kubernetes-types/${MODULES[apiVersion]}").${kind}`;
    return `export const o${index}: ${type} = ${JSON.stringify(object)};`;
  });
  const compilerOptions = {
    ...{ strict: true, noEmit: true, types: [], skipLibCheck: true, lib: ["lib.es5.d.ts"] },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  };
  const project = new Project({ compilerOptions, skipAddingFilesFromTsConfig: true });
  project.createSourceFile(fileURLToPath(new URL("objects.ts", import.meta.url)), lines.join("\n"));
  return project.getPreEmitDiagnostics().map(({ compilerObject }) => {
    return ts.flattenDiagnosticMessageText(compilerObject.messageText, " ");
  });
}

const isStatefulSet = ({ kind }: KubernetesObject): boolean => kind === "StatefulSet";

test("are those of the API", () => {
  const led = {
    ...eightNodes(),
    tls: true,
    leadership: { engine: "kubernetes", minSynced: 0 },
  };
  const files = [...kubernetes(readDescriptor(led))].filter(([name]) => !/^kust/.test(name));
  const objects = files.flatMap(([, text]) =>
    parseAllDocuments(text).map((document) => document.toJS()),
  );
  assert.equal(check(objects), []);
  // It would have found these.
  const invalidSets = [0, 1, 2].map(() => structuredClone(objects.find(isStatefulSet)));
  invalidSets[0].spec.replicas = "1";
  invalidSets[1].spec.template.spec.containers[0].liveProbe = {};
  delete invalidSets[2].spec.selector;
  const messages = check(invalidSets).join("\n");
  for (const fault of [
    /'string' is not assignable/,
    /liveProbe.* does not exist/,
    /'selector' is missing/,
  ]) {
    assert.match(messages, fault);
  }
});

test.run();

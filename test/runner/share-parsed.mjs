// Compiler tests open hundreds of projects, and builds of tests one for each folder. Most of the
// time went into TypeScript's own libraries and the declarations of this package, which never
// change in a run: their parsed and bound files are reused, as editors do it among projects.
// ts-morph has no option for that; one function of its bundled TypeScript is patched to ask `keep`
// when it is loaded.

import Module from "node:module";

const FILE = /@ts-morph[\\/]common[\\/]dist[\\/]typescript\.js$/;
const MAKER = /function createLanguageServiceSourceFile\([^)]*\) \{/;
const UNCHANGING = /^\/node_modules\/typescript\/lib\/|\/dist\/types\/.*\.d\.ts$/;

const files = new Map();

/** @param make TypeScript's function; the rest are its arguments */
function keep(make, name, snapshot, options, ...more) {
  if (!UNCHANGING.test(name)) return make(name, snapshot, options, ...more);
  const key = `${name} ${JSON.stringify(options)}`;
  const kept = files.get(key);
  const length = snapshot.getLength();
  if (kept?.text.length === length && kept.text === snapshot.getText(0, length)) return kept;
  const made = make(name, snapshot, options, ...more);
  files.set(key, made);
  return made;
}

const compile = Module.prototype._compile;
Module.prototype._compile = function compileShared(text, file, ...more) {
  if (!FILE.test(file)) return compile.call(this, text, file, ...more);
  globalThis.svcKeepParsed = keep;
  const sharing = text.replace(
    MAKER,
    (head) =>
      `function createLanguageServiceSourceFile(...given) {
  return globalThis.svcKeepParsed(createFreshSourceFile, ...given);
}
${head.replace("createLanguageServiceSourceFile", "createFreshSourceFile")}`,
  );
  return compile.call(this, sharing, file, ...more);
};
